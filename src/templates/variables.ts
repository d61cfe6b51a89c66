import { errorOf, type TemplateIssue, type TemplateIssueDetails } from './templateMessages.ts';

/**
 * Parses the variables in prompts: `${selection}`, `${language}`, `${fileName}`, and
 * `${input:question}`. A variable can't span lines. `\${` stands for a literal `${`, and `\\${` for
 * a backslash followed by a variable.
 */

export const VARIABLES = ['selection', 'language', 'fileName'] as const;
export type Variable = (typeof VARIABLES)[number];

/** The prefix of a variable that prompts the user. */
export const INPUT = 'input:';

export type PromptValues = Readonly<Record<Variable, string>> & {
  /** The user's answers, keyed by question. */
  readonly inputs: ReadonlyMap<string, string>;
};

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: Variable }
  | { readonly kind: 'input'; readonly question: string }
  | { readonly kind: 'issue'; readonly text: string; readonly issue: TemplateIssue };

/** Returns the issues with a prompt's variables. Offsets are relative to the prompt's start. */
export function promptIssues(prompt: string): TemplateIssue[] {
  return partsOf(prompt).flatMap((part) => (part.kind === 'issue' ? [part.issue] : []));
}

/** Returns the questions in a prompt, in order and without duplicates. */
export function questionsOf(prompt: string): string[] {
  const questions = partsOf(prompt).flatMap((part) =>
    part.kind === 'input' ? [part.question] : [],
  );
  return [...new Set(questions)];
}

/**
 * Returns the first line of a prompt for display. Replaces `${language}` with the language ID, and
 * all other variables with an ellipsis.
 * @param languageId VS Code language ID
 */
export function outlineOf(prompt: string, languageId: string): string {
  const [firstLine = ''] = prompt.split('\n', 1);
  return partsOf(firstLine)
    .map((part) => {
      if (part.kind === 'text') return part.text;
      return part.kind === 'variable' && part.name === 'language' ? languageId : '…';
    })
    .join('')
    .replaceAll('….', '…');
}

/** True if the prompt contains `${selection}`. */
export function needsSelection({ prompt }: { readonly prompt: string }): boolean {
  return partsOf(prompt).some((part) => part.kind === 'variable' && part.name === 'selection');
}

/**
 * Returns the text to send. Inserts all values in one pass, so variables in the values aren't
 * expanded. Leaves invalid variables unchanged. If the prompt doesn't contain `${selection}`,
 * appends the selection after an empty line, because users expect selected text to be sent. Doesn't
 * append a selection that contains only whitespace.
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

/** Matches a variable or an escaped `${`, and any pairs of backslashes before it. */
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
  // The end of an unclosed variable is unknown, so only its `${` is underlined.
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
