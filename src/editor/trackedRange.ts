/** One change of a document, as VS Code reports it; offsets count UTF-16 units before the change. */
export interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/**
 * A stretch of a document that keeps its place while the user edits around and inside it. Pure:
 * VS Code has no tracked range of its own.
 *
 * - A change before it shifts it; a change after it, or typing right at its end, leaves it.
 * - A change inside it changes its length.
 * - A change that reaches over one of its ends, or that replaces all of it, breaks it: the place
 *   is gone, and writing on would mix with what the user did there.
 */
export class TrackedRange {
  #start: number;
  #end: number;
  #touched = false;
  #broken = false;
  #replaced = false;

  constructor(start: number, end: number) {
    this.#start = start;
    this.#end = end;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /** True once somebody else has changed something inside it. */
  get touched(): boolean {
    return this.#touched;
  }

  /** True once a foreign change has reached over one of its ends or replaced all of it. */
  get broken(): boolean {
    return this.#broken;
  }

  /**
   * Takes what now stands in place of it for the whole of it, after one change that replaced exactly
   * all of it, such as an undo. @returns false if it is broken in any other way
   */
  renew(): boolean {
    if (!this.#replaced) return !this.#broken;
    this.#broken = false;
    this.#touched = false;
    this.#replaced = false;
    return true;
  }

  /** Follows a change that somebody else made. */
  follow({ rangeOffset, rangeLength, text }: TextChange): void {
    const changeEnd = rangeOffset + rangeLength;
    const growth = text.length - rangeLength;
    if (changeEnd <= this.#start) {
      this.#start += growth;
      this.#end += growth;
    } else if (rangeOffset < this.#end) {
      const within = rangeOffset >= this.#start && changeEnd <= this.#end;
      const whole = rangeOffset <= this.#start && changeEnd >= this.#end;
      this.#end += growth;
      this.#touched = true;
      this.#replaced = !this.#broken && whole && within;
      this.#broken ||= !within || whole;
    }
  }

  /** Takes over text that was written at its end, or in place of all of it. */
  grow(written: TextChange): void {
    this.#end = Math.max(this.#end - written.rangeLength, this.#start) + written.text.length;
  }
}
