import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { gate } from '../../emulator/faults.ts';
import {
  type AwaitingApproval,
  assertUntouched,
  notApprovedYet,
  startUnapproved,
  type UnapprovedListener,
} from '../../emulator/unapproved.ts';
import { takePicture } from '../pictures.ts';
import {
  chatPath,
  externalCredentials,
  generateFrom,
  giveUpSetUp,
  statusId,
  tokenPath,
} from '../service.ts';
import { nightly, openWorkbench, type Session } from '../session.ts';

const key = 'key-in-the-env-file-0123';
const question = /Use the API key, project ID, and service URL from the \.env file/;

describe(`a .env file in a folder ${nightly}`, () => {
  let first: Emulator;
  let unapproved: AwaitingApproval;
  /** A service that is never approved in these tests. */
  let second: UnapprovedListener;
  beforeEach(async () => {
    const projectIds = ['first-project', 'second-project'];
    first = await startEmulator({ apiKeys: [key], projectIds });
    unapproved = notApprovedYet(first);
    second = await startUnapproved();
  });
  afterEach(async () => {
    await first.close();
    assertUntouched(second);
  });

  const hostOf = ({ url }: { readonly url: string }) => new URL(url).host;
  const textFor = ({ url }: { readonly url: string }, project = 'first-project') =>
    externalCredentials({ key, project, url }).text;
  const open = (options: Parameters<typeof openWorkbench>[0] = {}, text = textFor(first)) =>
    openWorkbench({
      folderFiles: { 'a.txt': 'Write a reply.\n', '.env': text },
      // The address of the identity service comes from the user settings, whatever the file
      // contains.
      userSettings: { 'hostedModel.authUrl': first.url, ...options.userSettings },
      ...options,
    });
  const answered = ({ workbench }: Session) =>
    workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) \d+m$/ });

  it('B07 B08 B09 G06: is offered only if the folder is trusted and, once declined, is offered again only on request or after a change', async () => {
    const session = await open({ trust: 'restricted' });
    const { workbench, path } = session;
    const { dialogs } = workbench;
    await generateFrom(session);
    const text = await giveUpSetUp(workbench);
    assert.match(text, /needs an API key, a project ID, and a service URL/);
    assert.match(text, /the \.env file in project \(the workspace isn’t trusted\)/);
    assert.equal(await dialogs.state(), undefined);
    assertUntouched(unapproved, second);

    await workbench.trustFolder();
    await generateFrom(session);
    const dialog = await dialogs.waitFor(question);
    assert.match(dialog.detail, new RegExp(`Folder: ${session.folder}`));
    assert.match(dialog.detail, new RegExp(`selected text go(es)? to ${hostOf(first)}`, 'i'));
    assert.doesNotMatch(dialog.detail, new RegExp(key));
    assertUntouched(unapproved, second);
    assert.equal(await workbench.screen.read('document.activeElement.textContent'), 'Do Not Use');
    await workbench.page.keyboard.press('Enter');
    await workbench.notifications.close(/needs an API key/);

    await generateFrom(session);
    const message = await giveUpSetUp(workbench);
    assert.match(message, /the \.env file in project \(you declined or imported it\)/);
    const other = await session.anotherWindow();
    await generateFrom(session, 'a.txt', other);
    // The user's decision also applies in a new window.
    await other.quickInput.waitFor({ step: /^1\//, prompt: /You declined or imported the \.env/ });
    await other.quickInput.dismiss();
    await other.notifications.click(/you declined or imported it/, 'Ask Again');
    await other.dialogs.waitFor(question);
    await other.page.keyboard.press('Enter');

    await writeFile(path('.env'), textFor(first, 'second-project'));
    await generateFrom(session, 'a.txt', other);
    await other.dialogs.waitFor(question);
    assertUntouched(unapproved, second);
  });

  for (const theme of ['dark', 'light'] as const) {
    it(`B13: is used only after a warning about which account receives text (${theme})`, async () => {
      // Uses another name for the identity service's host so that the prompt shows two different
      // hosts.
      const authUrl = first.url.replace('127.0.0.1', 'localhost');
      const session = await open({
        theme,
        viewport: { width: 1100, height: 640 },
        userSettings: { 'hostedModel.authUrl': authUrl },
      });
      const { workbench } = session;
      await generateFrom(session);
      const { detail, buttons } = await workbench.dialogs.waitFor(question);
      assert.match(detail, /text goes to the account that this API key belongs to/);
      assert.deepEqual(buttons.sort(), [
        'Cancel',
        'Do Not Use',
        'Import into Secret Storage',
        'Use These Values',
      ]);
      const clip = await workbench.page.locator('.monaco-dialog-box').boundingBox();
      assert.ok(clip);
      await takePicture(workbench.page, `approval-${theme}`, clip);
      unapproved.approve();
      await workbench.dialogs.click('Use These Values');
      await answered(session);
      const tooltip = await workbench.statusItem(statusId).tooltip();
      assert.match(
        tooltip,
        /Credentials come from the \.env file in project, because secret storage and user settings have no usable API key\./,
      );
      assert.match(tooltip, new RegExp(`Service: ${hostOf(first)}`));
      await workbench.screenshot(`env-file-tooltip-${theme}`);
      const token = first.requests.find(({ path }) => path === tokenPath);
      assert.equal(token?.form?.['apikey'], key);
      const { json } = await first.requestCount(chatPath, 1);
      assert.equal((json as { project_id: string }).project_id, 'first-project');
    });
  }

  it('B08: needs a new approval if it changes while the approval dialog is open', async () => {
    const session = await open();
    const { dialogs } = session.workbench;
    await generateFrom(session);
    await dialogs.waitFor(question);
    await writeFile(session.path('.env'), textFor(second));
    await dialogs.click('Use These Values');
    const again = await session.workbench.screen.until(
      'the question about the new host',
      async () => {
        const state = await dialogs.state();
        return state?.detail.includes(hostOf(second)) ? state : undefined;
      },
    );
    assert.doesNotMatch(again.detail, new RegExp(`selected text go(es)? to ${hostOf(first)}`, 'i'));
    assertUntouched(unapproved, second);
    await dialogs.click('Do Not Use');
    await session.workbench.notifications.close(/needs an API key/);
    assert.equal(await session.workbench.quickInput.state(), undefined, 'no setup opens');
    assertUntouched(unapproved, second);
  });

  it("B08: can't add a link to the approval dialog through its folder name", async () => {
    const name = '[Repair](command:workbench.action.showCommands)';
    const session = await openWorkbench({
      folderFiles: { [`${name}/a.txt`]: 'Write a reply.\n', [`${name}/.env`]: textFor(first) },
      userSettings: { 'hostedModel.authUrl': first.url },
    });
    const window = await session.anotherWindow(session.path(name));
    await generateFrom(session, `${name}/a.txt`, window);
    const { detail } = await window.dialogs.waitFor(question);
    assert.ok(detail.includes(`Folder: ${session.path(name)}`), detail);
    assert.equal(await window.page.locator('.monaco-dialog-box a[href]').count(), 0);
  });

  it('B22: can change during a generation without affecting it, but then needs new approval', async () => {
    const session = await open();
    const { workbench, path } = session;
    await generateFrom(session);
    const stalled = gate();
    first.faults.next(chatPath, { hold: stalled.opened });
    await workbench.dialogs.waitFor(question);
    unapproved.approve();
    await workbench.dialogs.click('Use These Values');
    await first.requestCount(chatPath, 1);
    await writeFile(path('.env'), textFor(second));
    stalled.open();
    // Don't wait for the status item to show the token. After the change, Hosted Model looks up the
    // credentials again, and the item then no longer shows the token.
    await workbench.editor.waitForText(/only counts/);
    assertUntouched(second);
    const before = first.requests.length;
    await generateFrom(session);
    const { detail } = await workbench.dialogs.waitFor(question);
    assert.match(detail, new RegExp(`selected text go(es)? to ${hostOf(second)}`, 'i'));
    assert.equal(first.requests.length, before);
    assertUntouched(second);
  });

  it("B20: isn't used after an import, but triggers a warning about its key", async () => {
    const session = await open();
    const { workbench, path } = session;
    const { quickInput, dialogs, notifications } = workbench;
    execFileSync('git', ['init', '--quiet'], { cwd: session.folder });
    await workbench.page.waitForSelector('.statusbar-item[aria-label*="(Git)"]');
    await generateFrom(session);
    await dialogs.waitFor(question);
    await dialogs.click('Import into Secret Storage');
    await quickInput.waitFor({ step: '4/4' });
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '3/4', item: first.url });
    await quickInput.clickButton('Back');
    assert.equal((await quickInput.waitFor({ step: '2/4' })).value, 'first-project');
    await quickInput.clickButton('Back');
    const step = await quickInput.waitFor({
      step: '1/4',
      placeholder: /keep the imported value/,
    });
    assert.equal(step.value, '');
    for (const asked of ['1/4', '2/4', '3/4']) {
      await quickInput.waitFor({ step: asked });
      await quickInput.accept();
    }
    await quickInput.waitFor({ step: '4/4', prompt: new RegExp(`text go to ${hostOf(first)}`) });
    assertUntouched(second);
    unapproved.approve();
    await quickInput.pick('$(save) Save Without Testing');
    await notifications.waitFor(
      /\.env file still contains the key, and Git doesn’t ignore the file/,
    );
    await first.requestCount(chatPath, 1);
    assert.equal(first.count(tokenPath), 1);

    await writeFile(path('.env'), textFor(second));
    await generateFrom(session);
    await first.requestCount(chatPath, 2);
    assert.equal(await dialogs.state(), undefined);
    assertUntouched(second);
  });
});
