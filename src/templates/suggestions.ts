import type { TextSpan } from './templateIssues.ts';
import { FIELD_NAMES, splitTemplate } from './templateText.ts';
import { INPUT, VARIABLES } from './variables.ts';

/** What can be written at a place of a template file. Pure. */

export interface Suggestion {
  readonly kind: 'variable' | 'question' | 'key' | 'mode';
  readonly label: string;
  /** With a place to type at as `${1:…}` where the kind is `question`. */
  readonly newText: string;
}

export interface Suggestions {
  readonly items: readonly Suggestion[];
  /** What they take the place of. */
  readonly replaced: TextSpan;
}

/** Undefined where nothing of ours belongs. */
export function suggestionsAt(
  text: string,
  offset: number,
  modes: readonly string[],
): Suggestions | undefined {
  const { frontMatter, isClosed } = splitTemplate(text);
  const end = frontMatter ? frontMatter.offset + frontMatter.length : 0;
  const isBeforeEnd = isClosed ? offset < end : offset <= end;
  const isInFront = frontMatter !== undefined && offset >= frontMatter.offset && isBeforeEnd;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  const after = text.slice(offset).split(/\r?\n/, 1)[0] ?? '';
  if (!isInFront) return variablesAt(before, after, offset);
  const written = text.slice(frontMatter.offset, end);
  return keysAt(before, after, offset, written) ?? modesAt(before, after, offset, modes);
}

function variablesAt(before: string, after: string, offset: number): Suggestions | undefined {
  const typed = /(?<!\\)(?:\\\\)*\$\{([^}$]*)$/.exec(before)?.[1];
  if (typed === undefined) return undefined;
  // The editor has most likely closed the brace already; without one a word is of the prompt.
  const rest = /^[\w:]*\}/.exec(after)?.[0] ?? '';
  const items: Suggestion[] = VARIABLES.map((name) => ({
    kind: 'variable',
    label: name,
    newText: `${name}}`,
  }));
  items.push({
    kind: 'question',
    label: `${INPUT}question`,
    newText: `${INPUT}\${1:question}\\}`,
  });
  return { items, replaced: around(offset, typed, rest) };
}

function keysAt(
  before: string,
  after: string,
  offset: number,
  frontMatter: string,
): Suggestions | undefined {
  if (!/^\w*$/.test(before)) return undefined;
  const rest = /^\w*(?:: ?)?/.exec(after)?.[0] ?? '';
  const isHere = (name: string) => before + rest.replace(/: ?$/, '') === name;
  const taken = new Set(Array.from(frontMatter.matchAll(/^(\w+)\s*:/gm), ([, name]) => name));
  const items = FIELD_NAMES.filter((name) => isHere(name) || !taken.has(name)).map(
    (name): Suggestion => ({ kind: 'key', label: name, newText: `${name}: ` }),
  );
  return { items, replaced: around(offset, before, rest) };
}

function modesAt(
  before: string,
  after: string,
  offset: number,
  modes: readonly string[],
): Suggestions | undefined {
  const typed = /^insertMode:\s*["']?(\w*)$/.exec(before)?.[1];
  if (typed === undefined) return undefined;
  const rest = /^\w*/.exec(after)?.[0] ?? '';
  const items = modes.map((mode): Suggestion => ({ kind: 'mode', label: mode, newText: mode }));
  return { items, replaced: around(offset, typed, rest) };
}

function around(offset: number, before: string, after: string): TextSpan {
  return { offset: offset - before.length, length: before.length + after.length };
}
