import assert from 'node:assert/strict';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import {
  apiKey,
  chatPath,
  generateFrom,
  openWindow,
  projectId,
  statusId,
  storeKey,
} from './service.ts';

/**
 * Milliseconds. Other windows share this machine meanwhile, so this only tells an end by signing
 * out from one by a time limit; the rule of a second is in the contract tests of the session.
 */
const MOST_MS = 15_000;

// A window in a browser reads the secrets once, when it opens: what one window does to those of
// another is in the unit tests of the key store and of the way to credentials.
describe('signing out', () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ apiKeys: [apiKey], projectIds: [projectId] });
  });
  afterEach(() => emulator.close());

  it('A17: ends key, token and three calls', async () => {
    const names = ['a.txt', 'b.txt', 'c.txt'];
    const session = await openWindow(emulator, {
      folderFiles: Object.fromEntries(names.map((name) => [name, 'Write a reply.\n'])),
    });
    const { workbench } = session;
    await storeKey(session);
    const stalled = gate();
    emulator.faults.next(chatPath, { hold: stalled.opened }, 3);
    for (const [index, name] of names.entries()) {
      await generateFrom(session, name);
      await emulator.requestCount(chatPath, index + 1);
    }
    const calls = emulator.requests.filter(({ path }) => path === chatPath);
    const gone = calls.map((call) => emulator.disconnected(call));
    await workbench.runCommand('Hosted Model: Sign Out');
    const startedAt = performance.now();
    await Promise.all(gone);
    const ms = performance.now() - startedAt;
    console.log(`      ms to end three calls: ${ms.toFixed()}`);
    assert.ok(ms < MOST_MS, `${ms.toFixed()} ms`);
    await workbench.statusItem(statusId).waitFor({ text: '$(key) Set up Hosted Model' });
    const script = `Object.keys(localStorage).map((name) => localStorage[name]).join()`;
    assert.doesNotMatch(await workbench.page.evaluate<string>(script), /hostedModel\.key/);
    stalled.open();

    const before = emulator.requests.length;
    await generateFrom(session);
    await workbench.notifications.waitFor(/needs an API key before it can generate/);
    assert.equal(emulator.requests.length, before, 'the token that was left is not used either');
  });
});
