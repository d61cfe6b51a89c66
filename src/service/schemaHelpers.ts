import * as v from 'valibot';
import { ServiceError } from './errors.ts';

/**
 * Helpers for response schemas. A schema lists only the fields that the code uses, and ignores all
 * other fields.
 */

/**
 * Creates an object schema. valibot reads the entries in a `for…in` loop, so they're copied to an
 * object without a prototype. Otherwise, valibot would fail for every response if another
 * extension added an enumerable property to `Object.prototype`.
 */
export function shape<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.object<Entries>(Object.assign(Object.create(null), entries));
}

/** A schema for counts: non-negative safe integers, which JavaScript represents exactly. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Parses JSON. Returns undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Validates a response and returns its fields.
 * @throws {ServiceError} `unexpected-answer` if the response is invalid
 */
export function check<Schema extends v.GenericSchema>(schema: Schema, json: unknown) {
  const result = v.safeParse(schema, json);
  if (!result.success) throw new ServiceError('unexpected-answer');
  return result.output;
}

/** Returns the valid entries among the first `most` entries. */
export function validEntries<Schema extends v.GenericSchema>(
  schema: Schema,
  list: readonly unknown[],
  most: number,
) {
  return list.slice(0, most).flatMap((entry) => {
    const result = v.safeParse(schema, entry);
    return result.success ? [result.output] : [];
  });
}

/**
 * A token limit. 0 means that the limit is unknown, so it becomes undefined, as does any invalid
 * value.
 */
export const tokenLimit = v.fallback(v.optional(v.pipe(count, v.minValue(1))), undefined);
