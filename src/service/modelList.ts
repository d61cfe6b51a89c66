import * as v from 'valibot';
import { safeWord } from './errors.ts';
import { check, count } from './wire.ts';

/** The shapes of the model list, checked where it enters. Source: the recording of the list. */

export interface Model {
  readonly id: string;
  readonly label: string;
  readonly provider: string;
  readonly description: string;
  /** Tokens of prompt and answer together; undefined where the list does not say. */
  readonly contextLength: number | undefined;
  /** The most new tokens of one answer; undefined where the list does not say. */
  readonly maxOutputTokens: number | undefined;
  /** The class that tokens of a prompt are billed by, a short word such as `class_12`. */
  readonly inputTier: string | undefined;
  /** The same for the tokens of an answer. */
  readonly outputTier: string | undefined;
  readonly functions: readonly string[];
  readonly lifecycle: readonly LifecycleStage[];
  /** The day of this answer by the service's clock, YYYY-MM-DD; undefined where it did not say. */
  readonly asOf: string | undefined;
}

/** `available`, `deprecated`, `withdrawn`, … from an ISO date on. */
export interface LifecycleStage {
  readonly stage: string;
  readonly from: string;
  readonly alternatives: readonly string[];
}

/** What an id of a model may be, so that it is safe to show anywhere. */
const MODEL_ID = /^[\w./:-]{1,128}$/;

const text = v.fallback(v.string(), '');
/** 0 stands for a limit that is not known. */
const limit = v.fallback(v.optional(v.pipe(count, v.minValue(1))), undefined);
const id = v.pipe(v.string(), v.regex(MODEL_ID));

const stage = v.object({
  id: v.string(),
  start_date: text,
  alternative_model_ids: listOf(id),
});

// The id is relied on. Nonsense in anything else is as good as nothing.
const model = v.object({
  model_id: id,
  label: text,
  provider: text,
  short_description: text,
  input_tier: v.optional(v.unknown()),
  output_tier: v.optional(v.unknown()),
  functions: listOf(v.object({ id: v.string() })),
  model_limits: v.fallback(v.object({ max_sequence_length: limit, max_output_tokens: limit }), {}),
  lifecycle: listOf(stage),
});

const modelList = v.object({
  resources: v.array(v.unknown()),
  next: v.fallback(v.optional(v.object({ href: v.string() })), undefined),
});

/**
 * One page of the model list. What is no model is left out.
 * @param date the `Date` header of the answer
 * @throws {ServiceError} `unexpected-answer`
 */
export function readModels(
  json: unknown,
  date: string | undefined,
): { models: Model[]; next: string | undefined } {
  const { resources, next } = check(modelList, json);
  const asOf = dayOf(date);
  const models = legible(model, resources).map((each) => ({
    id: each.model_id,
    label: each.label || each.model_id,
    provider: each.provider,
    description: each.short_description,
    contextLength: each.model_limits.max_sequence_length,
    maxOutputTokens: each.model_limits.max_output_tokens,
    inputTier: safeWord(each.input_tier),
    outputTier: safeWord(each.output_tier),
    functions: each.functions.map((one) => one.id),
    lifecycle: each.lifecycle.map((one) => ({
      stage: one.id,
      from: one.start_date,
      alternatives: one.alternative_model_ids,
    })),
    asOf,
  }));
  return { models, next: next?.href };
}

/** A list of which only the legible entries count. */
function listOf<Schema extends v.GenericSchema>(schema: Schema) {
  const legibleOf = (list: unknown) => (Array.isArray(list) ? legible(schema, list) : []);
  return v.pipe(v.optional(v.unknown(), []), v.transform(legibleOf));
}

function legible<Schema extends v.GenericSchema>(schema: Schema, list: readonly unknown[]) {
  return list.flatMap((entry) => {
    const result = v.safeParse(schema, entry);
    return result.success ? [result.output] : [];
  });
}

function dayOf(date: string | undefined): string | undefined {
  const day = new Date(Date.parse(date ?? ''));
  return Number.isNaN(day.getTime()) ? undefined : day.toISOString().slice(0, 10);
}
