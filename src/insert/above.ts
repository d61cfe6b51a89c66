import { Range } from 'vscode';
import { placeAt, placing } from './placing.ts';

export const above = placing(
  { id: 'above', label: 'Above the Selection', detail: 'On a new line above the selected text' },
  (target) => {
    const { start } = target.document.lineAt(target.selection.start.line).range;
    return placeAt(target, new Range(start, start), target.indentation, '\n');
  },
);
