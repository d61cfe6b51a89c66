import assert from 'node:assert/strict';
import type { Emulator } from '../../emulator/emulator.ts';
import { assertUntouched, notApprovedYet } from '../../emulator/unapproved.ts';
import { answerSetUp, correctKey, enterKey } from '../../vscode/setUpWalk.ts';
import {
  apiKey,
  generate,
  openWindow,
  projectId,
  settingsOf,
  startService,
  statusId,
  storeKey,
} from '../service.ts';
import { nightly, openWorkbench } from '../session.ts';

describe(`the extension ${nightly}`, () => {
  let emulator: Emulator;
  let other: Emulator;
  beforeEach(async () => {
    emulator = await startService();
    other = await startService();
  });
  afterEach(() => Promise.all([emulator.close(), other.close()]));

  /** Opens a window with a rejected key, and generates text there. */
  const generateWithRejectedKey = async () => {
    const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'Write a reply.\n' } });
    const { workbench, path } = session;
    await storeKey(session, 'rejected-key-0123456789');
    await workbench.openFile(path('a.txt'));
    await workbench.editor.selectLines(1);
    await workbench.runCommand(generate);
    return workbench;
  };

  it("A08 A10: doesn't send anything to a new host until the user approves it", async () => {
    const unapproved = notApprovedYet(other);
    const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'Write a reply.\n' } });
    const { workbench, path } = session;
    const { dialogs } = workbench;
    await storeKey(session);
    await workbench.openFile(path('a.txt'));
    await workbench.applyUserSettings({ ...settingsOf(emulator), 'hostedModel.url': other.url });
    await workbench.openFile(path('a.txt'));
    await workbench.editor.selectLines(1);

    await workbench.runCommand(generate);
    const dialog = await dialogs.waitFor(/Your API key was saved for different hosts/);
    const [oldHost, newHost] = [new URL(emulator.url).host, new URL(other.url).host];
    assert.match(dialog.detail, new RegExp(`The API key would still go to ${oldHost}`));
    assert.match(
      dialog.detail,
      new RegExp(`text went to ${oldHost}\\s*and would now go to ${newHost}`),
    );
    const focused = await workbench.page.evaluate<string>('document.activeElement.textContent');
    assert.equal(focused, 'Keep Saved Hosts', 'Enter keeps the saved hosts');
    await workbench.screenshot('approval');
    const status = workbench.statusItem(statusId);
    await status.waitFor({ text: /needs your approval$/, background: 'error' });
    await dialogs.click('Cancel');
    assert.equal(emulator.requests.length, 0);
    assertUntouched(unapproved);

    await workbench.runCommand(generate);
    await dialogs.waitFor(/Your API key was saved for different hosts/);
    unapproved.approve();
    await dialogs.click('Use New Hosts');
    await other.requestCount('/ml/v1/text/chat_stream', 1);
    await status.waitFor({ text: /\d+m/ });
    assert.equal(emulator.count('/ml/v1/text/chat_stream'), 0);
    assert.equal(other.count('/identity/token'), 0, 'the key stays with its identity host');
  });

  it("reports a rejected key, and doesn't send it again", async () => {
    const workbench = await generateWithRejectedKey();
    const message = await workbench.notifications.waitFor(/rejected the API key/);
    assert.equal(message.severity, 'error');
    assert.deepEqual(message.buttons, ['Set Up...', 'Refresh Token', 'Show Log']);
    const status = workbench.statusItem(statusId);
    await status.waitFor({
      text: '$(error) Hosted Model: credentials rejected',
      background: 'error',
      ariaLabel: /credentials rejected/,
    });
    await workbench.screenshot('key-rejected');
    await workbench.notifications.close(/rejected the API key/);
    await workbench.runCommand(generate);
    await workbench.notifications.waitFor(/rejected the API key/);
    assert.equal(emulator.count('/identity/token'), 1);

    await workbench.notifications.click(/rejected the API key/, 'Set Up...');
    await correctKey(workbench, apiKey);
    // Setup replaces a rejected key without asking the user.
    await workbench.quickInput.pick('$(beaker) Test and Save');
    await status.waitFor({ text: /\d+m/, background: 'none' });
    const arrived = emulator.nextRequest('/ml/v1/text/chat_stream');
    await workbench.notifications.click(/changes are saved/, 'Retry');
    await arrived;
  });

  it('ignores Retry in one message if the user has already retried from another', async () => {
    const workbench = await generateWithRejectedKey();
    await workbench.notifications.waitFor(/rejected the API key/);
    await workbench.runCommand('Hosted Model: Set Up...');
    await enterKey(workbench, apiKey);
    await workbench.quickInput.pick('$(beaker) Test and Save');
    await workbench.notifications.waitFor(/changes are saved/);
    await workbench.notifications.click(/rejected the API key/, 'Refresh Token');
    const sent = emulator.nextRequest('/ml/v1/text/chat_stream');
    await workbench.notifications.click(/token was refreshed/, 'Retry');
    await sent;
    await workbench.statusItem(statusId).waitFor({ text: /\d+m/ });
    await workbench.notifications.click(/changes are saved/, 'Retry');
    // By the time this command ends, the second Retry would have sent its generation request.
    await workbench.runCommand('Hosted Model: Refresh Token');
    await workbench.notifications.waitFor(/token was refreshed/);
    assert.equal(emulator.count('/ml/v1/text/chat_stream'), 1);
  });

  it('lets the user replace an invalid address during setup', async () => {
    const session = await openWindow(emulator, {
      userSettings: { 'hostedModel.url': 'http://service.example' },
    });
    const { quickInput } = session.workbench;
    await session.workbench.runCommand('Hosted Model: Set Up...');
    await answerSetUp(session.workbench, { apiKey, projectId, url: emulator.url });
    await quickInput.pick('$(beaker) Test and Save');
    await session.workbench.notifications.waitFor(/is set up/);
  });

  it('shows full host names in a narrow window before saving a key', async () => {
    const host = 'us-south.ml.cloud.ibm.com.a-very-long-name-of-an-attacker.example';
    const session = await openWindow(emulator, {
      userSettings: { 'hostedModel.url': `https://${host}` },
      viewport: { width: 700, height: 500 },
    });
    await session.workbench.runCommand('Hosted Model: Set Up...');
    await enterKey(session.workbench, apiKey);
    const message = session.workbench.page.locator('.quick-input-widget .quick-input-message');
    const text = (await message.textContent()) ?? '';
    await session.workbench.screenshot('hosts-narrow');
    assert.ok(text.includes(new URL(emulator.url).host) && text.includes(host), text);
    const clipped = await session.workbench.page.evaluate<boolean>(
      `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)(document.querySelector('.quick-input-widget .quick-input-message'))`,
    );
    assert.equal(clipped, false);
    assert.equal(emulator.requests.length, 0);
  });

  it('lets the user pick a model before a key is stored', async () => {
    const { workbench } = await openWorkbench({
      userSettings: { 'hostedModel.url': emulator.url },
    });
    await workbench.runCommand('Hosted Model: Select Model...');
    const list = await workbench.quickInput.waitFor({ item: 'granite-3-3-8b-instruct' });
    const deprecated = list.items.find(({ label }) => label === 'granite-3-3-8b-instruct');
    assert.match(
      deprecated?.detail ?? '',
      /deprecated, will be withdrawn on 2027-01-15, successor ibm\/granite-4-h-small/,
    );
    await workbench.screenshot('models');
    await workbench.quickInput.pick('granite-3-3-8b-instruct');
    await workbench.quickInput.waitUntilClosed();
    await workbench.statusItem(statusId).waitForTooltip('ibm/granite-3-3-8b-instruct');
    assert.deepEqual(
      emulator.requests.map(({ path }) => path),
      ['/ml/v1/foundation_model_specs'],
    );
    assert.equal(emulator.requests[0]?.headers['authorization'], undefined);
  });

  it('links to setup from the settings editor', async () => {
    const session = await openWindow(emulator, { theme: 'light' });
    const { workbench } = session;
    await storeKey(session);
    await workbench.runCommand('Hosted Model: Show Status and Actions');
    await workbench.quickInput.pick('$(gear) Open Settings');
    const item = workbench.page
      .locator('.settings-editor .setting-item-contents')
      .filter({ hasText: 'Service address' });
    const link = item.getByText('Set Up...', { exact: true });
    await link.waitFor();
    await workbench.screenshot('settings');
    await link.click();
    await workbench.quickInput.waitFor({ step: '1/5' });
  });
});
