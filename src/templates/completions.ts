import type { TextSpan } from './templateMessages.ts';
import { FIELD_NAMES, splitTemplate } from './templateText.ts';
import { INPUT, VARIABLES } from './variables.ts';

/** Completions at a position of a template file. Pure. */

export interface Completion {
  readonly kind: 'variable' | 'question' | 'key' | 'mode';
  readonly label: string;
  /** A snippet with a placeholder, as in `${1:…}`, if the kind is `question`. */
  readonly newText: string;
}

export interface Completions {
  readonly items: readonly Completion[];
  /** The text that the completion replaces. */
  readonly replaced: TextSpan;
}

const IN_PROMPT: readonly Completion[] = [
  ...VARIABLES.map((name) => ({ kind: 'variable', label: name, newText: `${name}}` }) as const),
  { kind: 'question', label: `${INPUT}question`, newText: `${INPUT}\${1:question}\\}` },
];

/** Returns the completions at an offset; undefined if there are none. */
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
   * @param start matches up to the offset; its group is the part of the word that is already typed
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
  // The editor has probably inserted the closing brace already. Without one, the text after the
  // offset belongs to the prompt.
  if (!isInFront) return suggest(/(?<!\\)(?:\\\\)*\$\{([^}$]*)$/, /^[\w:]*\}/, () => IN_PROMPT);
  const written = text.slice(frontMatter.offset, end);
  const modeItems = modes.map((mode) => ({ kind: 'mode', label: mode, newText: mode }) as const);
  return (
    suggest(/^(\w*)$/, /^\w*(?:: ?)?/, (word) => keysFor(word, written)) ??
    suggest(/^insertMode:\s*["']?(\w*)$/, /^\w*/, () => modeItems)
  );
}

/** The keys that aren't used yet, and the one at the cursor. */
function keysFor(word: string, frontMatter: string): Completion[] {
  const taken = new Set(Array.from(frontMatter.matchAll(/^(\w+)\s*:/gm), ([, name]) => name));
  taken.delete(word.replace(/: ?$/, ''));
  const free = FIELD_NAMES.filter((name) => !taken.has(name));
  return free.map((name) => ({ kind: 'key', label: name, newText: `${name}: ` }));
}
