import type { WorkspaceFolder } from 'vscode';
import { activeFolder } from './folders.ts';

/**
 * Which of many looks at the sources is shown: the newest one about the folder in front. Folders
 * answer at different speeds, and some are looked at on behalf of a document behind.
 */
export class Looks {
  #begun = 0;
  #shown = 0;
  /** The folder in front that was looked at last; undefined as long as none was. */
  #place: string | undefined;

  /** True if somebody has looked, and another folder is in front by now. */
  get haveMoved(): boolean {
    return this.#begun > 0 && this.#place !== folderKey(activeFolder());
  }

  /** @returns a function that is called once there is a result: true if it is to be shown */
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
