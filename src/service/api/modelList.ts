import * as v from 'valibot';
import { safeWord } from '../errors.ts';
import { check, count, shape } from '../responseSchemas.ts';
import type { Operation } from '../services.ts';
import { MODEL_ID } from './modelId.ts';

/** The shapes of the model list, checked where it enters. Source: the recording of the list. */

export interface Model {
  readonly id: string;
  readonly label: string;
  readonly provider: string;
  readonly description: string;
  /** Tokens of prompt and answer together; undefined where the list does not say. */
  readonly contextLength?: number | undefined;
  /** The most new tokens of one answer; undefined where the list does not say. */
  readonly maxOutputTokens?: number | undefined;
  /** The class that tokens of a prompt are billed by, a short word such as `class_12`. */
  readonly inputTier?: string | undefined;
  /** The same for the tokens of an answer. */
  readonly outputTier?: string | undefined;
  /** What it can be asked for, such as `text_chat` or `image_chat`. */
  readonly functions: readonly string[];
  /** What it is good at, such as `function_calling`. */
  readonly tasks: readonly string[];
  readonly lifecycle: readonly LifecycleStage[];
  /** The day of this answer by the service's clock, YYYY-MM-DD; undefined where it did not say. */
  readonly asOf?: string | undefined;
}

/** `available`, `deprecated`, `withdrawn`, … from an ISO date on. */
export interface LifecycleStage {
  readonly stage: string;
  readonly from: string;
  readonly alternatives: readonly string[];
}

/** The models that a service lists, as far as a person can pick from them. */
export interface ModelList {
  readonly models: readonly Model[];
  /** Whether the service lists more than what was looked at. */
  readonly hasMore: boolean;
}

/** What the list calls an operation, among the functions of a model. */
export function functionOf(operation: Operation): string {
  return operation === 'chat' ? 'text_chat' : 'text_generation';
}

/** One page of it. */
export interface ModelPage extends ModelList {
  /** The address of the next page, as the service says it. */
  readonly next: string | undefined;
}

/** Entries of a list that are looked at. The rest is left out before it is checked. */
export const MOST_MODELS = 1_000;

/** The same for the lists within an entry, of which a service has a handful each. */
const MOST_PARTS = 20;

const text = v.fallback(v.string(), '');
/** 0 stands for a limit that is not known. */
const limit = v.fallback(v.optional(v.pipe(count, v.minValue(1))), undefined);
const id = v.pipe(v.string(), v.regex(MODEL_ID));

const stage = shape({
  id: v.string(),
  start_date: text,
  alternative_model_ids: listOf(id),
});

// The id is relied on. Nonsense in anything else is as good as nothing.
const model = shape({
  model_id: id,
  label: text,
  provider: text,
  short_description: text,
  input_tier: v.optional(v.unknown()),
  output_tier: v.optional(v.unknown()),
  functions: listOf(shape({ id: v.string() })),
  task_ids: listOf(v.string()),
  model_limits: v.fallback(shape({ max_sequence_length: limit, max_output_tokens: limit }), {}),
  lifecycle: listOf(stage),
});

const modelList = shape({
  resources: v.custom<readonly unknown[]>(Array.isArray),
  next: v.fallback(v.optional(shape({ href: v.string() })), undefined),
});

/**
 * One page of the model list. What is no model is left out.
 * @param date the `Date` header of the answer
 * @param most how many of its entries are looked at
 * @throws {ServiceError} `unexpected-answer`
 */
export function readModels(json: unknown, date: string | undefined, most = MOST_MODELS): ModelPage {
  const { resources, next } = check(modelList, json);
  const asOf = dayOf(date);
  const models = legible(model, resources, most).map((each) => ({
    id: each.model_id,
    label: each.label || each.model_id,
    provider: each.provider,
    description: each.short_description,
    contextLength: each.model_limits.max_sequence_length,
    maxOutputTokens: each.model_limits.max_output_tokens,
    inputTier: safeWord(each.input_tier),
    outputTier: safeWord(each.output_tier),
    functions: each.functions.map((one) => one.id),
    tasks: each.task_ids,
    lifecycle: each.lifecycle.map((one) => ({
      stage: one.id,
      from: one.start_date,
      alternatives: one.alternative_model_ids,
    })),
    asOf,
  }));
  return { models, hasMore: resources.length > most, next: next?.href };
}

/** A list of which only the legible entries count. */
function listOf<Schema extends v.GenericSchema>(schema: Schema) {
  const legibleOf = (list: unknown) =>
    Array.isArray(list) ? legible(schema, list, MOST_PARTS) : [];
  return v.pipe(v.optional(v.unknown(), []), v.transform(legibleOf));
}

/** The legible ones of the first entries. */
export function legible<Schema extends v.GenericSchema>(
  schema: Schema,
  list: readonly unknown[],
  most: number,
) {
  return list.slice(0, most).flatMap((entry) => {
    const result = v.safeParse(schema, entry);
    return result.success ? [result.output] : [];
  });
}

function dayOf(date: string | undefined): string | undefined {
  const day = new Date(Date.parse(date ?? ''));
  return Number.isNaN(day.getTime()) ? undefined : day.toISOString().slice(0, 10);
}
