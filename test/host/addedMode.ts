import { Range } from 'vscode';
import { placeAt, placing } from '../../src/editor/inPlaceModes.ts';

/**
 * An insert mode that a contributor might add by writing a file like this one and an entry in
 * `insertModes`.
 */
export const comment = placing('comment', (target) => {
  const { start } = target.document.lineAt(target.selection.start.line).range;
  const { indentation } = target;
  return placeAt(
    target,
    new Range(start, start),
    `${indentation}/*\n${indentation}`,
    `\n${indentation}*/\n`,
  );
});
