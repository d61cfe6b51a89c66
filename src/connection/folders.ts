import { randomUUID } from 'node:crypto';
import { type NotebookDocument, Uri, type WorkspaceFolder, window, workspace } from 'vscode';

/** Finds the folder that a document belongs to. */

/**
 * URI schemes of documents without a path in a folder, such as new files. If exactly one folder is
 * open, these documents belong to it.
 */
const FOLDERLESS_SCHEMES: ReadonlySet<string> = new Set(['untitled', 'output']);

/**
 * Returns the folder whose `.env` file and settings apply to a document. For a document without a
 * path in a folder, or if there is no document, returns `onlyFolder()`. Returns null for a file
 * outside the workspace, because no approval covers it. Returns null instead of undefined, because
 * functions with a default folder would replace undefined with that folder.
 */
export function activeFolder(uri = window.activeTextEditor?.document.uri): WorkspaceFolder | null {
  const document = uri && (previewedBy(uri) ?? uri);
  const owner = document && (notebookOf(document) ?? document);
  if (owner && !FOLDERLESS_SCHEMES.has(owner.scheme)) {
    return workspace.getWorkspaceFolder(owner) ?? null;
  }
  return onlyFolder();
}

/** URI scheme of previews, which show a document with its pending changes. */
export const PREVIEW_SCHEME = 'hosted-model-preview';

/** Returns the last segment of a document's path. */
export function fileName({ path }: Uri): string {
  return path.split('/').at(-1) ?? '';
}

/**
 * Creates the URI of a document's preview. The URI contains the document's file name so that VS
 * Code can detect the language. It also contains the document's URI so that `activeFolder` can find
 * the folder.
 */
export function previewAddress(document: Uri): Uri {
  // VS Code keeps the text of a closed preview for several minutes, so each preview needs a new
  // URI.
  const query = new URLSearchParams({ of: document.toString(), id: randomUUID() });
  const path = `/${fileName(document)}`;
  return Uri.from({ scheme: PREVIEW_SCHEME, path, query: query.toString() });
}

function previewedBy({ scheme, query }: Uri): Uri | undefined {
  const document = scheme === PREVIEW_SCHEME && new URLSearchParams(query).get('of');
  return document ? Uri.parse(document) : undefined;
}

/** Returns the folder to use if there is no document; null unless exactly one folder is open. */
export function onlyFolder(): WorkspaceFolder | null {
  const [first, ...others] = workspace.workspaceFolders ?? [];
  return first && others.length === 0 ? first : null;
}

/** Returns the URI of a cell's notebook. The cell's own URI isn't in any folder. */
function notebookOf(uri: Uri): Uri | undefined {
  if (uri.scheme !== 'vscode-notebook-cell') return undefined;
  const holdsIt = (notebook: NotebookDocument) =>
    notebook.getCells().some((cell) => cell.document.uri.toString() === uri.toString());
  return workspace.notebookDocuments.find(holdsIt)?.uri;
}
