/** What the shipped extension does on its own once it is active, and nobody has used it yet. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extensionId } from '../../extensionId.ts';
import { repositoryRoot } from '../../vscode/install.ts';
import type { Question } from '../question.ts';
import { onStage } from './stage/stage.ts';

/** Milliseconds that an idle window is watched. */
const watchedMs = 1_000;

const question: Question = {
  title: 'Idle after activation',
  goal: '0 sockets, timers, token requests and secrets read',
  measure: async () => {
    const inNode = await countedByTest();
    const inEditor = await requestsOfWindow();
    const rows = Object.entries({ ...inNode, ...inEditor }).map(([name, value]) => ({
      name,
      value,
      unit: '',
    }));
    return { rows, isMet: rows.every(({ value }) => value === 0) };
  },
};
export default question;

/**
 * A real extension host hides these among its own work; a test of the package counts them in plain
 * Node, and fails if there are any.
 */
async function countedByTest(): Promise<Record<string, number>> {
  const mocha = join(repositoryRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const test = join('test', 'package', 'activation.test.ts');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [mocha, test, '--grep', 'starts no timer'],
    { cwd: repositoryRoot },
  );
  const counted = /(\d+) timers, (\d+) connections, (\d+) secrets read/.exec(stdout);
  if (!counted) throw new Error(`The test of activation has counted nothing:\n${stdout}`);
  const [timers, sockets, secrets] = counted.slice(1).map(Number);
  return { sockets: sockets ?? 1, timers: timers ?? 1, 'secrets read': secrets ?? 1 };
}

/** With a key in secret storage and an address, so that there is something to ask for. */
async function requestsOfWindow(): Promise<Record<string, number>> {
  return onStage(async ({ start, storeKey, emulator, workbench }) => {
    const first = await start();
    await first.do('activate', []);
    await storeKey();
    emulator.reset();
    const driver = await start();
    await driver.do('activate', [extensionId]);
    await workbench.statusItem('hostedModel.token').waitFor({ text: /Hosted Model/ });
    await driver.do('run', { command: 'bench.wait', argument: watchedMs, text: ' ', lines: [0] });
    return {
      'token requests': emulator.count('/identity/token'),
      'other requests': emulator.count(({ path }) => path !== '/identity/token'),
    };
  });
}
