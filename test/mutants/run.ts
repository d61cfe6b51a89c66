/**
 * `npm run test:mutants`: removes one defense at a time from a copy of the source code, and runs
 * the test that must then fail. A test that still passes doesn't cover the defense. Mutants are
 * made only in copies so that an interrupted run leaves none in the source code.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printTable } from '../table.ts';
import { makeWorkingCopy } from '../workingCopy.ts';
import { mutants } from './all.ts';
import { type Mutant, mutated, type Result, verdictOf } from './mutant.ts';
import { typeErrors } from './typeErrors.ts';

/** Number of parallel workers, for a machine with two cores. */
const WORKERS = 2;
/** Milliseconds after which a run counts as hung. Normal runs end much sooner. */
const PATIENCE_MS = 60_000;
/** Milliseconds after which a mutant's test counts as failed. Some mutants cause a hang. */
const MUTANT_MS = 20_000;

const errors = typeErrors(mutants);
const copies = Array.from({ length: WORKERS }, makeWorkingCopy);
const startedAt = performance.now();
try {
  const rows: (readonly [name: string, verdict: string, ms: string])[] = [];
  const queue = mutants.entries();
  const work = async (copy: string) => {
    for (const [index, mutant] of queue) rows[index] = await judge(mutant, copy);
  };
  await Promise.all(copies.map(work));
  printTable({ title: 'mutants', heads: ['mutant', 'killed by', 'ms'], rows });
  const ends = mutants.map(({ file }, index) => ({
    part: file.split('/', 2).join('/'),
    isKilled: !rows[index]?.[1].startsWith('NOT KILLED'),
  }));
  const countKilled = (some: typeof ends) => some.filter(({ isKilled }) => isKilled).length;
  const killed = countKilled(ends);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed();
  const byPart = Map.groupBy(ends, ({ part }) => part);
  printTable({
    figure: 'mutants',
    title: `${killed} of ${mutants.length} mutants killed in ${seconds} s (bar: at least 25 mutants, all killed)`,
    heads: ['defense removed from', 'mutants', 'killed'],
    rows: [...byPart].map(([part, some]) => [part, some.length, countKilled(some)]),
  });
  process.exitCode = killed === mutants.length && killed >= 25 ? 0 : 1;
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true });
}

async function judge(mutant: Mutant, copy: string): Promise<readonly [string, string, string]> {
  const { name, file, test, title } = mutant;
  const row = (verdict: string, ms = 0) => [name, verdict, ms.toFixed()] as const;
  const error = errors.get(name);
  if (error) return row(`NOT KILLED: ${error}`);
  // On a busy machine, a test can take longer than `MUTANT_MS`, even without a mutant.
  const without = await run(mutant, copy, PATIENCE_MS);
  if (without.end !== 'reported' || without.passed === 0 || without.failed.length > 0) {
    return row(`NOT KILLED: fails without the mutant, or doesn't exist: ${test}, ${title}`);
  }
  const target = join(copy, file);
  const own = readFileSync(target);
  writeFileSync(target, mutated(mutant));
  const result = await run(mutant, copy, MUTANT_MS).finally(() => writeFileSync(target, own));
  return row(verdictOf(mutant, result), result.ms);
}

/** Runs only the tests that the mutant's `title` selects. */
function run({ test, title }: Mutant, cwd: string, timeoutMs: number): Promise<Result> {
  const from = performance.now();
  const mocha = 'node_modules/mocha/bin/mocha.js';
  const limits = ['--exit', '--timeout', `${timeoutMs}`];
  const options = [...limits, '--reporter', 'json', '--fgrep', title, test];
  const output = join(cwd, 'mutant.json');
  rmSync(output, { force: true });
  return new Promise((settle) => {
    const reporter = ['--reporter-option', `output=${output}`];
    const child = { cwd, timeout: PATIENCE_MS };
    execFile(process.execPath, [mocha, ...reporter, ...options], child, (error) => {
      const ms = performance.now() - from;
      try {
        const { passes, failures } = JSON.parse(readFileSync(output, 'utf8'));
        const failed = failures.map((one: { readonly fullTitle: string }) => one.fullTitle);
        settle({ end: 'reported', passed: passes.length, failed, ms });
      } catch {
        settle({ end: error?.killed ? 'timed out' : 'crashed', passed: 0, failed: [], ms });
      }
    });
  });
}
