import { PLAIN_MULTILINE_STRINGS } from './languageRules.ts';

/**
 * Matches strings that end on the same line, the start of other strings and of comments, and
 * braces.
 */
const IN_CODE = /\\.|"""|'''|`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/|\/\*|[{}]/g;
/**
 * The same for languages in which double-quoted strings can contain line breaks, and single quotes
 * enclose only one character. In Rust, a single quote can also start a lifetime.
 */
const IN_PLAIN_CODE = /\\.|"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|\/\/|\/\*|["{}]/g;

/**
 * Match the end of a string or comment, and everything else that matters inside it. Keyed by the
 * characters that open the string or comment.
 */
const INSIDE: Readonly<Record<string, RegExp>> = {
  '`': /\\.|`|\$\{/g,
  '"""': /\\.|"""/g,
  "'''": /\\.|'''/g,
  '"': /\\.|"/g,
  '/*': /\*\//g,
};

/** The closing characters that differ from the opening ones. */
const ENDS: Readonly<Record<string, string>> = { '{': '}', '/*': '*/' };

/**
 * Tracks where multiline strings start and end, because leading whitespace in a string is content.
 * Also tracks block comments and the expressions in template strings. Regular expressions aren't
 * recognized, so an unpaired backtick in one is mistaken for the start of a string.
 */
export class MultilineStrings {
  readonly #inCode: RegExp;
  /**
   * The opening characters of the strings, comments, and expressions that haven't ended. The
   * innermost is last.
   */
  readonly #open: string[] = [];

  constructor(languageId: string) {
    this.#inCode = PLAIN_MULTILINE_STRINGS.has(languageId) ? IN_PLAIN_CODE : IN_CODE;
  }

  /** True if a string is open at the end of the last line. */
  get isInString(): boolean {
    const innermost = this.#open.at(-1);
    return innermost !== undefined && innermost !== '{' && innermost !== '/*';
  }

  addLine(line: string): void {
    let position = 0;
    for (;;) {
      const pattern = INSIDE[this.#open.at(-1) ?? ''] ?? this.#inCode;
      pattern.lastIndex = position;
      const token = pattern.exec(line)?.[0];
      if (token === undefined || token === '//') return;
      position = pattern.lastIndex;
      this.#addToken(token);
    }
  }

  #addToken(token: string): void {
    const innermost = this.#open.at(-1);
    if (innermost !== undefined && token === (ENDS[innermost] ?? innermost)) this.#open.pop();
    else if (token === '${') this.#open.push('{');
    // Braces matter only inside an expression in a template string.
    else if (token in INSIDE || (token === '{' && innermost === '{')) this.#open.push(token);
  }
}
