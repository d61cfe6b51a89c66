import { FileType, Range, type TextDocument, type Uri, window, workspace } from 'vscode';
import { isEnvFile } from '../credentials/folders.ts';
import type { FindingPlace } from '../dotenv/settingSource.ts';

/** The `.env` file in the editor in use, what may be written to it, and where things stand in them. */

/** The `.env` file in the editor in use. */
export function activeEnvFile(): TextDocument | undefined {
  const document = window.activeTextEditor?.document;
  return document && isEnvFile(document) ? document : undefined;
}

/** Whether a file is a link, which leads to where a repository chooses: nothing is written there. */
export async function isLink(file: Uri): Promise<boolean> {
  try {
    return ((await workspace.fs.stat(file)).type & FileType.SymbolicLink) !== 0;
  } catch {
    return false;
  }
}

/** Saves an edit of ours; changes that were there before are the user's to save. */
export async function savedOf(
  document: TextDocument,
  wasDirty: boolean,
): Promise<'yes' | 'others' | 'failed'> {
  if (wasDirty) return 'others';
  const isSaved = await document.save().then(
    (done) => done,
    () => false,
  );
  return isSaved ? 'yes' : 'failed';
}

export function rangeOf({ line, start, end }: FindingPlace): Range {
  return new Range(line, start, line, end);
}

/** A line with its end; without one, the last line. */
export function lineRange(document: TextDocument, line: number): Range {
  return document.lineAt(line).rangeIncludingLineBreak;
}
