import { Disposable, type TextDocument, type Uri, workspace } from 'vscode';
import { Lazy } from './lazy.ts';

/**
 * Waits until a document of this kind is open in a trusted workspace; only then the part that reads
 * it is loaded. All of such a feature that activation pays for.
 */
export function whenOpened(
  isMeant: (uri: Uri) => boolean,
  load: () => Promise<Disposable>,
): Disposable {
  const feature = new Lazy(load);
  const look = ({ uri }: TextDocument) => {
    // Tried again with the next one. Nobody waits for it: a command that fails to load says so.
    if (workspace.isTrusted && isMeant(uri)) feature.get().catch(() => {});
  };
  const lookAtAll = () => workspace.textDocuments.forEach(look);
  lookAtAll();
  return Disposable.from(
    workspace.onDidOpenTextDocument(look),
    workspace.onDidGrantWorkspaceTrust(lookAtAll),
    workspace.onDidChangeWorkspaceFolders(lookAtAll),
    {
      dispose: () => {
        feature.ifMade?.then(
          (started) => started.dispose(),
          () => {},
        );
      },
    },
  );
}
