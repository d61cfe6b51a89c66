/**
 * `npm run figures`: runs the full version of each suite whose results appear in the docs, and
 * measures how long canceled calls take to end. Writes the tables next to this file. Stops at the
 * first suite that fails.
 */
import { spawnSync } from 'node:child_process';
import { globSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, release, type } from 'node:os';
import { printTable } from '../table.ts';
import { measureCancelling } from './cancel.ts';

const suites = {
  'test:services': 'each authentication method works with each API',
  'test:faults': 'each call with a fault ends once, with the expected result',
  'test:soak':
    'long sessions leak no memory, calls recover from a burst of 429s, and many windows spread out their requests',
  'test:fuzz': 'random input causes no uncaught errors',
  'test:leaks': 'no key or token appears where people or other programs can see it',
  'test:mutants': 'a test fails for each defense that is removed',
};

const [load = 0] = loadavg();
const day = new Date().toISOString().slice(0, 10);
const startedAt = Date.now();

const [processor] = cpus();
const title = `Measured on ${day} by \`npm run figures\`: Node ${process.versions.node}, ${type()} ${release()}, ${cpus().length} ${processor?.model.trim()} cores, load ${load.toFixed(1)} at the start.`;
const heads = ['Command', 'Shows that', 'Took'];

const rows: string[][] = [];
for (const [name, shows] of Object.entries(suites)) {
  const startedAt = performance.now();
  const { status } = spawnSync(`npm run --silent ${name}`, { shell: true, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${name} failed`);
  const seconds = (performance.now() - startedAt) / 1_000;
  rows.push([`\`npm run ${name}\``, shows, `${seconds.toFixed()} s`]);
}
await measureCancelling();
printTable({ figure: 'measured', title, heads, rows });
// Removes tables that weren't written in this run.
for (const path of globSync('test/figures/*.md')) {
  if (statSync(path).mtimeMs < startedAt) rmSync(path);
}
