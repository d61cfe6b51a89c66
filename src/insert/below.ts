import { Range } from 'vscode';
import { endOfText } from '../document/target.ts';
import { placeAt, placing } from './placing.ts';

export const below = placing(
  { id: 'below', label: 'Below the Selection', detail: 'On a new line below the selected text' },
  (target) => {
    const { end } = target.document.lineAt(endOfText(target).line).range;
    return placeAt(target, new Range(end, end), `\n${target.indentation}`);
  },
);
