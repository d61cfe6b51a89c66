/** A string, comment, or expression that hasn't ended. */
interface Open {
  readonly kind: 'string' | 'comment' | 'expression';
  /** The characters that end it. */
  readonly close: string;
  /**
   * Matches the end, and whatever else has to be recognized before the end, such as an escape.
   * Undefined if only `close` has to be recognized.
   */
  readonly inside?: RegExp;
}

interface Syntax {
  /**
   * Matches escapes, strings within a line, and the start of a comment or multiline string. The
   * group `string` contains the characters that open a multiline string.
   */
  readonly code: RegExp;
  /** @param opening the characters that open the string */
  readonly open: (opening: string) => Omit<Open, 'kind'>;
}

const TEMPLATES: Syntax = {
  code: /\\.|(?<string>`)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/|\/\*|[{}]/g,
  open: () => ({ close: '`', inside: /\\.|`|\$\{/g }),
};
const TEXT_BLOCK = /\\.|(?<string>""")|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|\/\/|\/\*/g;
const ESCAPED_TEXT_BLOCK = /\\.|"""/g;

/** The syntax of multiline strings, keyed by language ID. Contains only languages with braces. */
const LANGUAGES: Readonly<Record<string, Syntax>> = {
  cpp: {
    code: /\\.|(?<!\w)(?:u8|[uUL])?R"(?<string>[^()\\\s]{0,16})\(|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|\/\/|\/\*/g,
    open: (delimiter) => ({ close: `)${delimiter}"` }),
  },
  csharp: {
    code: /\\.|(?<string>"{3,}|@\$?")|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|\/\/|\/\*/g,
    open: (opening) =>
      opening.startsWith('@') ? { close: '"', inside: /""|"/g } : { close: opening },
  },
  dart: {
    code: /\\.|(?<string>"""|''')|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/|\/\*/g,
    open: (close) => ({ close, inside: close === '"""' ? ESCAPED_TEXT_BLOCK : /\\.|'''/g }),
  },
  go: {
    code: /\\.|(?<string>`)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|\/\/|\/\*/g,
    open: (close) => ({ close }),
  },
  java: { code: TEXT_BLOCK, open: (close) => ({ close, inside: ESCAPED_TEXT_BLOCK }) },
  javascript: TEMPLATES,
  javascriptreact: TEMPLATES,
  kotlin: { code: TEXT_BLOCK, open: (close) => ({ close }) },
  rust: {
    code: /\\.|(?<string>r#*"|")|'(?:[^'\\]|\\.)'|\/\/|\/\*/g,
    open: (opening) =>
      opening === '"'
        ? { close: '"', inside: /\\.|"/g }
        : { close: `"${opening.slice('r'.length, -'"'.length)}` },
  },
  typescript: TEMPLATES,
  typescriptreact: TEMPLATES,
};

/**
 * Matches an escaped character, a comment with the rest of its line, a string that ends on its line,
 * or a quote that opens a string. An apostrophe within a word, as in "don't", isn't a quote.
 */
const STRINGS = /\\.|\/[/*].*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<quote>"|(?<!\w)')/g;
/** The rest of a continued string, up to its closing quote. */
const REST: Readonly<Record<string, RegExp>> = {
  '"': /^(?:[^"\\]|\\.)*"/,
  "'": /^(?:[^'\\]|\\.)*'/,
};
/** Matches an unescaped backslash at the end of a line. */
const CONTINUATION = /(?<!\\)(?:\\\\)*\\$/;

/**
 * Tracks where multiline strings start and end, because leading whitespace in a string is content.
 * In any language, a backslash at the end of a line continues a string that is open there. Also
 * tracks block comments and the expressions in template strings. Regular expressions aren't
 * recognized, so an unpaired quote or backtick in one is mistaken for the start of a string.
 */
export class MultilineStrings {
  readonly #syntax: Syntax | undefined;
  /** The innermost is last. */
  readonly #open: Open[] = [];
  /**
   * The opening quote of the string that is continued by a backslash at the end of the last line;
   * empty if there's none.
   */
  #continued = '';

  constructor(languageId: string) {
    this.#syntax = LANGUAGES[languageId];
  }

  /** True if a string is open at the end of the last line. */
  get isInString(): boolean {
    return this.#continued !== '' || this.#open.at(-1)?.kind === 'string';
  }

  addLine(line: string): void {
    this.#continued = CONTINUATION.test(line) ? openQuote(line, this.#continued) : '';
    if (!this.#syntax) return;
    let position = 0;
    while (position >= 0) position = this.#addToken(line, position, this.#syntax);
  }

  /** @returns the end of the next token; -1 if there are no more tokens in the line */
  #addToken(line: string, position: number, { code, open }: Syntax): number {
    const innermost = this.#open.at(-1);
    const { kind = 'expression', close = '', inside } = innermost ?? {};
    const pattern = kind === 'expression' ? code : inside;
    if (!pattern) {
      const end = line.indexOf(close, position);
      if (end < 0) return -1;
      this.#open.pop();
      return end + close.length;
    }
    pattern.lastIndex = position;
    const found = pattern.exec(line);
    if (!found) return -1;
    const [token] = found;
    const opening = found.groups?.['string'];
    if (token === '//') return -1;
    if (token === close) this.#open.pop();
    else if (token === '/*') this.#open.push({ kind: 'comment', close: '*/' });
    else if (opening !== undefined) this.#open.push({ kind: 'string', ...open(opening) });
    // Braces matter only inside an expression in a template string.
    else if (token === '${' || (token === '{' && innermost))
      this.#open.push({ kind: 'expression', close: '}' });
    return pattern.lastIndex;
  }
}

/**
 * Returns the opening quote of the string that's still open at the end of a line. Empty if there's
 * none.
 * @param continued the opening quote of the string that the line starts inside; empty if there's
 * none
 */
function openQuote(line: string, continued: string): string {
  const rest = REST[continued]?.exec(line);
  if (continued !== '' && !rest) return continued;
  const code = line.slice(rest?.[0].length ?? 0);
  for (const { groups } of code.matchAll(STRINGS)) if (groups?.['quote']) return groups['quote'];
  return '';
}
