import { Disposable, type TextDocument, Uri, type WorkspaceFolder, workspace } from 'vscode';

/** Finds and watches the `.env` files of folders. */

/**
 * URI schemes of folders whose `.env` can be a real file. Folders with any other scheme are
 * virtual.
 */
const FILE_SCHEMES: ReadonlySet<string> = new Set(['file', 'vscode-remote']);

export function envFileOf(folder: WorkspaceFolder): Uri {
  return Uri.joinPath(folder.uri, '.env');
}

/**
 * True if the workspace is trusted and the document is the `.env` file at the root of a folder that
 * isn't virtual.
 */
export function isEnvFile({ uri }: Pick<TextDocument, 'uri'>): boolean {
  if (!workspace.isTrusted) return false;
  const folders = (workspace.workspaceFolders ?? []).filter(hasFiles);
  return folders.some((folder) => envFileOf(folder).toString() === uri.toString());
}

/** Returns a folder's `.env` file if it's open and has unsaved changes. */
export function unsavedEnvFile(folder: WorkspaceFolder | null): TextDocument | undefined {
  const uri = folder && envFileOf(folder).toString();
  return workspace.textDocuments.find(
    (one) => one.isDirty && one.uri.toString() === uri && isEnvFile(one),
  );
}

/** Calls the listener when a folder's `.env` file is created, changed, or deleted. */
export function onDidChangeEnvFile(listener: () => void): Disposable {
  const onFile = (uri: Uri) => {
    if (isEnvFile({ uri })) listener();
  };
  const watcher = workspace.createFileSystemWatcher('**/.env');
  return Disposable.from(
    watcher,
    watcher.onDidCreate(onFile),
    watcher.onDidChange(onFile),
    watcher.onDidDelete(onFile),
    // Don't rely on the watcher alone, because it may miss a save on a busy machine.
    workspace.onDidSaveTextDocument(({ uri }) => onFile(uri)),
  );
}

export function hasFiles({ uri }: WorkspaceFolder): boolean {
  return FILE_SCHEMES.has(uri.scheme);
}
