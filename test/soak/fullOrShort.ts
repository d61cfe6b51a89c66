/**
 * `npm run test:soak` runs the full form, which docs/quality.md quotes. `npm test` runs the short
 * form, which checks the same rules with fewer cases.
 */
export const isFull = process.env['HOSTED_MODEL_FULL'] === '1';

/** Returns the number for the form that is running. */
export function inForm(full: number, short: number): number {
  return isFull ? full : short;
}
