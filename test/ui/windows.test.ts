import assert from 'node:assert/strict';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import {
  apiKey,
  chatPath,
  generate,
  generateFrom,
  openWindow,
  projectId,
  statusId,
  storeKey,
  tokenPath,
} from './service.ts';

const another = 'another-ui-test-key-0123';

describe('several windows', () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ apiKeys: [apiKey, another], projectIds: [projectId] });
  });
  afterEach(() => emulator.close());

  const keyOf = async (n: number) => (await emulator.requestCount(tokenPath, n)).form?.['apikey'];
  const open = () => openWindow(emulator, { folderFiles: { 'a.txt': 'Write a reply.\n' } });

  it('A12: use a key from the next command on that another window stored or replaced', async () => {
    const session = await open();
    const { workbench } = session;
    const other = await session.anotherWindow();
    await other.openFile(session.path('a.txt'));
    await storeKey(session);
    await generateFrom(session, 'a.txt', other);
    assert.equal(await keyOf(1), apiKey);
    await other.statusItem(statusId).waitFor({ text: /\d+m/ });

    await workbench.runCommand('Hosted Model: Set API Key');
    await workbench.quickInput.waitFor({ step: '1/2' });
    await workbench.quickInput.type(another);
    await workbench.quickInput.accept();
    await workbench.quickInput.pick('$(save) Save Without Testing');
    const { detail } = await workbench.dialogs.waitFor('Replace the stored API key?');
    assert.match(detail, /Text from all folders then goes to the account of the new key/);
    await workbench.dialogs.click('Replace Key');
    await workbench.notifications.close(/is set up/);
    await other.editor.selectLines(1);
    await other.runCommand(generate);
    assert.equal(await keyOf(2), another);
  });

  it('A17: lose key, token and calls within a second of signing out in one of them', async () => {
    const session = await open();
    const { workbench } = session;
    await storeKey(session);
    const other = await session.anotherWindow();
    const stalled = gate();
    emulator.faults.next(chatPath, { hold: stalled.opened }, 3);
    await generateFrom(session, 'a.txt', other);
    await emulator.requestCount(chatPath, 1);
    for (const n of [2, 3]) {
      await generateFrom(session);
      await emulator.requestCount(chatPath, n);
    }
    const calls = [1, 2, 3].map((n) => emulator.requestCount(chatPath, n));
    await workbench.runCommand('Hosted Model: Sign Out');
    const signedOut = workbench.notifications.waitFor(/signed out/);
    const endedAt = Promise.all(
      calls.map(async (call) => {
        await emulator.disconnected(await call);
        return performance.now();
      }),
    );
    const startedAt = performance.now();
    for (const at of await endedAt) assert.ok(at - startedAt < 1_000, `${at - startedAt} ms`);
    await signedOut;
    stalled.open();
    const secrets = await workbench.page.evaluate<string>(
      `localStorage.getItem('secrets.provider') ?? ''`,
    );
    assert.doesNotMatch(secrets, /hostedModel\.key/);
    const before = emulator.requests.length;
    for (const window of [workbench, other]) {
      await window.statusItem(statusId).waitFor({ text: '$(key) Set up Hosted Model' });
      await generateFrom(session, 'a.txt', window);
      await window.notifications.waitFor(/needs an API key before it can generate/);
    }
    assert.equal(emulator.requests.length, before);
    assert.equal(await workbench.editor.isDirty(), false);
  });
});
