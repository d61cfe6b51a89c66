import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { assertUntouched, startUnapproved } from '../../emulator/unapproved.ts';
import { answerSetUp, setUp } from '../../vscode/setUpWalk.ts';
import {
  chatPath,
  generateFrom,
  giveUpSetUp,
  openWindow,
  settingsOf,
  statusId,
  storeKey,
  tokenPath,
} from '../service.ts';
import { nightly, openWorkbench, type Session } from '../session.ts';
import { holds, tracesOf } from '../traces.ts';

const apiKey = 'canary/of+the=key~0123456789';
const projectId = 'canary-of-the-project';

describe(`the API key ${nightly}`, () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ apiKeys: [apiKey], projectIds: [projectId] });
  });
  afterEach(() => emulator.close());

  const fresh = () =>
    openWorkbench({
      folderFiles: { 'a.txt': 'Write a reply.\n' },
      userSettings: { 'hostedModel.authUrl': emulator.url },
    });
  const answers = () => ({ apiKey, projectId, url: emulator.url });
  const userSettings = ({ server }: Session) =>
    readFile(join(server.dataDirectory, 'data', 'User', 'settings.json'), 'utf8');
  const secretNames = ({ workbench }: Session) =>
    workbench.page.evaluate<string>(`localStorage.getItem('secrets.provider') ?? ''`);

  it('is recognized in every encoding that these tests look for', () => {
    for (const form of ['hex', 'base64', 'utf8', 'utf16le'] as const) {
      const around = Buffer.from(`{"a":"${apiKey}","b":1}`);
      const left =
        form === 'utf16le' ? Buffer.from(around.toString(), form) : around.toString(form);
      assert.ok(holds(Buffer.from(left), apiKey), form);
    }
    assert.ok(holds(Buffer.from(`?k=${encodeURIComponent(apiKey)}`), apiKey));
  });

  it('A01: is stored only in secret storage, even after a generation', async () => {
    const session = await fresh();
    await setUp(session.workbench, answers());
    await generateFrom(session);
    await session.workbench.statusItem(statusId).waitFor({ text: /\d+m/ });
    // Reloads the window, because VS Code might not write the extension's state until the window
    // closes.
    await session.workbench.reload();
    await session.workbench.statusItem(statusId).waitFor({ ariaLabel: /ready, no token yet/ });
    for (const secret of [apiKey, ...emulator.tokensIssued]) {
      assert.deepEqual(await tracesOf(session, secret), []);
    }
    const settings = await tracesOf(session, projectId);
    assert.ok(
      settings.some((place) => place.endsWith('/User/settings.json')),
      `${settings}`,
    );
    const state = await tracesOf(session, 'hostedModel.hasKey');
    assert.ok(
      state.some((place) => place.startsWith('indexedDB')),
      `${state}`,
    );
  });

  it('A02: is ignored in the user settings', async () => {
    const session = await openWindow(emulator, {
      folderFiles: { 'a.txt': 'Write a reply.\n' },
      userSettings: { 'hostedModel.projectId': projectId, 'hostedModel.apiKey': apiKey },
    });
    await generateFrom(session);
    await giveUpSetUp(session.workbench);
    assert.match(await userSettings(session), /apiKey/);
    assert.equal(emulator.requests.length, 0);
  });

  it("A18: isn't stored if the user closes setup at any step", async () => {
    const session = await fresh();
    const { workbench } = session;
    const before = await userSettings(session);
    for (const last of [1, 2, 3, 4, 5]) {
      await workbench.runCommand('Hosted Model: Set Up...');
      const closed = new Error('closed');
      const walk = answerSetUp(workbench, answers(), async (step) => {
        if (step !== last) return;
        await workbench.quickInput.dismiss();
        throw closed;
      });
      await assert.rejects(walk, closed);
      await workbench.quickInput.waitUntilClosed();
      assert.equal(await userSettings(session), before, `step ${last}`);
      assert.equal(await secretNames(session), '', `step ${last}`);
    }
    assert.deepEqual(await tracesOf(session, apiKey), []);
    assert.equal(emulator.requests.length, 0);
  });

  it("A19: isn't stored if the service rejects it, unless the user skips the test", async () => {
    const session = await fresh();
    const { workbench } = session;
    const { quickInput } = workbench;
    await workbench.runCommand('Hosted Model: Set Up...');
    const rejectedKey = 'rejected-key-0123456789';
    await answerSetUp(workbench, { ...answers(), apiKey: rejectedKey });
    await quickInput.pick('$(beaker) Test and Save');
    const { validation } = await quickInput.waitFor({ step: '2/5', validation: /rejected/ });
    assert.match(validation, /expired|deleted/);
    assert.equal(await secretNames(session), '');
    // Setup doesn't offer to keep a rejected key, so the test enters the key again.
    await quickInput.type(rejectedKey);
    for (const step of ['2/5', '3/5', '4/5']) {
      await quickInput.waitFor({ step });
      await quickInput.accept();
    }
    await quickInput.pick('$(save) Save Without Testing');
    await workbench.notifications.waitFor(/is set up/);
    // In a browser, VS Code reports a secret as stored even before it has been encrypted and
    // written.
    await workbench.screen.until('a secret', async () => (await secretNames(session)) || undefined);
    assert.equal(emulator.count(tokenPath), 1);
  });

  it('A09: stays bound to its hosts if the user clicks Keep Saved Hosts', async () => {
    const session = await openWindow(emulator, {
      folderFiles: { 'a.txt': 'Write a reply.\n' },
      userSettings: { 'hostedModel.projectId': 'another-project' },
    });
    const { workbench } = session;
    await storeKey(session, apiKey);
    const mine = { ...settingsOf(emulator), 'hostedModel.projectId': projectId };
    const evil = await startUnapproved();
    await workbench.applyUserSettings({ ...mine, 'hostedModel.url': evil.secureUrl });
    await generateFrom(session);
    await workbench.dialogs.click('Keep Saved Hosts');
    const { json } = await emulator.requestCount(chatPath, 1);
    assert.equal((json as { project_id: string }).project_id, projectId);
    assert.match(await userSettings(session), new RegExp(`"hostedModel.url": "${emulator.url}"`));
    assert.doesNotMatch(await userSettings(session), new RegExp(evil.host));
    assertUntouched(evil);
    assert.equal(await workbench.dialogs.state(), undefined);
  });
});
