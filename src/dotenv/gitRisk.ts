import { type Disposable, type Event, extensions, type Uri } from 'vscode';

/** Checks a file through VS Code's Git extension, without starting git itself. */

/** The reason why a commit could publish a file. */
export type GitRisk = 'not-ignored' | 'tracked';

/** The parts that we use of https://github.com/microsoft/vscode/blob/main/extensions/git/src/api/git.d.ts */
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
  /** Returns those paths that git ignores. A tracked file is never ignored. */
  checkIgnore(paths: string[]): Promise<Set<string>>;
  /**
   * Looks up a file in the index, because the tree is empty.
   * @throws Error with the code `UnknownPath` if the file isn't in the index
   */
  getObjectDetails(tree: '', path: string): Promise<unknown>;
}

/**
 * Returns undefined if git ignores the file or if we can't find out. In a remote window, the Git
 * extension runs on the other machine. We don't open a repository that VS Code hasn't opened.
 */
export async function gitRisk(file: Uri): Promise<GitRisk | undefined> {
  try {
    const repository = (await gitApi())?.getRepository(file);
    if (!repository) return undefined;
    if (await isTracked(repository, file.fsPath)) return 'tracked';
    const ignored = await repository.checkIgnore([file.fsPath]);
    return ignored.size > 0 ? undefined : 'not-ignored';
  } catch {
    // Git can fail in many ways, and a missing hint isn't worth an error message.
    return undefined;
  }
}

/** Calls the listener when VS Code opens or closes a repository, often after start-up. */
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
