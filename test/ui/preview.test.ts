import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Emulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import { modeKeys } from '../vscode/keybindings.ts';
import { ScreenReader } from '../vscode/screenReader.ts';
import { chatPath, generate, openWindow, startService, storeKey } from './service.ts';
import { nightly, type Session } from './session.ts';

const accept = 'Hosted Model: Accept Preview';
const discard = 'Hosted Model: Discard Preview';

const letter = 'Dear Sam,\nsee you soon.\nYours, Kim\n';
const answer = 'we shall meet\non Monday.';
const answered = 'Dear Sam,\nwe shall meet\non Monday.\nYours, Kim\n';

const names = ['title', 'palette', 'key'].flatMap((control) => [
  `accept-${control}`,
  `discard-${control}`,
]);
const others = ['closed', 'typed', 'coming', 'escaped', 'keys', 'two', 'other', 'gone', 'stopped'];

describe(`a preview ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    session = await openWindow(emulator, {
      userSettings: { 'hostedModel.insertMode': 'preview' },
      folderFiles: Object.fromEntries([...names, ...others].map((name) => [`${name}.txt`, letter])),
    });
    await storeKey(session);
  });
  beforeEach(async () => {
    emulator.settings.answer = () => answer;
    await session.workbench.runCommand('View: Close All Editors');
  });
  after(() => emulator.close());

  const selectIn = async (file: string) => {
    await session.workbench.openFile(session.path(file));
    await session.workbench.editor.selectLines(2);
  };
  /** Generates a response, and waits until the preview shows this text. */
  const preview = async (file: string, shown: string | RegExp = answered) => {
    const { workbench } = session;
    await selectIn(file);
    await workbench.runCommand(generate);
    await workbench.editor.waitForTitle(titleOf(file));
    await workbench.editor.waitForModifiedText(shown);
  };
  /**
   * Makes the service pause after the first four events of its next response. The rest arrives when
   * the returned gate is opened.
   */
  const stalled = () => {
    const rest = gate();
    const beforePart = (index: number) => (index < 4 ? Promise.resolve() : rest.opened);
    emulator.faults.next(chatPath, { beforePart });
    return rest;
  };
  const onDisk = (file: string) => readFileSync(session.path(file), 'utf8');

  const controls: Readonly<Record<string, (what: 'Accept' | 'Discard') => Promise<void>>> = {
    title: (what) => session.workbench.editor.clickTitleButton(`${what} Preview`),
    palette: (what) => session.workbench.runCommand(`Hosted Model: ${what} Preview`),
    key: (what) => session.workbench.page.keyboard.press(keys[what]),
  };
  const keys = { Accept: 'Control+Enter', Discard: 'Control+Backspace' };

  for (const [control, choose] of Object.entries(controls)) {
    it(`can be undone in one step after it is accepted (${control})`, async () => {
      const { editor, page } = session.workbench;
      const file = `accept-${control}.txt`;
      await preview(file);
      await choose('Accept');
      await editor.waitForTitle(file);
      await editor.waitForText(answered);
      await editor.waitForPosition('Ln 3, Col 11');
      await page.keyboard.press('Control+Z');
      await editor.waitForText(letter);
      await page.keyboard.press('Control+Y');
      await editor.save();
      assert.equal(onDisk(file), answered);
    });

    it(`leaves nothing to undo when it is discarded (${control})`, async () => {
      const { editor, page } = session.workbench;
      const file = `discard-${control}.txt`;
      await preview(file);
      await choose('Discard');
      await editor.waitForTitle(file);
      await editor.waitForPosition('Ln 2, Col 14 (13 selected)');
      await page.keyboard.press('Control+Z');
      await editor.waitForText(letter);
      assert.equal(await editor.hasUnsaved(file), false);
    });
  }

  it('is discarded, and its request is canceled, when its tab is closed', async () => {
    const { editor, notifications, page } = session.workbench;
    stalled();
    const arrived = emulator.nextRequest(chatPath);
    await preview('closed.txt', /we/);
    const request = await arrived;
    await page.locator('.tab.active .codicon-close-small').click();
    await emulator.disconnected(request);
    await editor.waitForTitle('closed.txt');
    await editor.waitForText(letter);
    // On a busy machine, the progress notification can stay visible until the request has ended.
    await notifications.waitUntilGone(/Generating/);
    assert.deepEqual(await notifications.list(), []);
    assert.equal(await session.workbench.listsCommand(accept), false);
    assert.equal(await session.workbench.listsCommand(discard), false);
  });

  it('reflects edits to its document, and inserts text in the right place', async () => {
    const { editor, page } = session.workbench;
    const typed = (text: string) => `New: ${text.replace('Kim', 'Kim, too')}`;
    await preview('typed.txt');
    await session.workbench.openFile(session.path('typed.txt'));
    await editor.waitForTitle('typed.txt');
    await editor.placeCursor(1, 1);
    await editor.type('New: ');
    await editor.placeCursor(3, 11);
    await editor.type(', too');
    await editor.waitForText(typed(letter));
    await session.workbench.runCommand('View: Open Next Editor');
    await editor.waitForTitle(titleOf('typed.txt'));
    await editor.waitForModifiedText(typed(answered));
    await page.keyboard.press('Control+Enter');
    await editor.waitForTitle('typed.txt');
    await editor.waitForText(typed(answered));
    await page.keyboard.press('Control+Z');
    await editor.waitForText(typed(letter));
    await page.keyboard.press('Control+Y');
    await editor.save();
    assert.equal(onDisk('typed.txt'), typed(answered));
  });

  it("can't be accepted before the response is complete", async () => {
    const { editor, notifications } = session.workbench;
    const rest = stalled();
    await preview('coming.txt', /we/);
    await controls['key']?.('Accept');
    await notifications.waitFor('Wait until the preview is complete, then accept it.');
    assert.equal(await editor.hasUnsaved('coming.txt'), false);
    rest.open();
    await editor.waitForModifiedText(answered);
    await notifications.close(/Wait until the preview is complete/);
    await controls['key']?.('Accept');
    await editor.waitForText(answered);
    assert.equal(await editor.savedText(session.path('coming.txt')), answered);
  });

  it('can be accepted with a partial response after the user presses Escape', async () => {
    const { editor, notifications, page, screen } = session.workbench;
    const reader = await ScreenReader.on(screen);
    stalled();
    const arrived = emulator.nextRequest(chatPath);
    await preview('escaped.txt', /we/);
    const request = await arrived;
    await page.keyboard.press('Escape');
    await emulator.disconnected(request);
    // The preview can be accepted only after the generation has ended.
    await reader.waitForAloud('Hosted Model: Canceled, partial response kept');
    assert.equal(await editor.title(), titleOf('escaped.txt'));
    const partial = await editor.modifiedText();
    assert.match(partial, /^Dear Sam,\nwe.*\nYours, Kim\n$/);
    await controls['key']?.('Accept');
    await editor.waitForTitle('escaped.txt');
    await editor.waitForText(partial);
    await editor.save();
    assert.deepEqual(await notifications.list(), []);
  });

  it('inserts its text in the right place after another preview is accepted', async () => {
    const { editor } = session.workbench;
    await preview('two.txt');
    await session.workbench.openFile(session.path('two.txt'));
    await editor.waitForTitle('two.txt');
    await editor.selectLines(3);
    emulator.settings.answer = () => 'Kim\nand all';
    await session.workbench.runCommand(generate);
    await editor.waitForModifiedText('Dear Sam,\nsee you soon.\nKim\nand all\n');
    await controls['title']?.('Accept');
    await editor.waitForText('Dear Sam,\nsee you soon.\nKim\nand all\n');
    await session.workbench.runCommand('View: Open Next Editor');
    await editor.waitForTitle(titleOf('two.txt'));
    await controls['title']?.('Accept');
    await editor.waitForTitle('two.txt');
    await editor.waitForText('Dear Sam,\nwe shall meet\non Monday.\nKim\nand all\n');
    await editor.save();
  });

  it('reopens its document if the document is closed before the preview is accepted', async () => {
    const { editor } = session.workbench;
    await preview('gone.txt');
    await session.workbench.runCommand('View: Close Other Editors in Group');
    await editor.waitForTitle(titleOf('gone.txt'));
    await controls['key']?.('Accept');
    await editor.waitForTitle('gone.txt');
    await editor.waitForText(answered);
    await editor.save();
    assert.equal(onDisk('gone.txt'), answered);
  });

  it('cancels only its own generation when the user presses Escape', async () => {
    const { editor, page } = session.workbench;
    const rest = stalled();
    await session.workbench.openFile(session.path('other.txt'));
    await editor.selectLines(2);
    await page.keyboard.press(modeKeys.below);
    await editor.waitForText(/we/);
    stalled();
    const arrived = emulator.nextRequest(chatPath);
    await preview('stopped.txt', /we/);
    const request = await arrived;
    await page.keyboard.press('Escape');
    await emulator.disconnected(request);
    rest.open();
    await controls['key']?.('Discard');
    await editor.waitForTitle('stopped.txt');
    assert.equal(await editor.hasUnsaved('stopped.txt'), false);
    await session.workbench.openFile(session.path('other.txt'));
    await editor.waitForText(letter.replace('soon.', `soon.\n${answer}`));
    await editor.save();
  });

  it('ignores its shortcuts while a search box has focus', async () => {
    const { editor, page, screen } = session.workbench;
    await preview('keys.txt');
    for (const [open, box] of [
      ['Find', '.find-widget textarea'],
      ['View: Show Search', '.search-view textarea'],
    ] as const) {
      await session.workbench.runCommand(open);
      const input = page.locator(box).first();
      await input.focus();
      await page.keyboard.type('two words');
      await page.keyboard.press('Control+Backspace');
      await page.keyboard.press('Control+Enter');
      await screen.until('a word to be deleted and nothing else', async () =>
        (await input.inputValue()).trimEnd() === 'two' ? true : undefined,
      );
      assert.equal(await editor.title(), titleOf('keys.txt'), open);
      assert.equal(await editor.hasUnsaved('keys.txt'), false, open);
    }
    // The keys work on both sides of the diff editor.
    await page.locator('.editor.original .view-lines').click();
    await page.keyboard.press('Control+Backspace');
    await editor.waitForTitle('keys.txt');
  });
});

it(`a preview shows its title, buttons, and diff in both themes and at two widths ${nightly}`, async () => {
  const emulator = await startService();
  const session = await openWindow(emulator, {
    userSettings: { 'hostedModel.insertMode': 'preview' },
    folderFiles: { 'letter.txt': letter },
  });
  const { editor, page } = session.workbench;
  await storeKey(session);
  emulator.settings.answer = () => answer;
  await session.workbench.openFile(session.path('letter.txt'));
  await editor.selectLines(2);
  await session.workbench.runCommand(generate);
  for (const theme of ['dark', 'light'] as const) {
    if (theme === 'light') await session.workbench.toggleTheme();
    for (const width of [1280, 600]) {
      await page.setViewportSize({ width, height: 600 });
      await editor.waitForTitle(titleOf('letter.txt'));
      await editor.waitForModifiedText(answered);
      await session.workbench.screenshot(`preview-${theme}-${width}`);
      const buttons = await editor.titleButtons();
      assert.deepEqual(buttons.slice(0, 2), [
        'Accept Preview (Ctrl+Enter)',
        'Discard Preview (Ctrl+Backspace)',
      ]);
    }
  }
  await editor.clickTitleButton('Accept Preview');
  await editor.waitForText(answered);
  await emulator.close();
});

function titleOf(file: string): string {
  return `${file} (preview)`;
}
