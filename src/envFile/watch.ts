import { Disposable, type TextDocument, workspace } from 'vscode';
import { Lazy } from '../lazy.ts';

const loadFeature = () => import('./feature.ts').then(({ startEnvFile }) => startEnvFile());

/**
 * Waits until a `.env` file of a trusted workspace is open; only then the part that reads it is
 * loaded. All of this feature that activation pays for.
 */
export function registerEnvFile(load: () => Promise<Disposable> = loadFeature): Disposable {
  const feature = new Lazy(load);
  const look = ({ uri }: TextDocument) => {
    // Tried again with the next one. Nobody waits for it: a command that fails to load says so.
    if (workspace.isTrusted && uri.path.endsWith('/.env')) feature.get().catch(() => {});
  };
  const lookAtAll = () => workspace.textDocuments.forEach(look);
  lookAtAll();
  return Disposable.from(
    workspace.onDidOpenTextDocument(look),
    workspace.onDidGrantWorkspaceTrust(lookAtAll),
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
