import type { WorkspaceFolder } from 'vscode';
import { activeFolder } from './folders.ts';

/**
 * Selects the look at the sources that is shown: the newest one about the folder in front. Folders
 * answer at different speeds, and some looks are about a document in the background.
 */
export class Looks {
  #begun = 0;
  #shown = 0;
  /** The folder of the last look that began while it was in front. */
  #place: string | undefined;

  /** True if another folder is in front than at the last look; false before the first one. */
  get haveMoved(): boolean {
    return this.#begun > 0 && this.#place !== folderKey(activeFolder());
  }

  /** @returns a function to call with the result at hand: true if the result is to be shown */
  begin(owner: WorkspaceFolder | null): () => boolean {
    const place = folderKey(owner);
    const isInFront = () => place === folderKey(activeFolder());
    if (isInFront()) this.#place = place;
    this.#begun += 1;
    const look = this.#begun;
    return () => {
      if (look < this.#shown || !isInFront()) return false;
      this.#shown = look;
      return true;
    };
  }
}

/** Empty for no folder. */
export function folderKey(folder: WorkspaceFolder | null): string {
  return folder?.uri.toString() ?? '';
}
