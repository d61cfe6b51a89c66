import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootHookObject } from 'mocha';
import { assertUntouched, sumOf, totalOfUnapproved, type UnapprovedTotal } from './unapproved.ts';

/** The environment variable with the folder in which each process of a run stores its total. */
const FOLDER = 'HOSTED_MODEL_UNAPPROVED';

interface Plugin {
  readonly mochaHooks: RootHookObject;
  readonly mochaGlobalSetup: () => void;
  readonly mochaGlobalTeardown: () => void;
}

/**
 * For `mocha --require`, also with `--parallel`. A suite fails if an unapproved host was contacted,
 * or if it started fewer of these hosts than expected. Prints the totals at the end.
 * @param atLeast expected number in a run of the whole suite. A run with `--grep` may have fewer.
 */
export function unapprovedTotal(atLeast: number): Plugin {
  return {
    mochaHooks: {
      afterAll() {
        const total = totalOfUnapproved();
        // Files of one process add up, so the last total covers all of them.
        writeFileSync(join(folder(), String(process.pid)), JSON.stringify(total));
        assertUntouched({ received: { connections: total.connections, bytes: total.bytes } });
      },
    },
    mochaGlobalSetup() {
      process.env[FOLDER] = mkdtempSync(join(tmpdir(), 'unapproved-'));
    },
    mochaGlobalTeardown() {
      const texts = readdirSync(folder()).map((name) => readFileSync(join(folder(), name), 'utf8'));
      rmSync(folder(), { recursive: true });
      // `@nightly` selects a whole suite.
      const isPart = process.argv.some(
        (word, index, all) => /^(-g|-f|--f?grep)/.test(word) && all[index + 1] !== '@nightly',
      );
      const total = sumOf(texts.map((text): UnapprovedTotal => JSON.parse(text)));
      tell(total, isPart ? 0 : atLeast);
    },
  };
}

/** @throws AssertionError if there are fewer listeners, or if one of them was contacted */
export function tell({ listeners, ...received }: UnapprovedTotal, atLeast: number): void {
  const { connections, bytes } = received;
  console.log(
    `  unapproved listeners: ${listeners}, connections: ${connections}, bytes: ${bytes}; bar: at least ${atLeast}, 0, 0\n`,
  );
  assertUntouched({ received });
  assert.ok(listeners >= atLeast, `${listeners} unapproved listeners, where ${atLeast} are known`);
}

function folder(): string {
  const path = process.env[FOLDER];
  if (path === undefined) throw new Error('No run of mocha has begun');
  return path;
}
