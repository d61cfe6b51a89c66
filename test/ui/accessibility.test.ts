import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { answerFor } from '../emulator/text.ts';
import { modeKeys } from '../vscode/keybindings.ts';
import { ScreenReader } from '../vscode/screenReader.ts';
import { apiKey, chatPath, generateByKeys, projectId, startService } from './service.ts';
import { nightly, openWorkbench, type Session } from './session.ts';

const letter = 'Write a reply.\n';
const answered = `Write a reply.\n${answerFor('Write a reply.')}\n`;

describe(`with only a keyboard and a screen reader ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  let reader: ScreenReader;
  before(async () => {
    emulator = await startService();
    session = await openWorkbench({
      folderFiles: { 'letter.txt': letter },
      userSettings: { 'hostedModel.authUrl': emulator.url, 'hostedModel.url': emulator.url },
    });
    const { screen } = session.workbench;
    await screen.read(watchPointer);
    reader = await ScreenReader.on(screen);
  });
  after(() => emulator.close());

  it('the status item announces the state, and setup announces each step', async () => {
    const { editor, page, quickInput, screen } = session.workbench;
    await session.workbench.openFile(session.path('letter.txt'));
    await editor.selectLines(1);
    const isOn = (place: string) =>
      screen.read<boolean>(`document.activeElement.closest('${place}') !== null`);
    await screen.until('the keyboard on the status item', async () => {
      if (await isOn('[id$="hostedModel.token"]')) return true;
      // VS Code redraws the status bar when an item is added late, and the bar then loses focus.
      await page.keyboard.press((await isOn('.part.statusbar')) ? 'ArrowRight' : 'F6');
      return undefined;
    });
    const name = 'Hosted Model: not set up';
    await reader.waitForKeyboardOn({ role: 'button', name });
    await page.keyboard.press('Enter');

    const title = 'Set Up Hosted Model';
    const typed = async (label: string, description: RegExp, answer: string) => {
      await reader.waitForKeyboardOn({ role: 'textbox', name: `${label} - ${title}`, description });
      await page.keyboard.insertText(answer);
      await page.keyboard.press('Enter');
    };
    await reader.waitForMarked({ role: 'option', name: 'IBM watsonx.ai, ibm (current)' });
    await page.keyboard.press('Enter');
    await typed('Paste the API key', /kept in VS Code’s secret storage/, apiKey);
    await typed('Project ID', /project to bill/, projectId);
    await quickInput.waitFor({ step: '4/5' });
    await reader.waitForMarked({ role: 'option', name: `${emulator.url}, (current)` });
    await page.keyboard.press('Enter');
    await reader.waitForKeyboardOn({
      role: /textbox|combobox/,
      name: `Check the hosts before you continue - ${title}`,
      description: `The API key and selected text go to ${new URL(emulator.url).host}`,
    });
    await reader.waitForMarked({
      role: 'option',
      name: /Test and Save, Checks the credentials, project/,
    });
    await page.keyboard.press('Enter');
    await reader.waitForAloud('Info: Hosted Model is set up. The key is in secret storage.');
    await reader.waitForKeyboardOn({ role: 'textbox', name: 'letter.txt' });
  });

  it('a generation announces its start, and then its completion or the reason it failed', async () => {
    const { editor, page } = session.workbench;
    await generateByKeys(session);
    await reader.waitForAloud('Hosted Model: Generating… Esc cancels');
    await reader.waitForAloud('Hosted Model: The response is complete');
    await editor.waitForText(answered);
    await page.keyboard.press('Control+Z');
    await editor.waitForText(letter);

    emulator.faults.next(chatPath, { status: 400 });
    await generateByKeys(session);
    await reader.waitForAloud(/^Error: The service rejected the request/);
    const message = page.getByRole('dialog', { name: /rejected the request/ });
    await message.getByRole('button', { name: 'Open Settings' }).waitFor();
    await session.workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('a preview has named buttons and can be accepted with a shortcut', async () => {
    const { editor, page } = session.workbench;
    await editor.focus();
    await page.keyboard.press(modeKeys.preview);
    for (const name of ['Accept Preview (Ctrl+Enter)', 'Discard Preview (Ctrl+Backspace)']) {
      await page.getByRole('button', { name, exact: true }).waitFor();
    }
    await editor.waitForTitle('letter.txt (preview)');
    await editor.waitForModifiedText(`${answerFor('Write a reply.')}\n`);
    await page.keyboard.press('Control+Enter');
    await editor.waitForTitle('letter.txt');
    await editor.waitForText(`${answerFor('Write a reply.')}\n`);
  });

  it('a diagnosis announces the cause and selects the fix', async () => {
    const { page, quickInput } = session.workbench;
    emulator.settings.apiKeys = [];
    await session.workbench.runCommand('Hosted Model: Diagnose Connection');
    await quickInput.waitFor({ item: '$(copy) Copy Report' });
    await reader.waitForKeyboardOn({
      role: /textbox|combobox/,
      name: 'Press Enter to run the selected action - Diagnose Connection',
      description: /rejected the API key/,
    });
    await reader.waitForMarked({ role: 'option', name: /Set Up\.\.\., .*rejected the API key/ });
    await page.getByRole('option', { name: /Key and token: failed/ }).waitFor();
    await page.keyboard.press('Enter');
    await quickInput.waitFor({ step: '2/5' });
    await page.keyboard.press('Escape');
  });

  it('no step requires a pointing device', async () => {
    assert.equal(await session.workbench.screen.read<boolean>('globalThis.wasPointed'), false);
  });
});

const watchPointer = `(() => {
  globalThis.wasPointed = false;
  addEventListener('pointerdown', () => { globalThis.wasPointed = true; }, true);
})()`;
