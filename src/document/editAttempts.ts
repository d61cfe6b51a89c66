/** Edits that nothing came of, before the text is given up. */
const TRIES = 3;
/** Edits that were rejected in a row: an editor is rejected for a moment while its tab is switched. */
const REJECTIONS = 10;
/** Edits that came too late since somebody else was quicker. */
const RACES = 50;

/** What VS Code says about an edit, or that it says nothing. */
export type EditAnswer = 'accepted' | 'refused' | 'rejected' | 'late';

/** Says of an edit. @param deadlineMs for one that VS Code never answers */
export async function answerOf(edit: Promise<boolean>, deadlineMs: number): Promise<EditAnswer> {
  const late = Promise.withResolvers<EditAnswer>();
  const timer = setTimeout(() => late.resolve('late'), deadlineMs);
  const answered = edit.then(
    (isAccepted) => (isAccepted ? 'accepted' : 'refused'),
    () => 'rejected' as const,
  );
  try {
    return await Promise.race([answered, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts the edits in a row that nothing came of. */
export class EditAttempts {
  #tries = 0;
  #races = 0;
  #rejections = 0;

  succeeded(): void {
    this.#tries = 0;
    this.#races = 0;
    this.#rejections = 0;
  }

  /**
   * Counts one more.
   * @param hasChanged whether the document is another one than before the edit
   * @returns true once another try would be in vain, or could write the text twice
   */
  failed(answer: EditAnswer, hasChanged: boolean): boolean {
    if (answer === 'rejected') this.#rejections += 1;
    else {
      this.#rejections = 0;
      if (hasChanged) this.#races += 1;
      else this.#tries += 1;
    }
    // Accepted, but altered beyond recognition, or to come at any time.
    const isWritten = answer === 'late' || (answer === 'accepted' && hasChanged);
    const isEnough = this.#tries >= TRIES || this.#races >= RACES || this.#rejections >= REJECTIONS;
    if (isWritten || isEnough) this.succeeded();
    return isWritten || isEnough;
  }
}
