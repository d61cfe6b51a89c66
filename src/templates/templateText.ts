import type { Uri } from 'vscode';
import { type FieldContext, type Fields, readField } from './fields.ts';
import { errorAt, errorOfAll, type TemplateProblem, type TextSpan } from './flaws.ts';
import type { TemplateEntry } from './template.ts';
import { checkedName, shownPart } from './templateName.ts';
import { promptProblems } from './variables.ts';

/** Reads the text of a template file: front matter between two lines of `---`, then the prompt. */

/** Far more than a prompt needs, in bytes. */
export const TEMPLATE_LIMIT_BYTES = 65_536;

export interface TemplateReading {
  readonly fields: Fields;
  /** Without the front matter, with `\n` as its line ends, trimmed. */
  readonly prompt: string;
  /** In no order; places are counted from the start of the file. */
  readonly problems: readonly TemplateProblem[];
}

/** The parts of a file. Of front matter that has no end the prompt is empty. */
export interface TemplateParts {
  readonly frontMatter: TextSpan | undefined;
  readonly isClosed: boolean;
  readonly prompt: TextSpan;
}

export function splitTemplate(text: string): TemplateParts {
  const opening = /^---[ \t]*\r?(?:\n|$)/.exec(text)?.[0].length;
  if (opening === undefined) {
    return { frontMatter: undefined, isClosed: true, prompt: trimmed(text, 0) };
  }
  const closing = /^---[ \t]*$/gm;
  closing.lastIndex = opening;
  const found = closing.exec(text);
  const end = found?.index ?? text.length;
  return {
    frontMatter: { offset: opening, length: end - opening },
    isClosed: found !== null,
    prompt: trimmed(text, found ? end + found[0].length : end),
  };
}

export async function readTemplateText(
  text: string,
  context: FieldContext,
): Promise<TemplateReading> {
  if (Buffer.byteLength(text) > TEMPLATE_LIMIT_BYTES) return unread({ kind: 'too-large' });
  if (text.includes('\0')) return unread({ kind: 'not-text' });
  const { frontMatter, isClosed, prompt } = splitTemplate(text);
  if (!isClosed) return unread({ kind: 'unclosed-front-matter' }, { offset: 0, length: 3 });
  const body = text.slice(prompt.offset, prompt.offset + prompt.length);
  const problems = promptProblems(body).map((problem) => moved(problem, prompt.offset));
  if (body === '') problems.push(errorAt({ kind: 'no-prompt' }, prompt));
  const head = frontMatter && (await readHead(text, frontMatter, context));
  return {
    fields: head?.fields ?? {},
    prompt: body.replaceAll('\r\n', '\n'),
    problems: [...(head?.problems ?? []), ...problems],
  };
}

/** A file as an entry of the list. Its name is that of the file where the front matter has none. */
export function entryOf(
  { fields, prompt, problems }: TemplateReading,
  { fileName, origin, file }: { readonly fileName: string; origin: string; file: Uri },
): TemplateEntry {
  const ownName = fields.name ?? checkedName(fileName);
  const unnamed = ownName === undefined ? [errorOfAll({ kind: 'bad-name' })] : [];
  const [first, ...others] = [...problems.filter(({ isError }) => isError), ...unnamed];
  const name = ownName ?? shownPart(fileName);
  if (first) return { name, origin, problems: [first, ...others], file };
  return { ...fields, name, prompt, origin };
}

async function readHead(
  text: string,
  { offset, length }: TextSpan,
  context: FieldContext,
): Promise<Omit<TemplateReading, 'prompt'>> {
  // Files without it need no YAML.
  const { readFrontMatter } = await import('./frontMatter.ts');
  const read = readFrontMatter(text.slice(offset, offset + length));
  if (!read.ok) return { fields: {}, problems: [moved(errorAt(read.flaw, read.span), offset)] };
  const problems: TemplateProblem[] = [];
  let fields: Fields = {};
  for (const { key, value, keySpan, valueSpan } of read.entries) {
    const field = readField(key, value, context);
    if (!('kind' in field)) fields = { ...fields, ...field };
    else {
      const isUnknown = field.kind === 'unknown-key';
      const problem = moved(errorAt(field, isUnknown ? keySpan : valueSpan), offset);
      problems.push({ ...problem, isError: !isUnknown });
    }
  }
  return { fields, problems };
}

function unread(
  flaw: TemplateProblem['flaw'],
  span: TextSpan = { offset: 0, length: 0 },
): TemplateReading {
  return { fields: {}, prompt: '', problems: [errorAt(flaw, span)] };
}

function moved(problem: TemplateProblem, by: number): TemplateProblem {
  return { ...problem, offset: problem.offset + by };
}

/** What is left from here on without the blanks around it. */
function trimmed(text: string, from: number): TextSpan {
  const rest = text.slice(from);
  const length = rest.trim().length;
  return { offset: from + rest.length - rest.trimStart().length, length };
}
