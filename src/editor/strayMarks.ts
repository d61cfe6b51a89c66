const MARK = /\u200C|\u200D|[\uFE00-\uFE0F]/;
/** What the next character decides about. */
const ENDS_IN_OPEN_MARK = /(?:\u200C|\u200D|\uFE0F)$/;
/** The most that is looked back at: an emoji, its skin colour, a selector. */
const LONGEST_BEFORE = 5;

/** Scripts whose spelling needs joiners (UAX #31, section 2.3). */
const JOINED = [
  ...['Arab', 'Syrc', 'Mong', 'Nkoo', 'Mand', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml'],
  ...['Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt', 'Limb', 'Java', 'Bali'],
].map((script) => String.raw`\p{scx=${script}}`);
const LETTER = String.raw`[[${JOINED.join('')}]&&[\p{L}\p{M}]]`;
const PICTURE = String.raw`\p{Extended_Pictographic}`;
/** Where a mark does its work. */
const KEPT = [
  String.raw`(?<=${LETTER})[\u200C\u200D](?=${LETTER})`,
  String.raw`(?<=${PICTURE}\p{Emoji_Modifier}?\uFE0F?)\u200D(?=${PICTURE})`,
  String.raw`(?<=[\p{Emoji}--\p{ASCII}])[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  // Forms of ideographs and of their punctuation.
  String.raw`(?<=[\p{Ideographic}\u3000-\u303F\uFF00-\uFFEF])[\uFE00-\uFE02]`,
];
const STRAY = new RegExp(String.raw`(?!${KEPT.join('|')})[\u200C\u200D\uFE00-\uFE0F]`, 'gv');

/**
 * Takes zero-width joiners and variation selectors out of code, except where they do their work:
 * a family of emoji or a Persian word in a string stays whole, while two names that look alike
 * cannot differ by a joiner or a selector, and no run of selectors hides a payload.
 */
export class StrayMarks {
  #removed = 0;
  /** The last characters that were seen. */
  #before = '';
  /** A mark whose right side is in the next piece. */
  #open = '';

  /** Characters taken out so far. */
  get removed(): number {
    return this.#removed;
  }

  /** Expects whole characters: no piece is cut inside a surrogate pair. */
  add(piece: string): string {
    if (piece === '') return '';
    const text = this.#open + piece;
    if (!MARK.test(text)) return this.#pass(text);
    this.#open = ENDS_IN_OPEN_MARK.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - this.#open.length);
    return this.#clean(whole, this.#open);
  }

  /** What is still open is a mark that nothing follows any more. */
  end(): string {
    const open = this.#open;
    this.#open = '';
    return this.#clean(open, '');
  }

  #pass(text: string): string {
    this.#before = (this.#before + text).slice(-LONGEST_BEFORE);
    return text;
  }

  #clean(text: string, next: string): string {
    const { length } = this.#before;
    const all = this.#before + text + next;
    const cleaned = all.replace(STRAY, (mark, offset: number) => {
      if (offset < length || offset >= length + text.length) return mark;
      this.#removed += 1;
      return '';
    });
    this.#pass(text);
    return cleaned.slice(length, cleaned.length - next.length);
  }
}
