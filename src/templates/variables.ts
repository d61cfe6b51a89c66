import { errorOf, type TemplateIssue, type TemplateIssueDetails } from './templateMessages.ts';

/**
 * The variables of a prompt: `${selection}`, `${language}`, `${fileName}`, and `${input:question}`.
 * A backslash makes `${` plain text. Two backslashes are one backslash before a variable. A
 * variable ends on the line on which it starts. Pure.
 */

export const VARIABLES = ['selection', 'language', 'fileName'] as const;
export type Variable = (typeof VARIABLES)[number];

/** The prefix of a variable that prompts the user. */
export const INPUT = 'input:';

/** The values of the variables. */
export type PromptValues = Readonly<Record<Variable, string>> & {
  /** The user's input by question. */
  readonly inputs: ReadonlyMap<string, string>;
};

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: Variable }
  | { readonly kind: 'input'; readonly question: string }
  | { readonly kind: 'issue'; readonly text: string; readonly issue: TemplateIssue };

/** Returns the issues of a prompt's variables, with offsets relative to its start. */
export function promptIssues(prompt: string): TemplateIssue[] {
  return partsOf(prompt).flatMap((part) => (part.kind === 'issue' ? [part.issue] : []));
}

/** Returns the questions of a prompt in order, without duplicates. */
export function questionsOf(prompt: string): string[] {
  const asked = partsOf(prompt).flatMap((part) => (part.kind === 'input' ? [part.question] : []));
  return [...new Set(asked)];
}

/** True if the template needs a selection, because its prompt contains `${selection}`. */
export function needsSelection({ prompt }: { readonly prompt: string }): boolean {
  return partsOf(prompt).some((part) => part.kind === 'variable' && part.name === 'selection');
}

/**
 * Returns the text to send. Values are inserted in one pass, so variables in them aren't expanded.
 * A selection without a variable is appended after an empty line, because a user who selects text
 * expects it to be sent. Invalid variables stay as written.
 */
export function fillPrompt(prompt: string, values: PromptValues): string {
  const filled = partsOf(prompt).map((part) => {
    if (part.kind === 'variable') return values[part.name];
    if (part.kind === 'input') return values.inputs.get(part.question) ?? '';
    return part.text;
  });
  const isLeftOver = values.selection.trim() !== '' && !needsSelection({ prompt });
  return filled.join('') + (isLeftOver ? `\n\n${values.selection}` : '');
}

/** Pairs of backslashes, then a variable or an escaped `${`. */
const VARIABLE = /(?<!\\)((?:\\\\)*)(?:\\\$\{|\$\{([^}\r\n]*)(\}?))/g;

function partsOf(prompt: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const found of prompt.matchAll(VARIABLE)) {
    const [whole, slashes = '', inner, brace] = found;
    const offset = found.index + slashes.length;
    const before = prompt.slice(end, found.index) + slashes.slice(slashes.length / 2);
    if (before !== '') parts.push({ kind: 'text', text: before });
    end = found.index + whole.length;
    parts.push(
      inner === undefined
        ? { kind: 'text', text: '${' }
        : partOf(whole.slice(slashes.length), inner, { isClosed: brace !== '', offset }),
    );
  }
  if (end < prompt.length) parts.push({ kind: 'text', text: prompt.slice(end) });
  return parts;
}

function partOf(
  text: string,
  inner: string,
  { isClosed, offset }: { readonly isClosed: boolean; readonly offset: number },
): Part {
  // The end of an unclosed variable is unknown, so only its start is marked.
  const span = { offset, length: isClosed ? text.length : '${'.length };
  const wrong = (details: TemplateIssueDetails): Part => ({
    kind: 'issue',
    text,
    issue: errorOf(details, span),
  });
  if (!isClosed) return wrong({ kind: 'unclosed-variable' });
  const variable = VARIABLES.find((name) => name === inner);
  if (variable) return { kind: 'variable', name: variable };
  if (inner.startsWith(INPUT)) {
    const question = inner.slice(INPUT.length).trim();
    return question === '' ? wrong({ kind: 'no-question' }) : { kind: 'input', question };
  }
  return wrong({ kind: 'unknown-variable', name: inner });
}
