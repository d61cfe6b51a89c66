/**
 * `npm run test:order [times] [seed]`: runs unit and contract tests again and again, each time in
 * another order of suites and tests. A failure comes with the seed that repeats its order.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printTable } from '../table.ts';

const FILES = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'];
const [times = '20', givenSeed] = process.argv.slice(2);
const firstSeed = Number(givenSeed ?? Date.now() % 0x7fff_ffff);

interface Failure {
  readonly fullTitle: string;
  readonly err: { readonly message?: string };
}

const rows: (string | number)[][] = [];
for (let run = 0; run < Number(times); run += 1) {
  const seed = firstSeed + run;
  const startedAt = performance.now();
  const { passed, failures } = await runInOrder(seed);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  rows.push([run + 1, `${seed}`, passed, failures.length, seconds]);
  console.log(`run ${run + 1}, seed ${seed}: ${passed} passed, ${failures.length} failed`);
  for (const { fullTitle, err } of failures)
    console.log(`  ${fullTitle}\n    ${err.message ?? ''}`);
}
const heads = ['run', 'seed', 'passed', 'failed', 's'];
printTable({ title: 'random order', heads, rows });
process.exitCode = rows.every(([, , passed, failed]) => passed !== 0 && failed === 0) ? 0 : 1;

/** One that dies has failed. */
function runInOrder(
  seed: number,
): Promise<{ readonly passed: number; readonly failures: readonly Failure[] }> {
  const output = join(tmpdir(), `order-${process.pid}-${seed}.json`);
  const options = ['--require', 'test/order/shuffle.ts', '--reporter', 'json'];
  const reporter = ['--reporter-option', `output=${output}`];
  const env = { ...process.env, HOSTED_MODEL_ORDER: String(seed) };
  const child = { env, maxBuffer: Number.POSITIVE_INFINITY };
  return new Promise((settle) => {
    execFile('node_modules/.bin/mocha', [...options, ...reporter, ...FILES], child, (error) => {
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
