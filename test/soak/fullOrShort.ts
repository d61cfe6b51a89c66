/**
 * True for full test runs, such as `npm run test:soak`. False for the short tests (`npm test`),
 * which have fewer cases.
 */
export const isFull = process.env['HOSTED_MODEL_FULL'] === '1';

export function fullOrShort(full: number, short: number): number {
  return isFull ? full : short;
}
