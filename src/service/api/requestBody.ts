/** Helpers for request bodies. Pure. */

export type RequestBody = Readonly<Record<string, unknown>>;

/** Returns all strings in a JSON value, including property names, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(stringsIn)];
}
