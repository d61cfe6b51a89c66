import { Disposable, type TextDocument, workspace } from 'vscode';

/**
 * Waits until a `.env` file of a trusted workspace is open; only then the part that reads it is
 * loaded. All of this feature that activation pays for.
 */
export function registerEnvFile(): Disposable {
  let feature: Promise<Disposable> | undefined;
  const look = ({ uri }: TextDocument) => {
    if (workspace.isTrusted && uri.path.endsWith('/.env')) {
      feature ??= import('./feature.ts').then(({ startEnvFile }) => startEnvFile());
    }
  };
  const lookAtAll = () => workspace.textDocuments.forEach(look);
  lookAtAll();
  return Disposable.from(
    workspace.onDidOpenTextDocument(look),
    workspace.onDidGrantWorkspaceTrust(lookAtAll),
    { dispose: () => void feature?.then((started) => started.dispose()) },
  );
}
