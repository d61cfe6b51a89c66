import { Range } from 'vscode';
import { endOfText } from '../document/target.ts';
import { placeAt, placing } from './placing.ts';

export const replace = placing(
  { id: 'replace', label: 'Replace the Selection', detail: 'In place of the selected text' },
  (target) => {
    const { start } = target.selection;
    // What a selection takes in of its own indentation it takes away, too.
    const lead = target.indentation.slice(start.character);
    return placeAt(target, new Range(start, endOfText(target)), lead);
  },
);
