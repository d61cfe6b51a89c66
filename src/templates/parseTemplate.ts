import * as v from 'valibot';
import { parameterProblem, unknownParameters } from '../service/api/parameterChecks.ts';
import type { Parameters } from '../service/api/parameters.ts';
import type { Operation } from '../service/apiCapabilities.ts';
import { type FrontMatterEntry, readFrontMatter } from './frontMatter.ts';
import type { BrokenTemplate, Template, TemplateEntry } from './template.ts';
import {
  type Expected,
  errorOf,
  NO_SPAN,
  TEMPLATE_LIMIT_BYTES,
  type TemplateIssue,
  type TemplateIssueDetails,
  type TextSpan,
} from './templateMessages.ts';
import { checkedName, displayName } from './templateNames.ts';
import { promptIssues } from './variables.ts';

/**
 * Reads template files and validates their fields. A file can start with front matter between two
 * `---` lines. The rest is the prompt. Templates in the settings have the same fields.
 */

export interface FieldContext {
  /** IDs of all insert modes. */
  readonly insertModes: readonly string[];
  /** The operation in the settings. It determines which parameters are valid. */
  readonly operation: Operation;
}

type TextFields = Partial<Omit<Template, 'prompt' | 'origin'>>;

export interface TemplateReading {
  readonly fields: TextFields;
  /** The prompt, trimmed and with `\n` line endings. */
  readonly prompt: string;
  /**
   * The issues, in no particular order. In a template file, offsets are relative to the start of
   * the file.
   */
  readonly issues: readonly TemplateIssue[];
}

/** The parts of a template file. If the front matter isn't closed, the prompt is empty. */
interface TemplateParts {
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
  if (Buffer.byteLength(text) > TEMPLATE_LIMIT_BYTES) return failedReading({ kind: 'too-large' });
  if (text.includes('\0')) return failedReading({ kind: 'not-text' });
  const { frontMatter, isClosed, prompt } = splitTemplate(text);
  if (!isClosed) return failedReading({ kind: 'unclosed-front-matter' }, { offset: 0, length: 3 });
  const body = text.slice(prompt.offset, prompt.offset + prompt.length);
  const issues = promptIssues(body).map((issue) => withOffset(issue, prompt.offset));
  if (body === '') issues.push(errorOf({ kind: 'no-prompt' }, prompt));
  const head = frontMatter && (await readHead(text, frontMatter, context));
  return {
    fields: head?.fields ?? {},
    prompt: body.replaceAll('\r\n', '\n'),
    issues: [...(head?.issues ?? []), ...issues],
  };
}

/**
 * Creates a template. If there is an error or no valid name, creates a broken template instead.
 * Ignores warnings.
 * @param place the origin and the file; `otherName` is used if the template has no valid name of
 * its own
 */
export function entryOf(
  { fields, prompt, issues }: TemplateReading,
  {
    otherName: fallbackName,
    ...place
  }: Pick<BrokenTemplate, 'origin' | 'file'> & { otherName: string },
): TemplateEntry {
  const name = fields.name ?? checkedName(fallbackName);
  const error = issues.find(({ isError }) => isError);
  if (!error && name !== undefined) return { ...fields, name, prompt, origin: place.origin };
  const issue = error ?? errorOf({ kind: 'bad-name' });
  return { ...place, name: name ?? displayName(fallbackName), issue };
}

async function readHead(
  text: string,
  { offset, length }: TextSpan,
  context: FieldContext,
): Promise<Omit<TemplateReading, 'prompt'>> {
  const read = readFrontMatter(text.slice(offset, offset + length));
  if (!read.ok)
    return { fields: {}, issues: [withOffset(errorOf({ kind: read.kind }, read.span), offset)] };
  const { fields, issues } = readFields(read.entries, context);
  return { fields, issues: issues.map((issue) => withOffset(issue, offset)) };
}

export function failedReading(details: TemplateIssueDetails, span = NO_SPAN): TemplateReading {
  return { fields: {}, prompt: '', issues: [errorOf(details, span)] };
}

function withOffset(issue: TemplateIssue, by: number): TemplateIssue {
  return { ...issue, offset: issue.offset + by };
}

/** Returns the span from an offset to the end of the text, without surrounding whitespace. */
function trimmed(text: string, from: number): TextSpan {
  const rest = text.slice(from);
  const length = rest.trim().length;
  return { offset: from + rest.length - rest.trimStart().length, length };
}

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());
const one = v.pipe(
  text,
  v.transform((only) => [only]),
);
const SCHEMAS = {
  text,
  texts: v.union([one, v.pipe(v.array(text), v.nonEmpty())]),
  fields: v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value)),
    // `v.record` drops keys that could change a prototype, such as `__proto__`.
    v.record(v.string(), v.unknown()),
  ),
};

type Reader = (
  value: unknown,
  context: FieldContext,
  name: string,
) => TextFields | TemplateIssueDetails;

/**
 * Creates a function that checks the type of a field and reads its value.
 * @param use converts a value of the expected type to template fields, or returns an issue
 */
function field<Type extends Expected>(
  expected: Type,
  use: (
    value: v.InferOutput<(typeof SCHEMAS)[Type]>,
    context: FieldContext,
  ) => TextFields | TemplateIssueDetails,
): Reader {
  return (value, context, name) => {
    const found = v.safeParse(SCHEMAS[expected], value);
    return found.success ? use(found.output, context) : { kind: 'wrong-type', name, expected };
  };
}

const READERS: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    name: (value) => {
      if (typeof value !== 'string') return { kind: 'wrong-type', name: 'name', expected: 'text' };
      const name = checkedName(value);
      return name === undefined ? { kind: 'bad-name' } : { name };
    },
    insertMode: field('text', (insertMode, { insertModes: modes }) => {
      if (modes.includes(insertMode)) return { insertMode };
      return { kind: 'unknown-insert-mode', modes };
    }),
    responseLanguage: field('text', (responseLanguage) => ({ responseLanguage })),
    model: field('text', (modelId) => ({ modelId })),
    languages: field('texts', (languages) => ({ languages })),
    parameters: field(
      'fields',
      (parameters, { operation }) => parameterIssue(operation, parameters) ?? { parameters },
    ),
  }),
);

export const FIELD_NAMES: readonly string[] = [...READERS.keys()];

/** Returns the valid fields, and an issue for each invalid or unknown field or parameter. */
export function readFields(
  entries: readonly FrontMatterEntry[],
  context: FieldContext,
): Omit<TemplateReading, 'prompt'> {
  const issues: TemplateIssue[] = [];
  let fields: TextFields = {};
  for (const { key, value, keySpan, valueSpan } of entries) {
    const field = readField(key, value, context);
    // An unknown key or parameter is only a warning, because the template works without it.
    if (!('kind' in field)) {
      fields = { ...fields, ...field };
      for (const name of unknownParameters(context.operation, field.parameters ?? {}))
        issues.push({ ...errorOf({ kind: 'unknown-parameter', name }, valueSpan), isError: false });
    } else if (field.kind === 'unknown-key')
      issues.push({ ...errorOf(field, keySpan), isError: false });
    else issues.push(errorOf(field, valueSpan));
  }
  return { fields, issues };
}

/** Reads one field. Returns no fields if a known key has no value. */
function readField(
  key: string,
  value: unknown,
  context: FieldContext,
): TextFields | TemplateIssueDetails {
  const read = READERS.get(key);
  if (!read) return { kind: 'unknown-key', name: key };
  return value === null || value === undefined ? {} : read(value, context, key);
}

/**
 * Returns an issue for the first parameter that is invalid on its own. Conflicts between parameters
 * are checked when a request is sent, because the parameters from the settings aren't merged in
 * until then.
 */
function parameterIssue(
  operation: Operation,
  parameters: Parameters,
): TemplateIssueDetails | undefined {
  const details = parameterProblem(operation, parameters)?.details;
  return !details || details.names?.[1] !== undefined
    ? undefined
    : { kind: 'bad-parameter', details };
}
