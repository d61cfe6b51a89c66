/**
 * The full form is what `npm run test:soak` runs and what docs/quality.md quotes. `npm test` runs
 * the short one, which proves the same rules on fewer cases.
 */
export const isFull = process.env['HOSTED_MODEL_FULL'] === '1';

/** @returns the number that belongs to the form that runs */
export function inForm(full: number, short: number): number {
  return isFull ? full : short;
}
