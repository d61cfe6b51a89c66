import {
  FileType,
  type NotebookDocument,
  type TextDocument,
  Uri,
  type WorkspaceFolder,
  window,
  workspace,
} from 'vscode';
import { readEnvFile, readEnvironment } from '../dotenv/envFile.ts';
import { decodeEnvFile, ENV_FILE_LIMIT_BYTES } from '../dotenv/envText.ts';
import type { Vendor } from '../service/vendors.ts';
import type { ExternalText, UnreadReason } from './sourceSelection.ts';

/** The two sources outside the editor, as they are at this moment. */

/** Where a folder's `.env` can be a file; anything else is a view of something remote. */
const FILE_SCHEMES: ReadonlySet<string> = new Set(['file', 'vscode-remote']);

/** Documents that lie nowhere, so that they count to the only folder. */
const PLACELESS_SCHEMES: ReadonlySet<string> = new Set(['untitled', 'output']);

/**
 * The folder whose `.env` and settings hold for a document: the one that owns it. A file outside
 * of every folder has none, since nobody approved anything for it.
 */
export function activeFolder(
  document = window.activeTextEditor?.document.uri,
): WorkspaceFolder | undefined {
  if (document && !PLACELESS_SCHEMES.has(document.scheme)) {
    return workspace.getWorkspaceFolder(notebookOf(document) ?? document);
  }
  const [first, ...others] = workspace.workspaceFolders ?? [];
  return others.length === 0 ? first : undefined;
}

/** A cell has an address of its own; its folder is that of its notebook. */
function notebookOf(document: Uri): Uri | undefined {
  if (document.scheme !== 'vscode-notebook-cell') return undefined;
  const holdsIt = (notebook: NotebookDocument) =>
    notebook.getCells().some((cell) => cell.document.uri.toString() === document.toString());
  return workspace.notebookDocuments.find(holdsIt)?.uri;
}

export function envFileOf(folder: WorkspaceFolder): Uri {
  return Uri.joinPath(folder.uri, '.env');
}

/** Whether this is the `.env` file at the root of a folder of a trusted workspace. */
export function isEnvFile({ uri }: TextDocument): boolean {
  if (!workspace.isTrusted) return false;
  const folders = (workspace.workspaceFolders ?? []).filter(hasFiles);
  return folders.some((folder) => envFileOf(folder).toString() === uri.toString());
}

function hasFiles({ uri }: WorkspaceFolder): boolean {
  return FILE_SCHEMES.has(uri.scheme);
}

/** Shows the `.env` of a folder. */
export async function openEnvFile(folder = activeFolder()): Promise<void> {
  if (!folder) return;
  try {
    await window.showTextDocument(envFileOf(folder));
  } catch {
    const text = 'the .env file cannot be opened. Most likely it was deleted or renamed meanwhile.';
    void window.showWarningMessage(`Hosted Model: ${text}`);
  }
}

/**
 * Reads the `.env` in the root of a folder, once and as bytes, so that what is approved is what is
 * used. A repository chooses what stands there: no link is followed, no device opened, nothing
 * large read (T12 of docs/threat-model.md).
 */
export async function readExternalFile(
  folder: WorkspaceFolder | undefined,
  vendor: Vendor,
): Promise<ExternalText> {
  if (!folder) return unread('no-folder');
  if (!workspace.isTrusted) return unread('untrusted');
  if (!hasFiles(folder)) return unread('virtual');
  const file = envFileOf(folder);
  try {
    const { type, size } = await workspace.fs.stat(file);
    if ((type & FileType.SymbolicLink) !== 0) return unread('symbolic-link');
    if (type !== FileType.File) return unread('not-a-file');
    if (size > ENV_FILE_LIMIT_BYTES) return unread('too-large');
  } catch {
    return unread('no-file');
  }
  try {
    const decoded = decodeEnvFile(await workspace.fs.readFile(file));
    if (!decoded) return unread('not-text');
    return { kind: 'read', reading: readEnvFile(decoded.text, vendor) };
  } catch {
    return unread('unreadable');
  }
}

/** Reads the environment of the extension host. A dev container chooses it, so it needs trust, too. */
export function readExternalEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  vendor: Vendor,
): ExternalText {
  if (!workspace.isTrusted) return unread('untrusted');
  return { kind: 'read', reading: readEnvironment(environment, vendor) };
}

function unread(why: UnreadReason): ExternalText {
  return { kind: 'unread', why };
}
