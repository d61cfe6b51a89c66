import { Range, type TextDocument, Uri, window, workspace } from 'vscode';
import type { Place } from '../service/settingSource.ts';

/** Which documents are `.env` files that count, and where things stand in them. */

const SCHEMES = ['file', 'vscode-remote'];

/** Whether this is the `.env` file at the root of a folder of a trusted workspace. */
export function isEnvFile({ uri }: TextDocument): boolean {
  if (!workspace.isTrusted || !SCHEMES.includes(uri.scheme)) return false;
  const folders = workspace.workspaceFolders ?? [];
  return folders.some((folder) => Uri.joinPath(folder.uri, '.env').toString() === uri.toString());
}

/** The `.env` file in the editor in use. */
export function activeEnvFile(): TextDocument | undefined {
  const document = window.activeTextEditor?.document;
  return document && isEnvFile(document) ? document : undefined;
}

export function rangeOf({ line, start, end }: Place): Range {
  return new Range(line, start, line, end);
}

/** A line with its end; without one, the last line. */
export function lineRange(document: TextDocument, line: number): Range {
  return document.lineAt(line).rangeIncludingLineBreak;
}
