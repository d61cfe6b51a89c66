import { Range } from 'vscode';
import { endOfText } from '../document/target.ts';
import { placeAt, placing } from './placing.ts';

export const after = placing(
  { id: 'after', label: 'After the Selection', detail: 'Directly after the selected text' },
  (target) => {
    const end = endOfText(target);
    return placeAt(target, new Range(end, end));
  },
);
