import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import { ScreenReader } from '../vscode/screenReader.ts';
import {
  chatPath,
  generateByKeys,
  openWindow,
  stallAfter,
  startAfresh,
  startService,
  statusId,
  storeKey,
} from './service.ts';
import { nightly, type Session } from './session.ts';

const original = 'Write a poem.\nThe end.\n';
const names = ['retry', 'silence', 'late', 'switch', 'end', 'widgets', 'twice', 'narrow', 'menu'];
describe(`a running generation ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    session = await openWindow(emulator, {
      folderFiles: Object.fromEntries(names.map((name) => [`${name}.txt`, original])),
    });
    await storeKey(session);
  });
  after(() => emulator.close());
  beforeEach(async () => {
    await startAfresh(emulator, session);
    emulator.settings.answer = () => 'Roses are red and so on.';
  });

  const select = async (name: string, into = session) => {
    await into.workbench.openFile(into.path(`${name}.txt`));
    await into.workbench.editor.selectLines(1);
  };
  const stall = async (name: string) => {
    await select(name);
    return stallAfter(/Roses are/, emulator, session);
  };
  /** Starts a generation whose response is held until the returned gate opens. */
  const generateHeld = async (name: string) => {
    await select(name);
    const answer = gate();
    emulator.faults.next(chatPath, { hold: answer.opened });
    await generateByKeys(session);
    return answer;
  };
  const complete = 'Write a poem.\nRoses are red and so on.\nThe end.\n';

  it('shows the attempt number and delay of a retry', async () => {
    const { editor, notifications } = session.workbench;
    await select('retry');
    // Progress appears only after 2 s. By then, the first two backoffs may be over, so the test
    // makes three attempts fail, and waits for the third backoff.
    emulator.faults.next(chatPath, { recording: 22 }, 3);
    await generateByKeys(session);
    await notifications.progress(/Retrying in \ds \(attempt 4 of 4, 503\)/);
    await editor.waitForText(complete);
  });

  const offer = /No response for 20 seconds\. Retry or keep waiting\./;

  it('offers a retry over a new network connection if no response arrives', async () => {
    const { editor, notifications, page, screen } = session.workbench;
    const reader = await ScreenReader.on(screen);
    await select('silence');
    emulator.faults.next(chatPath, { neverAnswers: true });
    const arrived = emulator.nextRequest(chatPath);
    await generateByKeys(session);
    const silent = await arrived;
    const { buttons } = await notifications.progress(offer);
    assert.deepEqual(buttons, ['Cancel']);
    await reader.waitForAloud(offer);
    await session.workbench.screenshot('feedback-silence');
    const again = emulator.nextRequest(chatPath);
    await session.workbench.runCommand('Notifications: Focus Notification Toast');
    await screen.until('the keyboard on Retry', async () => {
      if (await screen.read(`document.activeElement.matches('a[href^="command:"]')`)) return true;
      await page.keyboard.press('Tab');
      return undefined;
    });
    await reader.waitForKeyboardOn({
      role: 'link',
      name: 'Retry',
      description: /Send the request/,
    });
    await page.keyboard.press('Enter');
    assert.notEqual((await again).connection, silent.connection);
    await editor.waitForText(complete);
    await notifications.waitUntilGone(/No response|Generating/);
  });

  it('stops offering Retry once the response arrives', async () => {
    const { editor, notifications } = session.workbench;
    const answer = await generateHeld('late');
    await notifications.progress(offer);
    answer.open();
    await editor.waitForText(complete);
    await notifications.waitUntilGone(offer);
    await session.workbench.showNotifications();
    const left = await notifications.list();
    assert.deepEqual(
      left.filter(({ text, running }) => running || offer.test(text)),
      [],
    );
  });

  it('mentions Escape only while its document is active', async () => {
    const { editor, notifications } = session.workbench;
    const answer = await generateHeld('switch');
    await notifications.progress(/Esc cancels$/);
    await session.workbench.openFile(session.path('end.txt'));
    await notifications.progress(/^Hosted Model: [^.…]+[.…]$/);
    await session.workbench.screenshot('feedback-other-file');
    await session.workbench.openFile(session.path('switch.txt'));
    await notifications.progress(/Esc cancels$/);
    answer.open();
    await editor.waitForText(complete);
  });

  it('can be canceled from the menu while another document is active', async () => {
    const { workbench } = session;
    const { request, open } = await stall('menu');
    await workbench.openFile(session.path('end.txt'));
    await workbench.runCommand('Hosted Model: Show Status and Actions');
    await workbench.quickInput.waitFor({ item: '$(stop-circle) Cancel' });
    await workbench.screenshot('feedback-menu');
    await workbench.quickInput.pick('$(stop-circle) Cancel');
    await emulator.disconnected(request);
    open();
  });

  it('announces its completion in a temporary alert beside the status item', async () => {
    const { screen } = session.workbench;
    await select('end');
    await generateByKeys(session);
    const alert = '[id$="hostedModel.announcement"] [role="alert"]';
    const label = `document.querySelector('${alert}')?.getAttribute('aria-label') ?? null`;
    // The announcement of the previous test's generation may still be shown.
    await screen.until('the announcement', async () =>
      (await screen.read<string | null>(label)) === 'Hosted Model: The response is complete'
        ? true
        : undefined,
    );
    await session.workbench.screenshot('feedback-end');
    await session.workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) \d+m$/ });
    await screen.until('the announcement to go', async () =>
      (await screen.read<string | null>(label)) === null ? true : undefined,
    );
  });

  it("isn't canceled when Escape closes the suggestions or the search box", async () => {
    const { editor, page, screen } = session.workbench;
    const { request, open } = await stall('widgets');
    await page.keyboard.press('Control+F');
    const search = page.locator('.find-widget.visible .input').first();
    await search.waitFor();
    // A busy window can lose a key press. Pressing Escape again is safe, because only the search
    // receives it.
    await screen.until('the search to close', async () => {
      if ((await search.count()) === 0) return true;
      await search.press('Escape', { timeout: 2_000 }).catch(() => {});
      return undefined;
    });
    await editor.focus();
    await page.keyboard.press('Control+Space');
    const suggestions = page.locator('.suggest-widget.visible');
    await suggestions.waitFor();
    await page.keyboard.press('Escape');
    await suggestions.waitFor({ state: 'hidden' });
    assert.equal(emulator.inFlight.inference, 1);
    await page.keyboard.press('Escape');
    await emulator.disconnected(request);
    open();
  });

  it("J30: isn't started a second time if the shortcut is pressed again", async () => {
    const { editor, notifications } = session.workbench;
    await select('twice');
    emulator.settings.answer = () => 'Short.';
    const answer = gate();
    emulator.faults.next(chatPath, { hold: answer.opened });
    await generateByKeys(session);
    await generateByKeys(session);
    await notifications.waitFor(/Already generating a response\. Press Escape to cancel/);
    answer.open();
    await editor.waitForText('Write a poem.\nShort.\nThe end.\n');
    assert.equal(emulator.count(chatPath), 1);
  });

  it('shows its progress in a narrow window without hiding the status item', async () => {
    const { workbench } = session;
    await workbench.toggleTheme();
    await workbench.page.setViewportSize({ width: 480, height: 640 });
    await select('narrow');
    const answer = gate();
    emulator.faults.next(chatPath, { hold: answer.opened });
    await generateByKeys(session);
    await workbench.notifications.progress(/Generating/);
    await workbench.screenshot('feedback-narrow');
    answer.open();
    await workbench.page.waitForSelector('[id$="hostedModel.announcement"]', { state: 'attached' });
    await workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) \d+m$/ });
    await workbench.screenshot('feedback-narrow-end');
    const isInView = `(() => {
      const item = document.querySelector('[id$="${statusId}"]');
      const { left, top, width, height } = item.getBoundingClientRect();
      return item.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    })()`;
    assert.equal(await workbench.screen.read<boolean>(isInView), true);
  });
});
