import { type Disposable, type Event, extensions, type Uri } from 'vscode';

/**
 * Uses VS Code's Git extension to check whether a commit could publish a file. Doesn't run git
 * itself.
 */

export type GitRisk = 'not-ignored' | 'tracked';

/**
 * The parts of the Git extension's API that this module uses:
 * https://github.com/microsoft/vscode/blob/main/extensions/git/src/api/git.d.ts
 */
interface GitExtension {
  readonly enabled: boolean;
  readonly onDidChangeEnablement: Event<boolean>;
  /** @throws Error if Git is disabled or not installed */
  getAPI(version: 1): GitApi;
}

interface GitApi {
  readonly onDidOpenRepository: Event<unknown>;
  readonly onDidCloseRepository: Event<unknown>;
  getRepository(uri: Uri): Repository | null;
}

interface Repository {
  /** Returns only the paths that Git ignores. Git never ignores tracked files. */
  checkIgnore(paths: string[]): Promise<Set<string>>;
  /**
   * Looks up a file in a tree. An empty `tree` means the index.
   * @throws Error with the code `UnknownPath` if the file isn't in the index
   */
  getObjectDetails(tree: '', path: string): Promise<unknown>;
}

/**
 * Returns the reason why a commit could publish the file. Undefined if Git ignores the file, or if
 * the risk is unknown. The risk is unknown if, for example, the Git extension runs on another
 * machine or hasn't opened the repository yet.
 */
export async function gitRisk(file: Uri): Promise<GitRisk | undefined> {
  try {
    const repository = (await gitExtension())?.getAPI(1).getRepository(file);
    if (!repository) return undefined;
    if (await isTracked(repository, file.fsPath)) return 'tracked';
    const ignored = await repository.checkIgnore([file.fsPath]);
    return ignored.size > 0 ? undefined : 'not-ignored';
  } catch {
    // Git can fail in many ways, and a missing warning isn't worth an error message.
    return undefined;
  }
}

/**
 * Calls the listener when VS Code opens or closes a repository, when the Git extension becomes
 * available, and when Git is enabled or disabled. VS Code may open repositories long after it
 * starts, and the Git extension is unavailable until the workspace is trusted.
 */
export function onDidChangeRepositories(listener: () => void): Disposable {
  const parts = new DisposableStack();
  let ofExtension: Disposable[] = [];
  const stop = () => {
    for (const part of ofExtension) part.dispose();
    ofExtension = [];
  };
  const listen = async () => {
    const git = await gitExtension();
    if (!git || parts.disposed) return;
    stop();
    ofExtension.push(git.onDidChangeEnablement(restart));
    if (git.enabled) {
      const { onDidOpenRepository, onDidCloseRepository } = git.getAPI(1);
      ofExtension.push(onDidOpenRepository(listener), onDidCloseRepository(listener));
    }
    listener();
  };
  const restart = () => void listen().catch(() => {});
  parts.adopt(extensions.onDidChange(restart), (part) => part.dispose());
  parts.defer(stop);
  restart();
  return parts;
}

async function gitExtension(): Promise<GitExtension | undefined> {
  return extensions.getExtension<GitExtension>('vscode.git')?.activate();
}

async function isTracked(repository: Repository, path: string): Promise<boolean> {
  try {
    await repository.getObjectDetails('', path);
    return true;
  } catch (error) {
    const { gitErrorCode } = error as { readonly gitErrorCode?: unknown };
    if (gitErrorCode === 'UnknownPath') return false;
    throw error;
  }
}
