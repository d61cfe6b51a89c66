/**
 * `npm run test:order [times] [seed]`: runs the unit and contract tests repeatedly, each time with
 * the suites and tests in a different order. Prints each failure with the seed that reproduces the
 * order.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { printTable } from '../table.ts';
import { makeWorkingCopy } from '../workingCopy.ts';

const FILES = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'];
const [times = '20', givenSeed] = process.argv.slice(2);
/** Number of parallel runs. It's low so that tests don't time out on a small machine. */
const AT_ONCE = 2;
const firstSeed = Number(givenSeed ?? Date.now() % 0x7fff_ffff);

interface Failure {
  readonly fullTitle: string;
  readonly err: { readonly message?: string };
}

const seeds = Array.from({ length: Number(times) }, (_, run) => firstSeed + run);
const rows: (readonly [run: number, seed: string, passed: number, failed: number, s: string])[] =
  [];
// Each parallel run has its own copy, because it writes its results to a file in that copy.
const copies = Array.from({ length: AT_ONCE }, makeWorkingCopy);
try {
  await Promise.all(copies.map(runTheNext));
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true });
}
const failed = rows.reduce((sum, [, , , count]) => sum + count, 0);
const fewest = Math.min(...rows.map(([, , passed]) => passed));
printTable({
  title: `Unit and contract tests ${rows.length} times, each time in another random order: ${failed} failed (bar 0), at least ${fewest.toLocaleString('en')} passed each time`,
  heads: ['run', 'seed', 'passed', 'failed', 's'],
  rows: rows.toSorted(([one], [other]) => one - other),
});
process.exitCode = failed === 0 && fewest > 0 ? 0 : 1;

async function runTheNext(copy: string): Promise<void> {
  for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
    const startedAt = performance.now();
    const { passed, failures } = await runInOrder(seed, copy);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    rows.push([seed - firstSeed + 1, `${seed}`, passed, failures.length, seconds]);
    console.log(`seed ${seed}: ${passed} passed, ${failures.length} failed`);
    for (const { fullTitle, err } of failures)
      console.log(`  ${fullTitle}\n    ${err.message ?? ''}`);
  }
}

/** Runs the tests in the order determined by `seed`. A run that crashes counts as failed. */
function runInOrder(
  seed: number,
  cwd: string,
): Promise<{ readonly passed: number; readonly failures: readonly Failure[] }> {
  const output = join(cwd, 'order.json');
  const mocha = 'node_modules/mocha/bin/mocha.js';
  const options = [mocha, '--grep', '@nightly', '--invert', '--require', 'test/order/shuffle.ts'];
  const reporter = ['--reporter', 'json', '--reporter-option', `output=${output}`];
  const env = { ...process.env, HOSTED_MODEL_ORDER: String(seed), HOSTED_MODEL_FIGURES: '' };
  const child = { cwd, env, maxBuffer: Number.POSITIVE_INFINITY };
  return new Promise((settle) => {
    execFile(process.execPath, [...options, ...reporter, ...FILES], child, (error) => {
      try {
        const { passes, failures } = JSON.parse(readFileSync(output, 'utf8'));
        settle({ passed: passes.length, failures });
      } catch {
        settle({ passed: 0, failures: [{ fullTitle: 'mocha', err: error ?? {} }] });
      } finally {
        rmSync(output, { force: true });
      }
    });
  });
}
