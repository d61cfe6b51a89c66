import * as v from 'valibot';
import { ServiceError } from './errors.ts';

/**
 * The shapes of answers, checked where they enter. Only the fields that are used are named; what
 * else an answer holds is ignored. Shapes: the recordings of the service.
 */

/**
 * An object schema with these fields. valibot lists fields in a `for…in` loop. Otherwise, an enumerable
 * property that another extension adds to Object.prototype would break every response.
 */
export function shape<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.object<Entries>(Object.assign(Object.create(null), entries));
}

/** A number of tokens. Sums of unsafe integers are wrong, and can become Infinity. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Parses JSON that may be anything; undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What has this shape. @throws {ServiceError} `unexpected-answer` */
export function check<Schema extends v.GenericSchema>(schema: Schema, json: unknown) {
  const result = v.safeParse(schema, json);
  if (!result.success) throw new ServiceError('unexpected-answer');
  return result.output;
}
