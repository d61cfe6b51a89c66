/** Fits generated text to its place while it streams. Pure; pieces may be cut anywhere. */

/**
 * Gives the text the document's line ends, and every line after the first the indentation of the
 * place. Blank lines get none, so that no trailing blanks appear.
 */
export class TextFit {
  readonly #lineEnd: string;
  readonly #indentation: string;
  /** A CR whose LF may be in the next piece. */
  #heldReturn = false;
  #atLineStart = false;

  constructor(lineEnd: string, indentation: string) {
    this.#lineEnd = lineEnd;
    this.#indentation = indentation;
  }

  add(piece: string): string {
    const text = (this.#heldReturn ? '\r' : '') + piece;
    this.#heldReturn = text.endsWith('\r');
    const whole = this.#heldReturn ? text.slice(0, -1) : text;
    return this.#fit(whole.replace(/\r\n?/g, '\n'));
  }

  /** What is left when no more pieces come. */
  end(): string {
    if (!this.#heldReturn) return '';
    this.#heldReturn = false;
    return this.#fit('\n');
  }

  #fit(text: string): string {
    let fitted = '';
    for (const part of text.split(/(\n)/)) {
      if (part === '') continue;
      if (part === '\n') {
        fitted += this.#lineEnd;
        this.#atLineStart = true;
      } else {
        fitted += (this.#atLineStart ? this.#indentation : '') + part;
        this.#atLineStart = false;
      }
    }
    return fitted;
  }
}
