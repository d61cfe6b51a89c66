import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { answerFor } from '../emulator/text.ts';
import { extensionId } from '../extensionId.ts';
import {
  apiKey,
  chatPath,
  generate,
  openWindow,
  projectId,
  startService,
  statusId,
  storeKey,
} from './service.ts';
import { nightly, type Session } from './session.ts';

const files = {
  'letter.txt': 'Write a reply.\n',
};

describe(`the extension after setup ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    session = await openWindow(emulator, { folderFiles: files });
    await storeKey(session);
  });
  after(() => emulator.close());

  const select = async (name: string, line: number) => {
    await session.workbench.openFile(session.path(name));
    await session.workbench.editor.selectLines(line);
  };
  const saved = (name: string) => session.workbench.editor.savedText(session.path(name));
  /**
   * Waits for the response, then saves the document and checks the file. Saving earlier would end
   * the undo step.
   */
  const becomes = async (name: string, text: string) => {
    await session.workbench.editor.waitForText(text);
    assert.equal(await saved(name), text);
  };
  const undone = async () => {
    await session.workbench.notifications.waitUntilGone(/Generating/);
    await session.workbench.editor.focus();
    await session.workbench.editor.undo();
    assert.equal(await saved('letter.txt'), files['letter.txt']);
  };
  const reply = `Write a reply.\n${answerFor('Write a reply.')}\n`;
  const status = () => session.workbench.statusItem(statusId);
  /**
   * Returns the text of the labels at the ends of lines. VS Code draws these labels with a style
   * sheet.
   */
  const label = () =>
    session.workbench.screen.read<string>(`[...document.querySelectorAll('.view-line span')]
      .map((span) => getComputedStyle(span, '::after').content).join()`);

  it('retries a throttled request, and shows the time until the next attempt', async () => {
    await select('letter.txt', 1);
    emulator.faults.next(chatPath, { status: 429, headers: { 'retry-after': '3' } });
    const sent = emulator.count(chatPath);
    await session.workbench.runCommand(generate);
    await status().waitFor({
      text: /^\$\(watch\) Hosted Model: retrying in \ds$/,
      ariaLabel: /retrying in \d second/,
    });
    await session.workbench.screen.until('the label to show the time', async () =>
      /Retrying in \ds\. Esc cancels/.test(await label()) ? true : undefined,
    );
    await emulator.requestCount(chatPath, sent + 2);
    await becomes('letter.txt', reply);
    await undone();
  });

  it('reports four failed attempts, and inserts the response after the user retries', async () => {
    await select('letter.txt', 1);
    emulator.faults.next(chatPath, { recording: 22 }, 4);
    const sent = emulator.count(chatPath);
    await session.workbench.runCommand(generate);
    await emulator.requestCount(chatPath, sent + 4);
    const failed = /failed \(503\) on all 4 attempts/;
    const message = await session.workbench.notifications.waitFor(failed);
    assert.deepEqual(message.buttons, ['Retry', 'Show Log']);
    assert.equal(await session.workbench.editor.isDirty(), false, 'a failure changes nothing');
    await session.workbench.editor.placeCursor(2, 1);
    await session.workbench.notifications.click(failed, 'Retry');
    await becomes('letter.txt', reply);
    await undone();
  });

  it('asks for a prompt if nothing is selected, and inserts the response at the cursor', async () => {
    await session.workbench.openFile(session.path('letter.txt'));
    await session.workbench.editor.placeCursor(2, 1);
    await session.workbench.runCommand(generate);
    await session.workbench.quickInput.waitFor({ placeholder: /What should the model write/ });
    await session.workbench.quickInput.accept();
    await session.workbench.quickInput.waitFor({ validation: /Enter a prompt/ });
    await session.workbench.quickInput.type('A poem');
    await session.workbench.quickInput.accept();
    await becomes('letter.txt', `Write a reply.\n${answerFor('A poem')}`);
    await undone();
  });

  it('shows its state and usage, and refreshes the token on request', async () => {
    const tooltip = (await status().tooltip()).replaceAll('\u00a0', ' ');
    assert.match(tooltip, /token valid, \d+ minutes left/);
    assert.match(
      tooltip,
      new RegExp(`API key: sent to ${new URL(emulator.url).host} \\(from secret storage\\)`),
    );
    assert.match(tooltip, new RegExp(`Project: ${projectId} \\(from user settings\\)`));
    assert.match(
      tooltip,
      /Today’s usage with this API key in all windows: \d+ requests?, ≈?[\d,]+ tokens/,
    );
    await status().click();
    await session.workbench.quickInput.waitFor({
      title: /token valid/,
      item: '$(refresh) Refresh Token',
    });
    const issued = emulator.tokensIssued.length;
    await session.workbench.quickInput.pick('$(refresh) Refresh Token');
    await session.workbench.notifications.waitFor(/token was refreshed/);
    assert.equal(emulator.tokensIssued.length, issued + 1);
  });

  it('includes generation times in the diagnostic report, but no text or secrets', async () => {
    const { workbench } = session;
    await workbench.runCommand('Hosted Model: Diagnose Connection');
    await workbench.quickInput.pick('$(copy) Copy Report');
    await workbench.quickInput.waitFor({ item: '$(check) Report Copied' });
    await workbench.screenshot('report-copied');
    const report = await workbench.page.evaluate<string>('navigator.clipboard.readText()');
    await workbench.quickInput.dismiss();
    assert.match(report, /^Hosted Model \d/);
    assert.match(report, /first text after \d+ ms, complete after \d+ ms/);
    const secrets = [apiKey, projectId, ...emulator.tokensIssued];
    for (const secret of [...secrets, 'Write a reply', 'Hello from', 'letter.txt']) {
      assert.ok(!report.includes(secret), secret);
    }
  });

  it("doesn't log keys, tokens, prompts, or responses", async () => {
    const log = await session.server.outputOf(extensionId);
    assert.match(log, /generated \d+ tokens/);
    for (const secret of [apiKey, ...emulator.tokensIssued, 'Write a reply', 'Hello from']) {
      assert.ok(!log.includes(secret), secret);
    }
  });
});
