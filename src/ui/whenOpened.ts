import { Disposable, type TextDocument, workspace } from 'vscode';

/**
 * Starts a feature once a document of its kind is open in a trusted workspace. If it fails to load,
 * the next such document starts it.
 */
export function whenOpened(
  appliesTo: (document: TextDocument) => boolean,
  start: () => Promise<Disposable>,
): Disposable {
  const started = new DisposableStack();
  let isStarting = false;
  const look = async (document: TextDocument) => {
    if (isStarting || !workspace.isTrusted || !appliesTo(document)) return;
    isStarting = true;
    try {
      const feature = await start();
      // The extension was deactivated while the feature was loading.
      if (started.disposed) feature.dispose();
      else started.defer(() => feature.dispose());
    } catch {
      // No caller waits for the feature. A command that fails to load reports the failure.
      isStarting = false;
    }
  };
  const lookAtAll = () => workspace.textDocuments.forEach(look);
  lookAtAll();
  return Disposable.from(
    workspace.onDidOpenTextDocument(look),
    workspace.onDidGrantWorkspaceTrust(lookAtAll),
    workspace.onDidChangeWorkspaceFolders(lookAtAll),
    { dispose: () => started.dispose() },
  );
}
