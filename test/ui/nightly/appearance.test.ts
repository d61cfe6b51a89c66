import assert from 'node:assert/strict';
import type { Emulator } from '../../emulator/emulator.ts';
import { gate } from '../../emulator/faults.ts';
import { modeKeys } from '../../vscode/keybindings.ts';
import {
  apiKey,
  chatPath,
  generateByKeys,
  openWindow,
  startService,
  statusId,
} from '../service.ts';
import { nightly, type SessionOptions } from '../session.ts';

const looks: Readonly<Record<string, Pick<SessionOptions, 'theme' | 'zoom'>>> = {
  'high-contrast': { theme: 'high contrast' },
  'high-contrast-light': { theme: 'high contrast light' },
  'zoom-200': { zoom: 2 },
};

/**
 * True if something covers the center of the status item, or if the quick input's message is cut
 * off.
 */
const isCutOff = `(() => {
  const item = document.querySelector('[id$="${statusId}"]');
  const { left, top, width, height } = item.getBoundingClientRect();
  const isCovered = !item.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  const message = document.querySelector('.quick-input-widget .quick-input-message');
  return isCovered || (message !== null && message.scrollWidth > message.clientWidth + 1);
})()`;

/**
 * Color of the decoration after the selected line. VS Code renders it as a CSS pseudo-element.
 */
const colourOfMark = `[...document.querySelectorAll('.view-line span')]
  .map((span) => getComputedStyle(span, '::after'))
  .find(({ content }) => content.includes('Generating…'))?.color`;

for (const [look, options] of Object.entries(looks)) {
  describe(`a window (${look}) ${nightly}`, () => {
    let emulator: Emulator;
    before(async () => {
      emulator = await startService();
    });
    after(() => emulator.close());

    it('never hides the status item or cuts off the quick input message', async () => {
      const session = await openWindow(emulator, {
        ...options,
        folderFiles: { 'letter.txt': 'Dear Sam,\nwrite a reply.\nYours, Kim\n' },
      });
      const { workbench, path } = session;
      const { editor, notifications, page, quickInput, screen } = workbench;
      const status = workbench.statusItem(statusId);
      const picture = async (of: string) => {
        await workbench.screenshot(`${look}-${of}`);
        assert.equal(await screen.read<boolean>(isCutOff), false, of);
      };
      await workbench.openFile(path('letter.txt'));
      await editor.selectLines(2);
      await status.waitFor({ text: /Set Up/ });
      await status.click();
      await page.mouse.move(1, 1);
      await quickInput.waitFor({ step: '1/5' });
      await quickInput.accept();
      await quickInput.waitFor({ step: '2/5' });
      await quickInput.type('<API_KEY>');
      await quickInput.waitFor({ validation: /placeholder/ });
      await picture('1-placeholder');
      await quickInput.type(apiKey);
      await quickInput.accept();
      await quickInput.waitFor({ step: '3/5' });
      await quickInput.accept();
      await quickInput.waitFor({ step: '4/5' });
      await picture('2-region');
      await quickInput.accept();
      await quickInput.waitFor({ step: '5/5' });
      await picture('3-hosts');
      await quickInput.accept();
      await notifications.waitFor(/is set up/);
      await picture('4-set-up');
      await notifications.close(/is set up/);

      const rest = gate();
      emulator.faults.next(chatPath, { hold: rest.opened });
      await editor.focus();
      await generateByKeys(session);
      await notifications.progress(/Generating/);
      assert.notEqual(await screen.read<string>(colourOfMark), 'rgba(0, 0, 0, 0)');
      await picture('5-generating');
      rest.open();
      await editor.waitForText(/only counts/);
      await notifications.waitUntilGone(/Generating/);
      await page.keyboard.press('Control+Z');

      await page.keyboard.press(modeKeys.preview);
      await editor.waitForTitle('letter.txt (preview)');
      await editor.waitForModifiedText(/only counts/);
      await picture('6-preview');
      await page.keyboard.press('Control+Backspace');
      await editor.waitForTitle('letter.txt');

      emulator.settings.apiKeys = [];
      emulator.revokeTokens();
      await generateByKeys(session);
      await notifications.waitFor(/rejected the API key/);
      await status.waitFor({ background: 'error' });
      await picture('7-rejected');
      await notifications.close(/rejected the API key/);
      await workbench.runCommand('Hosted Model: Diagnose Connection');
      await quickInput.waitFor({ item: '$(copy) Copy Report' });
      await picture('8-diagnosis');
    });
  });
}
