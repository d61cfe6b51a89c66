/**
 * `npm run figures`: runs in full what docs/quality.md quotes, and keeps each table beside this
 * file. Ends at the first suite that fails.
 */
import { spawnSync } from 'node:child_process';
import { globSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, release, type } from 'node:os';
import { printTable } from '../table.ts';
import { measureCancelling } from './cancel.ts';

const suites = {
  'test:services': 'each authentication method works with each API',
  'test:faults': 'a call that meets a fault ends once, and as it should',
  'test:soak':
    'long work leaves nothing behind, a storm of refusals calms down, many windows are no crowd',
  'test:fuzz': 'random bytes of others come to nothing worse than an error',
  'test:leaks': 'neither key nor token comes to light anywhere',
  'test:mutants': 'a test fails for each defence that is taken out',
};

const [load = 0] = loadavg();
const day = new Date().toISOString().slice(0, 10);
const begunAt = Date.now();

const [processor] = cpus();
const title = `Measured on ${day} by \`npm run figures\`: Node ${process.versions.node}, ${type()} ${release()}, ${cpus().length} cores of ${processor?.model.trim()}, load ${load.toFixed(1)} before it began.`;
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
// No figure outlives the table that it came from.
for (const path of globSync('test/figures/*.md')) {
  if (statSync(path).mtimeMs < begunAt) rmSync(path);
}
