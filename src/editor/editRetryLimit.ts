/** The writer gives up after this many edits that have no effect. */
const MAX_ATTEMPTS = 3;
/**
 * The writer gives up after this many consecutive rejected edits. VS Code briefly rejects edits
 * while the user switches tabs.
 */
const MAX_REJECTIONS = 10;
/** The writer gives up after this many edits that were preempted by other changes. */
const MAX_RACES = 50;

/**
 * The result of an edit: VS Code returned true (`accepted`) or false (`refused`), or threw an error
 * (`rejected`).
 */
export type EditResult = 'accepted' | 'refused' | 'rejected';

export function resultOf(edit: Promise<boolean>): Promise<EditResult> {
  return edit.then(
    (isAccepted) => (isAccepted ? 'accepted' : 'refused'),
    () => 'rejected',
  );
}

/** True if a task exceeds its deadline. `task` must never reject. */
export async function isLate(task: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(true), deadlineMs);
  try {
    return await Promise.race([task.then(() => false), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts consecutive failed edits, to limit the retries. */
export class EditRetryLimit {
  #tries = 0;
  #races = 0;
  #rejections = 0;

  /**
   * Counts a failed edit.
   * @param hasChanged true if the document changed during the edit
   * @returns true if too many edits have failed, or if a retry could write the text twice
   */
  givesUpAfter(result: EditResult, hasChanged: boolean): boolean {
    if (result === 'rejected') this.#rejections += 1;
    else {
      this.#rejections = 0;
      if (hasChanged) this.#races += 1;
      else this.#tries += 1;
    }
    // VS Code accepted the edit, but the reported changes differ from the edit. A retry could write
    // the text twice.
    if (result === 'accepted' && hasChanged) return true;
    return (
      this.#tries >= MAX_ATTEMPTS || this.#races >= MAX_RACES || this.#rejections >= MAX_REJECTIONS
    );
  }
}
