/**
 * `npm run test:soak` runs the full tests, whose results are in docs/quality.md. `npm test` runs
 * the short ones, which check the same rules with fewer cases.
 */
export const isFull = process.env['HOSTED_MODEL_FULL'] === '1';

/** Returns `full` in the full tests, and `short` in the short tests. */
export function fullOrShort(full: number, short: number): number {
  return isFull ? full : short;
}
