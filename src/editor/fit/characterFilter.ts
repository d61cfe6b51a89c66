import { INVISIBLE } from '../../service/invisibleCharacters.ts';
import { AGENT_INSTRUCTIONS, PROSE } from './languageRules.ts';

const PICTURE = String.raw`\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?`;
/** Matches invisible characters that are part of an emoji. */
const IN_EMOJI = String.raw`\p{RGI_Emoji_Tag_Sequence}|\uFE0F\u20E3|(?<=\p{Extended_Pictographic})\uFE0F|(?<=${PICTURE})\u200D`;
/**
 * Matches invisible characters other than tab, LF, and the blank braille pattern (U+2800), which
 * braille art uses as a space. Group 1 captures the characters that are part of an emoji.
 */
const UNSEEN = new RegExp(String.raw`(${IN_EMOJI})|[[${INVISIBLE}]--[\t\n\u2800]]`, 'gv');
const PICTURE_BEFORE = new RegExp(`${PICTURE}$`, 'v');
/**
 * Matches part of a flag, keycap, or surrogate pair at the end of a chunk, if the rest may be in
 * the next chunk.
 */
const UNFINISHED = /(?:\u{1F3F4}[\u{E0061}-\u{E007A}]{0,6}|\uFE0F)?[\uD800-\uDBFF]?$/v;

/**
 * Matches the invisible characters to remove from prose: control characters, lone surrogates, byte
 * order marks, direction overrides, and tag characters. Tab and LF aren't affected, because
 * `UNSEEN` excludes them. Other invisible characters are kept, because right-to-left scripts and
 * Thai need some of them.
 */
const UNWANTED_IN_PROSE = /[\p{Cc}\p{Cs}\uFEFF\u202D\u202E\u{E0000}-\u{E007F}]/v;
/**
 * Matches the invisible characters to remove from code. Such characters can hide what the code
 * does. Zero-width joiners, zero-width non-joiners, and the first 16 variation selectors are kept.
 * Many writing systems need these characters, and VS Code highlights them where they're out of
 * place.
 */
const UNWANTED_IN_CODE = /[^\u200C\u200D\uFE00-\uFE0F]/v;
/**
 * Matches the invisible characters to remove from instructions for AI agents: all except those in
 * emoji. Otherwise, agents could follow instructions that people can't see, because VS Code doesn't
 * highlight invisible characters in instruction files.
 */
const UNWANTED_IN_INSTRUCTIONS = /./sv;

const LINE_END = /\r\n?|[\u2028\u2029]/g;
/**
 * Matches text that consists only of printable ASCII, tabs, and LFs. Most chunks match and need no
 * further checks.
 */
const PRINTABLE = /^[\t\n -~]*$/;

/**
 * Converts the line endings of streamed text to LF and removes invisible characters. The language
 * determines which characters are removed. In an escape sequence, only the escape character is
 * removed.
 */
export class CharacterFilter {
  readonly #unwanted: RegExp;
  readonly #countsKept: boolean;
  #removed = 0;
  #kept = 0;
  /**
   * True if the previous chunk ended with CR. An LF at the start of the next chunk then belongs to
   * the same line ending.
   */
  #afterReturn = false;
  /** Text held back from the end of the previous chunk (see `UNFINISHED`). */
  #held = '';
  /**
   * The pictograph at the end of the text so far, if any. Invisible characters at the start of the
   * next chunk can belong to the same emoji.
   */
  #before = '';

  constructor(languageId: string) {
    this.#countsKept = PROSE.has(languageId);
    if (AGENT_INSTRUCTIONS.has(languageId)) this.#unwanted = UNWANTED_IN_INSTRUCTIONS;
    else this.#unwanted = this.#countsKept ? UNWANTED_IN_PROSE : UNWANTED_IN_CODE;
  }

  /**
   * Number of characters removed since the last call to `restartCount`, not counting converted line
   * endings.
   */
  get removed(): number {
    return this.#removed;
  }

  /**
   * Number of invisible characters kept in prose since the last call to `restartCount`, not
   * counting those in emoji.
   */
  get kept(): number {
    return this.#kept;
  }

  add(piece: string): string {
    if (piece === '') return '';
    const isSameLineEnd = this.#afterReturn && piece.startsWith('\n');
    this.#afterReturn = piece.endsWith('\r');
    const text = this.#held + (isSameLineEnd ? piece.slice(1) : piece);
    if (PRINTABLE.test(text)) {
      this.#before = '';
      return text;
    }
    this.#held = UNFINISHED.exec(text)?.[0] ?? '';
    return this.#filter(text.slice(0, text.length - this.#held.length));
  }

  restartCount(): void {
    this.#removed = 0;
    this.#kept = 0;
  }

  /** Called after the last chunk. Returns the held-back text. */
  end(): string {
    const rest = this.#filter(this.#held);
    this.#held = '';
    return rest;
  }

  #filter(text: string): string {
    const start = this.#before.length;
    const whole = this.#before + text.replace(LINE_END, '\n');
    this.#before = PICTURE_BEFORE.exec(whole)?.[0] ?? '';
    const plain = whole.replace(UNSEEN, (character, inEmoji: string | undefined, at: number) => {
      if (inEmoji || at < start) return character;
      if (this.#unwanted.test(character)) {
        this.#removed += 1;
        return '';
      }
      if (this.#countsKept) this.#kept += 1;
      return character;
    });
    return plain.slice(start);
  }
}

/** Filters a complete string instead of a stream. */
export function plainText(text: string, languageId: string): string {
  const filter = new CharacterFilter(languageId);
  return filter.add(text) + filter.end();
}
