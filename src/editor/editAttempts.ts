/** Edits that nothing came of, before the text is given up. */
const TRIES = 3;
/** Edits that were rejected in a row: an editor is rejected for a moment while its tab is switched. */
const REJECTIONS = 10;
/** Edits that came too late since somebody else was quicker. */
const RACES = 50;

/** What VS Code says about an edit. */
export type EditAnswer = 'accepted' | 'refused' | 'rejected';

export function answerOf(edit: Promise<boolean>): Promise<EditAnswer> {
  return edit.then(
    (isAccepted) => (isAccepted ? 'accepted' : 'refused'),
    () => 'rejected',
  );
}

/** Whether something that never fails takes longer than this. */
export async function isLate(task: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(true), deadlineMs);
  try {
    return await Promise.race([task.then(() => false), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts the edits in a row that nothing came of. */
export class EditAttempts {
  #tries = 0;
  #races = 0;
  #rejections = 0;

  /**
   * Counts one more.
   * @param hasChanged whether the document is another one than before the edit
   * @returns true once another try would be in vain, or could write the text twice
   */
  givesUpAfter(answer: EditAnswer, hasChanged: boolean): boolean {
    if (answer === 'rejected') this.#rejections += 1;
    else {
      this.#rejections = 0;
      if (hasChanged) this.#races += 1;
      else this.#tries += 1;
    }
    // Accepted, but altered beyond recognition.
    if (answer === 'accepted' && hasChanged) return true;
    return this.#tries >= TRIES || this.#races >= RACES || this.#rejections >= REJECTIONS;
  }
}
