/** A fake of VS Code's Git extension. */

/** An event and its listeners. */
export class Listeners extends Set<() => void> {
  readonly event = (listener: () => void) => {
    const own = () => listener();
    this.add(own);
    return { dispose: () => this.delete(own) };
  };

  fire(): void {
    for (const listener of [...this]) listener();
  }
}

/** The error that Git reports for a file that isn't in the index. */
const unknownPath = Object.assign(new Error('Path not known by git'), {
  gitErrorCode: 'UnknownPath',
});
/** A repository in which the file is neither tracked nor ignored. */
export const untracked = {
  getObjectDetails: (): Promise<unknown> => Promise.reject(unknownPath),
  checkIgnore: (): Promise<Set<string>> => Promise.resolve(new Set<string>()),
};
/** Returns a fake Git extension with this API. */
export const withApi = (api: object) => {
  const { event: onDidChangeEnablement } = new Listeners();
  const git = { enabled: true, onDidChangeEnablement, getAPI: () => api };
  return { activate: async () => git };
};
