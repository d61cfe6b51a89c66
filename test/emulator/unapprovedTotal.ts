import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootHookObject } from 'mocha';
import { assertUntouched, sumOf, totalOfUnapproved, type UnapprovedTotal } from './unapproved.ts';

/** Names the folder where each process of a run leaves its total. */
const FOLDER = 'HOSTED_MODEL_UNAPPROVED';

interface Plugin {
  readonly mochaHooks: RootHookObject;
  readonly mochaGlobalSetup: () => void;
  readonly mochaGlobalTeardown: () => void;
}

/**
 * For `mocha --require`, also with `--parallel`: a suite fails if anything reached a host that
 * nobody approved, or if it had fewer of them than it is known to have. At its end it says how many.
 * @param atLeast of a run of the whole suite; one of `--grep` may have fewer
 */
export function unapprovedTotal(atLeast: number): Plugin {
  return {
    mochaHooks: {
      afterAll() {
        const total = totalOfUnapproved();
        // Files that one process runs one after the other add up, so the last total is the whole.
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
      // The journeys of the day, or of the night, are a whole suite.
      const isPart = process.argv.some(
        (word, index, all) => /^(-g|-f|--f?grep)/.test(word) && all[index + 1] !== '@nightly',
      );
      const total = sumOf(texts.map((text): UnapprovedTotal => JSON.parse(text)));
      tell(total, isPart ? 0 : atLeast);
    },
  };
}

/** @throws AssertionError if there are fewer listeners than that, or one that received anything */
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
