import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootHookObject } from 'mocha';
import { assertUntouched, sumOf, totalOfUnapproved, type UnapprovedTotal } from './unapproved.ts';

/**
 * Name of the environment variable with the path to the folder where test processes store their
 * totals.
 */
const FOLDER = 'HOSTED_MODEL_UNAPPROVED';

interface Plugin {
  readonly mochaHooks: RootHookObject;
  readonly mochaGlobalSetup: () => void;
  readonly mochaGlobalTeardown: () => void;
}

/**
 * Creates a plugin for `mocha --require`, with or without `--parallel`. The plugin makes the suite
 * fail if an unapproved host was contacted, or if the suite started fewer than `atLeast` such
 * hosts. The plugin prints the totals at the end.
 * @param atLeast minimum number of unapproved hosts in the whole suite. A run with `--grep` may
 * start fewer hosts.
 */
export function unapprovedTotal(atLeast: number): Plugin {
  return {
    mochaHooks: {
      afterAll() {
        const total = totalOfUnapproved();
        // With `--parallel`, this runs after each test file. The new total covers all files that
        // this process has run so far, so it replaces the previous total.
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
      // `--grep @nightly` selects a whole suite, so the minimum still applies.
      const isPart = process.argv.some(
        (word, index, all) => /^(-g|-f|--f?grep)/.test(word) && all[index + 1] !== '@nightly',
      );
      const total = sumOf(texts.map((text): UnapprovedTotal => JSON.parse(text)));
      reportUnapprovedTotal(total, isPart ? 0 : atLeast);
    },
  };
}

/**
 * @throws AssertionError if there are fewer listeners than `atLeast`, or if a listener was
 * contacted
 */
export function reportUnapprovedTotal(
  { listeners, ...received }: UnapprovedTotal,
  atLeast: number,
): void {
  const { connections, bytes } = received;
  console.log(
    `  unapproved listeners: ${listeners}, connections: ${connections}, bytes: ${bytes}; bar: at least ${atLeast}, 0, 0\n`,
  );
  assertUntouched({ received });
  assert.ok(
    listeners >= atLeast,
    `${listeners} unapproved listeners instead of at least ${atLeast}`,
  );
}

function folder(): string {
  const path = process.env[FOLDER];
  if (path === undefined) throw new Error('No run of mocha has begun');
  return path;
}
