/**
 * `npm test`: runs all checks and all suites except the nightly ones, in parallel lanes. Prints the
 * output of each step when the step ends. Continues after a failure so that one run shows all
 * failures. `npm run test:nightly` adds the steps that take longer. The last line contains the
 * total counts.
 */
import { spawn } from 'node:child_process';
import { CpuTime } from './cpuTime.ts';
import { newestServer, oldestServer } from './vscode/install.ts';
import { whyNoServer } from './vscode/system.ts';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * True if the step runs a test suite, so each of its tests counts. Any other step counts as one
   * test.
   */
  readonly isSuite: boolean;
  /** True if the step needs the VS Code server, which isn't available on every system. */
  readonly needsServer?: true;
}

interface Count {
  readonly passed: number;
  readonly failed: number;
}

// Suites that start servers run with `--exit`, because a failed test can leave a server running.
// The option also prevents a hang that occurred twice under load, when Node waited for its last
// socket before exiting.

const check = (name: string, command: string): Step => ({ name, command, isSuite: false });
const suite = (name: string, command: string): Step => ({ name, command, isSuite: true });
const onlyNightly = { HOSTED_MODEL_GREP: '@nightly' };
const hostSuite = (env: Readonly<Record<string, string>>, version = newestServer): Step => ({
  ...suite(`host ${version}`, `node test/host/run.ts ${version}`),
  env,
});
const inServer = (step: Step): Step => ({ ...step, needsServer: true });

/** Steps that need only the sources. */
const sources: readonly Step[] = [
  check('types', 'npm run --silent typecheck'),
  check('lint', 'npm run --silent lint'),
  suite('unit', 'npm run --silent test:unit'),
  suite('fuzz', 'npm run --silent test:fuzz'),
];

/** Suites that use the emulated service. They spend most of their time waiting. */
const emulated: readonly Step[] = [
  suite('contract', 'npm run --silent test:contract'),
  suite('faults', 'npm run --silent test:faults'),
  // The full soak test takes minutes and has its own command.
  suite('soak', 'npm run --silent soak'),
];

/**
 * Steps that run before both lanes of `packaged` so that the lanes don't install the same programs
 * at the same time.
 */
const prepared: readonly Step[] = [
  check('package', 'npm run --silent package'),
  inServer(check('VS Code, Chromium', 'node test/vscode/install.ts')),
];

const packaged: readonly (readonly Step[])[] = [
  [
    suite('shipped files', 'npm run --silent test:package'),
    inServer(hostSuite({ ...onlyNightly, HOSTED_MODEL_INVERT: '1' })),
  ],
  [inServer(suite('ui', 'npm run --silent ui'))],
];

/**
 * Steps that run before both lanes of `nightly`, because they change the installation that both
 * lanes use.
 */
const preparedNightly: readonly Step[] = [
  inServer(check('native modules', 'node test/vscode/install.ts --native')),
];

/** Steps that take too long for `npm test`, which developers wait for. */
const nightly: readonly (readonly Step[])[] = [
  [
    suite('the rest', 'npm run --silent test:rest'),
    inServer({ ...hostSuite(onlyNightly), name: `host ${newestServer}, the rest` }),
    inServer(hostSuite({}, oldestServer)),
    inServer(suite('sequences, in full', 'npm run --silent test:sequences')),
  ],
  [
    inServer(suite('ui, the rest', 'npm run --silent ui:nightly')),
    suite('soak, in full', 'npm run --silent test:soak'),
    suite('services, in full', 'npm run --silent test:services'),
    suite('third-party clients', 'npm run --silent test:clients'),
    check('mutants', 'npm run --silent test:mutants'),
    // Tries 5 new orders each night. By default, the command tries 20.
    check('order', 'npm run --silent test:order -- 5'),
  ],
];

interface Row {
  readonly name: string;
  /** Wall-clock time. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly count: Count;
}

const rows: Row[] = [];
const cpuTime = new CpuTime();
const leftOut: string[] = [];
/**
 * The failures in the output of each failed step. They're printed again near the end, because long
 * logs are truncated at the start.
 */
const failures: string[] = [];
const startedAt = performance.now();
// There are more lanes than cores, because lanes spend most of their time waiting.
await Promise.all([
  runInTurn(sources),
  runInTurn(emulated),
  runInTurn(prepared).then(() => Promise.all(packaged.map(runInTurn))),
]);
if (process.argv.includes('--nightly')) {
  await runInTurn(preparedNightly);
  await Promise.all(nightly.map(runInTurn));
}

for (const failure of failures) console.log(failure);
console.log();
cpuTime.end();
const cells = (...columns: readonly (string | number)[]): string =>
  columns.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell).padStart(9)).join('');
console.log(`${''.padEnd(20)}${cells('wall s', 'CPU s')}`);
for (const { name, seconds, cpuSeconds, count } of rows) {
  const counts = `${count.passed} passed, ${count.failed} failed`;
  console.log(`${name.padEnd(20)}${cells(seconds, cpuSeconds)}   ${counts}`);
}
const allSeconds = (performance.now() - startedAt) / 1_000;
const allCpuSeconds = rows.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
console.log(`${'total'.padEnd(20)}${cells(allSeconds, allCpuSeconds)}`);
if (leftOut.length > 0) console.log(`\nSkipped: ${leftOut.join(', ')}. ${whyNoServer}`);
const passed = sum(({ passed: number }) => number);
const failed = sum(({ failed: number }) => number);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runInTurn(steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.needsServer && whyNoServer) {
      leftOut.push(step.name);
      continue;
    }
    const startedAt = performance.now();
    const { output, count } = await run(step);
    console.log(`\n=== ${step.name}\n${output}`);
    if (count.failed > 0) failures.push(`\n=== failed: ${step.name}\n${failurePart(output)}`);
    const seconds = (performance.now() - startedAt) / 1_000;
    rows.push({ name: step.name, seconds, cpuSeconds: cpuTime.secondsOf(step.name), count });
  }
}

function sum(of: (count: Count) => number): number {
  return rows.reduce((total, { count }) => total + of(count), 0);
}

function run({ name, command, env, isSuite }: Step): Promise<{ output: string; count: Count }> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    cpuTime.watch(name, child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.on('close', (code) => {
      if (!isSuite) {
        const count = code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
        return resolve({ output, count });
      }
      const count = { passed: last(output, 'passing'), failed: last(output, 'failing') };
      // A suite that crashed or ran no tests has failed, regardless of its counts.
      const broken = (code !== 0 && count.failed === 0) || count.passed + count.failed === 0;
      if (broken) output += `${name} ended with ${code} after ${count.passed} tests\n`;
      resolve({ output, count: broken ? { ...count, failed: count.failed + 1 } : count });
    });
  });
}

/**
 * Returns mocha's failure count and everything after it, or the last 3,000 characters if there is
 * no failure count.
 */
function failurePart(output: string): string {
  return /^\s*\d+ failing\b.*/ms.exec(output)?.[0] ?? output.slice(-3_000);
}

/** Returns the number before this word in mocha's summary. */
function last(output: string, word: 'passing' | 'failing'): number {
  return Number([...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}`, 'gm'))].at(-1)?.[1] ?? 0);
}
