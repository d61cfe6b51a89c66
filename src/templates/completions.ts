import { FIELD_NAMES, splitTemplate } from './parseTemplate.ts';
import type { TextSpan } from './templateMessages.ts';
import { INPUT, VARIABLES } from './variables.ts';

/** Completes variables, keys, and insert modes in template files. */

export interface Completion {
  readonly kind: 'variable' | 'question' | 'key' | 'mode';
  readonly label: string;
  /** The text to insert. If the kind is `question`, the text is a snippet. */
  readonly newText: string;
}

export interface Completions {
  readonly items: readonly Completion[];
  /** The part of the file that a completion replaces. */
  readonly replaced: TextSpan;
}

const IN_PROMPT: readonly Completion[] = [
  ...VARIABLES.map((name) => ({ kind: 'variable', label: name, newText: `${name}}` }) as const),
  { kind: 'question', label: `${INPUT}question`, newText: `${INPUT}\${1:question}\\}` },
];

/** Returns the completions at an offset; undefined if nothing can be completed there. */
export function completionsAt(
  text: string,
  offset: number,
  modes: readonly string[],
): Completions | undefined {
  const { frontMatter, isClosed } = splitTemplate(text);
  const end = frontMatter ? frontMatter.offset + frontMatter.length : 0;
  const isBeforeEnd = isClosed ? offset < end : offset <= end;
  const isInFront = frontMatter !== undefined && offset >= frontMatter.offset && isBeforeEnd;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  const after = text.slice(offset).split(/\r?\n/, 1)[0] ?? '';
  /**
   * Returns completions for the word at the offset; undefined if `start` doesn't match.
   * @param start matches the line up to the offset, and captures the typed part of the word
   * @param rest matches the part of the word after the offset
   */
  const suggest = (
    start: RegExp,
    rest: RegExp,
    itemsFor: (word: string) => readonly Completion[],
  ): Completions | undefined => {
    const typed = start.exec(before)?.[1];
    if (typed === undefined) return undefined;
    const word = typed + (rest.exec(after)?.[0] ?? '');
    const replaced = { offset: offset - typed.length, length: word.length };
    return { items: itemsFor(word), replaced };
  };
  // The editor usually adds the closing brace, so the completion replaces it. If there is no brace,
  // the text after the offset belongs to the prompt and is kept.
  if (!isInFront) return suggest(/(?<!\\)(?:\\\\)*\$\{([^}$]*)$/, /^[\w:]*\}/, () => IN_PROMPT);
  const written = text.slice(frontMatter.offset, end);
  const modeItems = modes.map((mode) => ({ kind: 'mode', label: mode, newText: mode }) as const);
  return (
    suggest(/^(\w*)$/, /^\w*(?:: ?)?/, (word) => keysFor(word, written)) ??
    suggest(/^insertMode:\s*["']?(\w*)$/, /^\w*/, () => modeItems)
  );
}

/** Returns completions for the keys that the front matter lacks, and for the key at the cursor. */
function keysFor(word: string, frontMatter: string): Completion[] {
  const taken = new Set(Array.from(frontMatter.matchAll(/^(\w+)\s*:/gm), ([, name]) => name));
  taken.delete(word.replace(/: ?$/, ''));
  const free = FIELD_NAMES.filter((name) => !taken.has(name));
  return free.map((name) => ({ kind: 'key', label: name, newText: `${name}: ` }));
}
