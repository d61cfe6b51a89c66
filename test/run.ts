/**
 * `npm test`: every check and every suite, one after the other, each with its own output and
 * counts. Goes on after a failure, so that one run tells all. Ends with `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { newestServer, oldestServer } from './vscode/install.ts';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A check counts as one test; a suite counts its own. */
  readonly isSuite: boolean;
}

interface Count {
  readonly passed: number;
  readonly failed: number;
}

const check = (name: string, command: string): Step => ({ name, command, isSuite: false });
const suite = (name: string, command: string): Step => ({ name, command, isSuite: true });

const steps: readonly Step[] = [
  check('types', 'npm run --silent typecheck'),
  check('lint', 'npm run --silent lint'),
  suite('unit', 'npm run --silent test:unit'),
  suite('contract', 'npm run --silent test:contract'),
  suite('faults', 'npm run --silent test:faults'),
  // Its full form takes minutes and has a command of its own.
  suite('soak', 'npx mocha "test/soak/**/*.test.ts"'),
  suite('fuzz', 'npm run --silent test:fuzz'),
  check('package', 'npm run --silent package'),
  suite('shipped files', 'npm run --silent test:package'),
  suite(`host ${newestServer}`, `node test/host/run.ts ${newestServer}`),
  suite(`host ${oldestServer}`, `node test/host/run.ts ${oldestServer}`),
  suite('ui', 'npm run --silent test:ui'),
];

const rows: { readonly name: string; readonly seconds: number; readonly count: Count }[] = [];
for (const step of steps) {
  console.log(`\n=== ${step.name}`);
  const startedAt = performance.now();
  const count = await run(step);
  rows.push({ name: step.name, seconds: (performance.now() - startedAt) / 1_000, count });
}

console.log();
for (const { name, seconds, count } of rows) {
  const time = `${seconds.toFixed(1)} s`.padStart(9);
  console.log(`${name.padEnd(20)}${time}   ${count.passed} passed, ${count.failed} failed`);
}
const passed = sum(({ passed: number }) => number);
const failed = sum(({ failed: number }) => number);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function sum(of: (count: Count) => number): number {
  return rows.reduce((total, { count }) => total + of(count), 0);
}

function run({ name, command, isSuite }: Step): Promise<Count> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process.stdout.write(text);
    });
    child.on('close', (code) => {
      if (!isSuite)
        return resolve(code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
      const count = { passed: last(output, 'passing'), failed: last(output, 'failing') };
      // A suite that died, or ran nothing, has failed whatever it counted.
      const broken = (code !== 0 && count.failed === 0) || count.passed + count.failed === 0;
      if (broken) console.log(`${name} ended with ${code} after ${count.passed} tests`);
      resolve(broken ? { ...count, failed: count.failed + 1 } : count);
    });
  });
}

/** The number before mocha's word in its closing lines. */
function last(output: string, word: 'passing' | 'failing'): number {
  return Number([...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}`, 'gm'))].at(-1)?.[1] ?? 0);
}
