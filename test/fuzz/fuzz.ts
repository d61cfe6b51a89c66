import assert from 'node:assert/strict';
import fc from 'fast-check';

/**
 * Feeds random input to the code that reads external text. Each run prints its seed. Set
 * HOSTED_MODEL_SEED to this seed to repeat the run.
 */

export const seed = Number(process.env['HOSTED_MODEL_SEED'] ?? Date.now() % 0x7fff_ffff);

/** The test areas and the number of random cases in each area. */
export const AREAS = {
  'token responses': 10_000,
  'event streams, split anywhere': 5_000,
  'event streams, corrupted': 5_000,
  'error responses': 2_000,
  'text responses': 3_000,
  'service URLs': 5_000,
  '.env bytes': 5_000,
  'redactor, with a secret': 5_000,
  'redactor, without a secret': 2_000,
  'Retry-After': 3_000,
  'template texts': 2_000,
  'front matter': 1_000,
} as const satisfies Readonly<Record<string, number>>;

export type Area = keyof typeof AREAS;

/** A row for each area that has run. */
export const rows: { readonly area: Area; readonly ran: number }[] = [];

/** Runs `check` with random values, as many times as `AREAS` specifies for the area. */
export async function repeat<Case extends unknown[]>(
  area: Area,
  arbitraries: { [Index in keyof Case]: fc.Arbitrary<Case[Index]> },
  check: (...values: Case) => void | Promise<void>,
): Promise<void> {
  let ran = 0;
  const counted = async (values: Case) => {
    ran += 1;
    await check(...values);
  };
  await fc.assert(fc.asyncProperty(fc.tuple(...arbitraries) as fc.Arbitrary<Case>, counted), {
    seed,
    numRuns: AREAS[area],
  });
  assert.equal(ran, AREAS[area]);
  rows.push({ area, ran });
}

/** Generates strings that break careless code. */
export const nasty: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      '\r\n',
      '\u2028',
      '\ufeff',
      '\u202e',
      '\ud800',
      '__proto__',
      '[x](command:y)',
    ],
    ...['-1', '0', '1e999', 'NaN', 'null', '9'.repeat(400), 'x'.repeat(10_000), '\u001b[31m', '${'],
  ),
);
