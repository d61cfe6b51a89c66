import { randomUUID } from 'node:crypto';
import {
  type NotebookDocument,
  type TextDocument,
  Uri,
  type WorkspaceFolder,
  window,
  workspace,
} from 'vscode';
import { ENV_FILE_GONE } from './connectionMessages.ts';

/** Which folder a document belongs to, and the `.env` file of a folder. */

/** Where a folder's `.env` can be a file; anything else is a view of something remote. */
const FILE_SCHEMES: ReadonlySet<string> = new Set(['file', 'vscode-remote']);

/** Documents that lie nowhere, so that they count to the only folder. */
const PLACELESS_SCHEMES: ReadonlySet<string> = new Set(['untitled', 'output']);

/**
 * The folder whose `.env` and settings hold for a document: the one that owns it. A file outside
 * of every folder has none, since nobody approved anything for it: null, which no default of a
 * parameter takes for "not given".
 */
export function activeFolder(uri = window.activeTextEditor?.document.uri): WorkspaceFolder | null {
  const document = uri && (previewedBy(uri) ?? uri);
  const owner = document && (notebookOf(document) ?? document);
  if (owner && !PLACELESS_SCHEMES.has(owner.scheme)) {
    return workspace.getWorkspaceFolder(owner) ?? null;
  }
  return onlyFolder();
}

/** The scheme of previews, which show what a document will become. */
export const PREVIEW_SCHEME = 'hosted-model-preview';

/**
 * Creates the address of a document's preview. It has the document's name, so that VS Code detects
 * the language, and it belongs to the document's folder.
 */
export function previewAddress(document: Uri): Uri {
  // Each address is unique, since VS Code keeps the text of a closed preview for minutes.
  const query = new URLSearchParams({ of: document.toString(), id: randomUUID() });
  const path = `/${document.path.split('/').at(-1) ?? ''}`;
  return Uri.from({ scheme: PREVIEW_SCHEME, path, query: query.toString() });
}

function previewedBy({ scheme, query }: Uri): Uri | undefined {
  const document = scheme === PREVIEW_SCHEME && new URLSearchParams(query).get('of');
  return document ? Uri.parse(document) : undefined;
}

/** The folder of what has no document; null where there is none, or more than one. */
export function onlyFolder(): WorkspaceFolder | null {
  const [first, ...others] = workspace.workspaceFolders ?? [];
  return first && others.length === 0 ? first : null;
}

/** A cell has an address of its own; its folder is that of its notebook. */
function notebookOf(uri: Uri): Uri | undefined {
  if (uri.scheme !== 'vscode-notebook-cell') return undefined;
  const holdsIt = (notebook: NotebookDocument) =>
    notebook.getCells().some((cell) => cell.document.uri.toString() === uri.toString());
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

export function hasFiles({ uri }: WorkspaceFolder): boolean {
  return FILE_SCHEMES.has(uri.scheme);
}

/** Shows the `.env` of a folder. */
export async function openEnvFile(folder = activeFolder()): Promise<void> {
  if (!folder) return;
  try {
    await window.showTextDocument(envFileOf(folder));
  } catch {
    void window.showWarningMessage(ENV_FILE_GONE);
  }
}
