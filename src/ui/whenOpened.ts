import { Disposable, type TextDocument, workspace } from 'vscode';

/**
 * Starts a feature once a document of the right kind is open in a trusted workspace. After a
 * failure, tries again later, for example when the next such document is opened.
 */
export function whenOpened(
  appliesTo: (document: TextDocument) => boolean,
  start: () => Promise<Disposable>,
): Disposable {
  const started = new DisposableStack();
  let isStarting = false;
  const startIfNeeded = async (document: TextDocument) => {
    if (isStarting || !workspace.isTrusted || !appliesTo(document)) return;
    isStarting = true;
    try {
      const feature = await start();
      // The extension may have been deactivated while the feature was loading.
      if (started.disposed) feature.dispose();
      else started.defer(() => feature.dispose());
    } catch {
      // The user didn't request the feature, so the failure isn't reported.
      isStarting = false;
    }
  };
  const startForOpenDocuments = () => workspace.textDocuments.forEach(startIfNeeded);
  startForOpenDocuments();
  return Disposable.from(
    workspace.onDidOpenTextDocument(startIfNeeded),
    workspace.onDidGrantWorkspaceTrust(startForOpenDocuments),
    workspace.onDidChangeWorkspaceFolders(startForOpenDocuments),
    { dispose: () => started.dispose() },
  );
}
