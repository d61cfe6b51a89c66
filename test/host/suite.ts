/** Entry point of the tests in VS Code's extension host. Runs the tests in `tests.cjs`. */
import { join } from 'node:path';
import { totalOfUnapproved } from '../emulator/unapproved.ts';
import { reportUnapprovedTotal } from '../emulator/unapprovedTotal.ts';

/** Minimum number of stand-ins for unapproved hosts in the whole suite. */
const unapprovedListeners = 1;

/** Timeout for each test, in milliseconds. It's long because the machine may be busy. */
const testMilliseconds = 300_000;

/**
 * Called by VS Code.
 * @throws Error if a test failed. The error makes VS Code exit with code 1.
 */
export async function run(): Promise<void> {
  markConsole();
  // mocha is an ES module, and this file is bundled as CommonJS.
  const { default: Mocha } = await import('mocha');
  const grep = process.env['HOSTED_MODEL_GREP'];
  const isInverted = process.env['HOSTED_MODEL_INVERT'] === '1';
  const isWhole = grep === undefined || isInverted;
  const mocha = new Mocha({
    ui: 'bdd',
    reporter: 'spec',
    color: process.env['HOSTED_MODEL_COLOR'] === '1',
    timeout: testMilliseconds,
    ...(grep === undefined ? {} : { grep, invert: isInverted }),
    rootHooks: {
      afterAll: () => reportUnapprovedTotal(totalOfUnapproved(), isWhole ? unapprovedListeners : 0),
    },
  });
  mocha.addFile(join(__dirname, 'tests.cjs'));
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed.`);
}

/**
 * Marks the tests' console output so that `run-in-server.ts` recognizes it. Replaces the console
 * object, because VS Code's own object can't be modified.
 */
function markConsole(): void {
  const mark = process.env['HOSTED_MODEL_CONSOLE_MARK'];
  if (mark === undefined) return;
  const original = globalThis.console;
  const levels = ['debug', 'log', 'info', 'warn', 'error'] as const;
  const marked = levels.map((level) => [
    level,
    { value: (...args: unknown[]): void => original[level](mark, ...args) },
  ]);
  globalThis.console = Object.create(original, Object.fromEntries(marked)) as Console;
}
