import { type Disposable, type Event, extensions, type Uri } from 'vscode';

/** Asks VS Code's Git extension about a file. Starts no program itself. */

/** The way that a commit could publish a file. */
export type GitRisk = 'not-ignored' | 'tracked';

/** The parts used of https://github.com/microsoft/vscode/blob/main/extensions/git/src/api/git.d.ts */
interface GitExtension {
  /** @throws Error if git is disabled or not installed */
  getAPI(version: 1): GitApi;
}

interface GitApi {
  readonly onDidOpenRepository: Event<unknown>;
  readonly onDidCloseRepository: Event<unknown>;
  getRepository(uri: Uri): Repository | null;
}

interface Repository {
  /** Returns the ignored ones of these paths. A tracked file is never ignored. */
  checkIgnore(paths: string[]): Promise<Set<string>>;
  /**
   * Looks a file up in the index if no tree is named.
   * @throws Error with the code `UnknownPath` for a file that isn't there
   */
  getObjectDetails(tree: '', path: string): Promise<unknown>;
}

/**
 * Returns undefined for an ignored file, and if the answer is unknown. In a remote window, the Git
 * extension runs on the other machine. A repository that VS Code didn't open isn't opened for this.
 */
export async function gitRisk(file: Uri): Promise<GitRisk | undefined> {
  try {
    const repository = (await gitApi())?.getRepository(file);
    if (!repository) return undefined;
    if (await isTracked(repository, file.fsPath)) return 'tracked';
    const ignored = await repository.checkIgnore([file.fsPath]);
    return ignored.size > 0 ? undefined : 'not-ignored';
  } catch {
    // Git can fail in many ways, and a hint isn't worth a message about them.
    return undefined;
  }
}

/** Calls the listener when VS Code opens or closes a repository, which it does after a while. */
export function onDidChangeRepositories(listener: () => void): Disposable {
  const parts = new DisposableStack();
  const listen = async () => {
    const api = await gitApi();
    if (!api || parts.disposed) return;
    for (const event of [api.onDidOpenRepository, api.onDidCloseRepository]) {
      parts.adopt(event(listener), (part) => part.dispose());
    }
    listener();
  };
  listen().catch(() => {});
  return parts;
}

async function gitApi(): Promise<GitApi | undefined> {
  const extension = extensions.getExtension<GitExtension>('vscode.git');
  return (await extension?.activate())?.getAPI(1);
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
