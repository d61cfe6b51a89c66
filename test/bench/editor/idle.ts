/** Measures the work that the shipped extension does between activation and first use. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extensionId } from '../../extensionId.ts';
import { repositoryRoot } from '../../vscode/install.ts';
import type { Question } from '../question.ts';
import { onStage } from './stage/stage.ts';

const watchedMs = 1_000;

const question: Question = {
  title: 'Idle after activation',
  goal: '0 sockets, timers, secrets read, and requests',
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
 * Runs the packaging test that counts sockets, timers, and secret reads. Fails if any count isn't
 * 0. The test runs in plain Node, because an extension host has sockets and timers of its own.
 */
async function countedByTest(): Promise<Record<string, number>> {
  const mocha = join(repositoryRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const test = join('test', 'package', 'activation.test.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [mocha, test], {
    cwd: repositoryRoot,
  });
  const counted = /(\d+) timers, (\d+) connections, (\d+) secrets read/.exec(stdout);
  if (!counted) throw new Error(`The activation test printed no counts:\n${stdout}`);
  const [timers, sockets, secrets] = counted.slice(1).map(Number);
  return { sockets: sockets ?? 1, timers: timers ?? 1, 'secrets read': secrets ?? 1 };
}

/**
 * Counts the requests that an idle window sends. A stored key and an address are available, so the
 * window could request a token.
 */
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
