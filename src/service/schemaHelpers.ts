import * as v from 'valibot';
import { ServiceError } from './errors.ts';

/**
 * Schemas for responses. They contain only the fields that are used, and ignore all others. Source:
 * recordings of the service.
 */

/**
 * An object schema with these fields. valibot lists the fields in a `for…in` loop, so the object
 * that holds them has no prototype. Otherwise, an enumerable property that another extension adds
 * to Object.prototype would break every response.
 */
export function shape<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.object<Entries>(Object.assign(Object.create(null), entries));
}

/** A number of tokens. Sums of unsafe integers would be wrong, and could become Infinity. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Parses JSON. Returns undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Validates a response. @throws {ServiceError} `unexpected-answer` */
export function check<Schema extends v.GenericSchema>(schema: Schema, json: unknown) {
  const result = v.safeParse(schema, json);
  if (!result.success) throw new ServiceError('unexpected-answer');
  return result.output;
}
