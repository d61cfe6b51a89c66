import { INVISIBLE } from '../service/invisible.ts';

/** Control characters but tab and LF, halves of a surrogate pair, byte order marks. */
const CONTROL = /[[\p{Cc}--[\t\n]]\p{Cs}\uFEFF]/gv;
/**
 * What cannot be seen lets code read differently from what it does. Zero-width joiners and the first
 * 16 variation selectors stay, since emoji and many scripts are written with them, and VS Code
 * highlights those that are out of place; a blank braille pattern has its width in drawings.
 */
const UNSEEN_IN_CODE = new RegExp(
  String.raw`[[${INVISIBLE}]--[\t\n\u200C\u200D\uFE00-\uFE0F\u2800]]`,
  'gv',
);
const LINE_END = /\r\n?|[\u2028\u2029]/g;
/** Most pieces are this, and need no further look. */
const PRINTABLE = /^[\t\n -~]*$/;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Makes streamed text plain: every line end is LF, and what a reader cannot see is taken out. In
 * prose only what is never text; in code nearly all that is invisible. What an escape sequence leaves
 * without its ESC stays, since it can be seen.
 */
export class CharacterFilter {
  readonly #unwanted: RegExp;
  #removed = 0;
  /** The piece before ended in CR: an LF that follows is the same line end. */
  #afterReturn = false;
  /** The first half of a surrogate pair whose second half may be in the next piece. */
  #half = '';

  constructor(isCode: boolean) {
    this.#unwanted = isCode ? UNSEEN_IN_CODE : CONTROL;
  }

  /** Characters taken out so far. A line end that became another one is not counted. */
  get removed(): number {
    return this.#removed;
  }

  add(piece: string): string {
    if (piece === '') return '';
    const isSameLineEnd = this.#afterReturn && piece.startsWith('\n');
    this.#afterReturn = piece.endsWith('\r');
    const text = this.#half + (isSameLineEnd ? piece.slice(1) : piece);
    if (PRINTABLE.test(text)) return text;
    this.#half = HIGH_SURROGATE.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - this.#half.length);
    return whole.replace(LINE_END, '\n').replace(this.#unwanted, () => {
      this.#removed += 1;
      return '';
    });
  }

  /** A half that stays alone is taken out: nothing follows any more. */
  end(): string {
    this.#removed += this.#half.length;
    this.#half = '';
    return '';
  }
}
