import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { commandKeys } from '../vscode/keybindings.ts';
import {
  chatPath,
  generate,
  generateFrom,
  openWindow,
  stallAfter,
  startAfresh,
  startService,
  storeKey,
} from './service.ts';
import { nightly, type Session } from './session.ts';

const original = 'Write a poem.\nThe end.\n';
const poem = 'Roses are red,\n\tviolets – blue 🌹\n\n  and “this”  is  new.';
const complete = `Write a poem.\n${poem}\nThe end.\n`;
const names = [
  'whole',
  'undone',
  'palette',
  'cancelled',
  'broken',
  'widgets',
  'twice',
  'loss0',
  'loss1',
];
const cut = /The response reached the limit of [\d,]+ tokens\./;
const continueIt = 'Hosted Model: Continue';
const tryAgain = 'Hosted Model: Try Again';
const undoIt = 'Hosted Model: Undo Generation';
const showLast = 'Hosted Model: Show Last Response';

describe(`the latest response ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    session = await openWindow(emulator, {
      folderFiles: Object.fromEntries(names.map((name) => [`${name}.txt`, original])),
      userSettings: { 'hostedModel.parameters': { max_new_tokens: 6 } },
    });
    await storeKey(session);
  });
  after(() => emulator.close());
  beforeEach(async () => {
    await startAfresh(emulator, session);
    emulator.settings.answer = () => poem;
  });

  const select = async (name: string) => {
    await session.workbench.openFile(session.path(`${name}.txt`));
    await session.workbench.editor.selectLines(1);
  };
  const saved = (name: string) => session.workbench.editor.savedText(session.path(`${name}.txt`));
  const run = (title: string) => session.workbench.runCommand(title);
  const stall = async (name: string) => {
    await select(name);
    return stallAfter(/Roses are/, emulator, session);
  };

  it("can't be continued, retried, undone, or shown before the first generation", async () => {
    const { page } = session.workbench;
    const messagesByKey: [key: string, message: RegExp][] = [
      [commandKeys.continueGeneration, /No response here reached a limit/],
      [commandKeys.tryAgain, /no generation to repeat/],
      [commandKeys.undoGeneration, /no generated text to undo/],
      [commandKeys.showLastResponse, /Nothing has been generated in this window yet/],
    ];
    for (const [key, message] of messagesByKey) {
      await page.keyboard.press(key);
      // VS Code shows at most three toasts within 800 ms, so the fourth message is only in the
      // notification center.
      await session.workbench.showNotifications();
      await session.workbench.notifications.close(message);
    }
  });

  it("is complete after the user clicks Continue each time it's truncated", async () => {
    const { editor, notifications } = session.workbench;
    await select('whole');
    await run(generate);
    const { buttons } = await notifications.waitFor(cut);
    assert.deepEqual(buttons, ['Continue', 'Raise Limit...', 'Undo Generation']);
    await editor.waitForText(/violets –\nThe end/);
    await notifications.click(cut, 'Continue');
    await editor.waitForText(/“this” {2}is\nThe end/);
    await notifications.click(cut, 'Continue');
    await editor.waitForText(/is {2}new\.\nThe end/);
    assert.equal(await saved('whole'), complete);
    assert.equal(emulator.count(chatPath), 3);
    assert.deepEqual(await notifications.list(), []);
  });

  it('is removed by Undo Generation, which keeps text that the user typed', async () => {
    const { editor, notifications } = session.workbench;
    await select('undone');
    await run(generate);
    await notifications.waitFor(cut);
    await editor.placeCursor(2, 6);
    await editor.type('MINE');
    await editor.placeCursor(4, 1);
    await editor.type('Also mine. ');
    await editor.waitForText(/RosesMINE are red,\n(.|\n)*\nAlso mine\. The end/);
    await notifications.click(cut, 'Undo Generation');
    await editor.waitForText(/Also mine/);
    await session.workbench.screen.until('the response to go', async () =>
      /red/.test(await editor.visibleText()) ? undefined : true,
    );
    assert.equal(await saved('undone'), 'Write a poem.MINE\nAlso mine. The end.\n');
  });

  it('can be continued, retried, and undone from the Command Palette', async () => {
    const { editor, notifications } = session.workbench;
    await select('palette');
    await run(generate);
    await notifications.close(cut);
    await run(continueIt);
    await editor.waitForText(/blue 🌹/);
    await notifications.close(cut);
    emulator.settings.answer = () => 'Short.';
    await run(tryAgain);
    await editor.waitForText('Write a poem.\nShort.\nThe end.\n');
    await run(continueIt);
    await notifications.waitFor(/No response here reached a limit/);
    await run(undoIt);
    await editor.waitForText(original);
    assert.equal(await saved('palette'), original);
    await run(undoIt);
    await notifications.waitFor(/no generated text to undo/);
    await run(continueIt);
    await notifications.waitFor(/The response was undone/);
  });

  it('J22: is kept after the user presses Escape, and can be undone', async () => {
    const { editor, notifications, page } = session.workbench;
    const { request, open } = await stall('cancelled');
    await page.keyboard.press('Escape');
    await emulator.disconnected(request);
    open();
    await editor.waitForText(/Roses are red,/);
    assert.deepEqual(await notifications.list(), []);
    await run(undoIt);
    await editor.waitForText(original);
    assert.equal(await saved('cancelled'), original);
  });

  it('J23: is kept after an error, and can be replaced by choosing Try Again', async () => {
    const { editor, notifications } = session.workbench;
    await select('broken');
    emulator.faults.next(chatPath, { cutAfterBytes: 1_500 });
    await run(generate);
    await notifications.waitFor(
      /ended before the response was complete\. Any text received so far was kept/,
    );
    await editor.waitForText(/Roses(.|\n)*The end/);
    await notifications.close(/ended before the response was complete/);
    emulator.settings.answer = () => 'Short.';
    await run(tryAgain);
    await editor.waitForText('Write a poem.\nShort.\nThe end.\n');
    await run(undoIt);
    await editor.waitForText(original);
    assert.equal(await saved('broken'), original);
  });

  it("J32: is shown in full by Show Last Response if it couldn't be inserted", async () => {
    const { editor, notifications, page } = session.workbench;
    emulator.settings.answer = () => 'Roses are red and so on.';
    const losses: (() => Promise<unknown>)[] = [
      async () => {
        await editor.selectAll();
        await page.keyboard.press('Delete');
      },
      async () => {
        await run('View: Revert and Close Editor');
        await editor.waitFor(/Untitled/);
      },
    ];
    for (const [index, lose] of losses.entries()) {
      const { open } = await stall(`loss${index}`);
      await lose();
      open();
      await notifications.close(/Couldn’t insert the generated text/);
      await run(showLast);
      await editor.waitFor(/Untitled/);
      await editor.waitForText('Roses are red and so on.');
    }
  });
});

describe(`a truncated response ${nightly}`, () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());

  it('is complete after the user raises the limit and clicks Continue', async () => {
    emulator.settings.answer = () => poem;
    const session = await openWindow(emulator, {
      folderFiles: { 'a.txt': original },
      userSettings: { 'hostedModel.parameters': { max_new_tokens: 6 } },
    });
    const { editor, notifications, quickInput } = session.workbench;
    await storeKey(session);
    await generateFrom(session);
    await notifications.click(cut, 'Raise Limit...');
    await quickInput.waitFor({ title: 'Raise Limit' });
    await session.workbench.screenshot('raise-limit');
    await quickInput.type('100');
    await quickInput.accept();
    await notifications.click(/The new limit of 100 tokens is saved/, 'Continue');
    await editor.waitForText(/is {2}new\.\nThe end/);
    assert.equal(await editor.savedText(session.path('a.txt')), complete);
    assert.equal(emulator.count(chatPath), 2);
  });
});
