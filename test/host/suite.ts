/** Entry of the tests in VS Code's extension host: runs the tests in the same bundle. */
import { join } from 'node:path';
import { totalOfUnapproved } from '../emulator/unapproved.ts';
import { tell } from '../emulator/unapprovedTotal.ts';

/** Listeners of the whole suite that stand for hosts nobody approved. */
const unapprovedListeners = 1;

/** Milliseconds a single test may take: it only ends what hangs, since others may use the machine. */
const testMilliseconds = 300_000;

/** Called by VS Code. @throws Error when a test failed, which makes VS Code end with 1. */
export async function run(): Promise<void> {
  markConsole();
  // mocha is an ES module, this file is bundled as CommonJS.
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
      afterAll: () => tell(totalOfUnapproved(), isWhole ? unapprovedListeners : 0),
    },
  });
  mocha.addFile(join(__dirname, 'tests.cjs'));
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed.`);
}

/**
 * Tells `run-in-server.ts` which lines are ours. VS Code's own console refuses to be changed, so it
 * is replaced as a whole.
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
