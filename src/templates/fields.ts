import * as v from 'valibot';
import {
  PARAMETER_RANGES,
  type Parameters,
  parameterProblem,
} from '../service/generation/parameters.ts';
import type { Operation } from '../service/vendors.ts';
import type { TemplateFlaw } from './flaws.ts';
import { nearest } from './nearest.ts';
import type { Template } from './template.ts';
import { checkedName } from './templateName.ts';

/** What can be said about a template beside its prompt: in front matter and in the setting. Pure. */

export const FIELD_NAMES = [
  'name',
  'insertMode',
  'answerLanguage',
  'model',
  'languages',
  'parameters',
] as const;
export type FieldName = (typeof FIELD_NAMES)[number];

/** What some fields are read against. */
export interface FieldContext {
  /** Ids of every insert mode. */
  readonly insertModes: readonly string[];
  /** The one that the settings choose: each takes parameters of its own. */
  readonly operation: Operation;
}

export type Fields = Partial<Omit<Template, 'prompt' | 'origin'>>;

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());
const texts = v.union([
  v.pipe(
    text,
    v.transform((one) => [one]),
  ),
  v.pipe(v.array(text), v.nonEmpty()),
]);
const record = v.pipe(
  v.unknown(),
  v.check((value) => !Array.isArray(value)),
  // Leaves out keys such as `__proto__`.
  v.record(v.string(), v.unknown()),
);

type Reader = (value: unknown, context: FieldContext) => Fields | TemplateFlaw;

const READERS: Readonly<Record<FieldName, Reader>> = {
  name: (value) => {
    if (typeof value !== 'string') return { kind: 'wrong-type', name: 'name', expected: 'text' };
    const name = checkedName(value);
    return name === undefined ? { kind: 'bad-name' } : { name };
  },
  insertMode: (value, { insertModes: modes }) => {
    const found = v.safeParse(text, value);
    if (!found.success) return { kind: 'wrong-type', name: 'insertMode', expected: 'text' };
    if (modes.includes(found.output)) return { insertMode: found.output };
    const near = nearest(found.output, modes);
    return { kind: 'unknown-insert-mode', modes, ...(near && { nearest: near }) };
  },
  answerLanguage: (value) => {
    const found = v.safeParse(text, value);
    if (!found.success) return { kind: 'wrong-type', name: 'answerLanguage', expected: 'text' };
    return { answerLanguage: found.output };
  },
  model: (value) => {
    const found = v.safeParse(text, value);
    if (!found.success) return { kind: 'wrong-type', name: 'model', expected: 'text' };
    return { modelId: found.output };
  },
  languages: (value) => {
    const found = v.safeParse(texts, value);
    if (!found.success) return { kind: 'wrong-type', name: 'languages', expected: 'texts' };
    return { languages: found.output };
  },
  parameters: (value, { operation }) => {
    const found = v.safeParse(record, value);
    if (!found.success) return { kind: 'wrong-type', name: 'parameters', expected: 'fields' };
    return parameterFlaw(operation, found.output) ?? { parameters: found.output };
  },
};

/** One field as it is used, or what is wrong with it. Without a value it counts as absent. */
export function readField(
  key: string,
  value: unknown,
  context: FieldContext,
): Fields | TemplateFlaw {
  const known = FIELD_NAMES.find((name) => name === key);
  if (known) return value === null || value === undefined ? {} : READERS[known](value, context);
  const near = nearest(key, FIELD_NAMES);
  return { kind: 'unknown-key', name: key, ...(near && { nearest: near }) };
}

/** What two of them say to each other is judged with those of the settings, when they are sent. */
function parameterFlaw(operation: Operation, parameters: Parameters): TemplateFlaw | undefined {
  for (const name of Object.keys(parameters).filter((each) => !PARAMETER_NAMES.includes(each))) {
    // One that is like none of ours may be one of the service.
    const near = nearest(name, PARAMETER_NAMES);
    if (near) return { kind: 'unknown-parameter', name, nearest: near };
  }
  const details = parameterProblem(operation, parameters)?.details;
  return !details || details.names?.[1] !== undefined
    ? undefined
    : { kind: 'bad-parameter', details };
}

const PARAMETER_NAMES = Object.values(PARAMETER_RANGES).flatMap((ranges) => [...ranges.keys()]);
