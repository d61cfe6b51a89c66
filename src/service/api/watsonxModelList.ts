import * as v from 'valibot';
import { MODEL_ID } from '../modelId.ts';
import { check, shape, tokenLimit, validEntries } from '../schemaHelpers.ts';
import { MAX_MODELS, type ModelPage } from './modelTypes.ts';

/**
 * Reads model lists in the default service's format. The schemas are based on a recorded response.
 */

/** The maximum number of items to read from each list in a model's entry. */
const MAX_ITEMS_PER_FIELD = 20;

const text = v.fallback(v.string(), '');
const id = v.pipe(v.string(), v.regex(MODEL_ID));

const stage = shape({
  id: v.string(),
  start_date: text,
  alternative_model_ids: listOf(id),
});

// Only the ID has to be valid. Invalid values in other fields are treated as missing.
const model = shape({
  model_id: id,
  label: text,
  provider: text,
  short_description: text,
  functions: listOf(shape({ id: v.string() })),
  task_ids: listOf(v.string()),
  model_limits: v.fallback(
    shape({ max_sequence_length: tokenLimit, max_output_tokens: tokenLimit }),
    {},
  ),
  lifecycle: listOf(stage),
});

const modelList = shape({
  resources: v.custom<readonly unknown[]>(Array.isArray),
  next: v.fallback(v.optional(shape({ href: v.string() })), undefined),
});

/**
 * Reads one page of the model list. Drops entries that aren't valid models.
 * @param date the `Date` header of the response
 * @param most the maximum number of entries to read
 * @throws {ServiceError} `unexpected-answer`
 */
export function readModels(json: unknown, date: string | undefined, most = MAX_MODELS): ModelPage {
  const { resources, next } = check(modelList, json);
  const asOf = dayOf(date);
  const models = validEntries(model, resources, most).map((each) => ({
    id: each.model_id,
    label: each.label || each.model_id,
    provider: each.provider,
    description: each.short_description,
    contextLength: each.model_limits.max_sequence_length,
    maxOutputTokens: each.model_limits.max_output_tokens,
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

/**
 * Creates a schema for an optional list. The schema drops invalid items and all items after the
 * first `MAX_ITEMS_PER_FIELD`.
 */
function listOf<Schema extends v.GenericSchema>(schema: Schema) {
  const validItems = (list: unknown) =>
    Array.isArray(list) ? validEntries(schema, list, MAX_ITEMS_PER_FIELD) : [];
  return v.pipe(v.optional(v.unknown(), []), v.transform(validItems));
}

function dayOf(date: string | undefined): string | undefined {
  const day = new Date(Date.parse(date ?? ''));
  return Number.isNaN(day.getTime()) ? undefined : day.toISOString().slice(0, 10);
}
