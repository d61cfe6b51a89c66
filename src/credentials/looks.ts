import type { WorkspaceFolder } from 'vscode';
import { activeFolder } from './folders.ts';

/**
 * Decides which lookup of the sources is shown: the newest one for the active folder. Lookups take
 * different times, and some are for a document in the background.
 */
export class Looks {
  #begun = 0;
  #shown = 0;
  /** The folder of the last lookup that began while this folder was active. */
  #place: string | undefined;

  /** True if the active folder has changed since the last lookup; false before the first one. */
  get haveMoved(): boolean {
    return this.#begun > 0 && this.#place !== folderKey(activeFolder());
  }

  /** @returns a function to call once the lookup is done: true if its result should be shown */
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

/** Returns an empty string for no folder. */
export function folderKey(folder: WorkspaceFolder | null): string {
  return folder?.uri.toString() ?? '';
}
