import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
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
  tokenPath,
} from './service.ts';
import type { Session } from './session.ts';

const files = {
  'letter.txt': 'Write a reply.\n',
  'code.py': 'def f():\r\n    # Write a test.\r\n    return 1\r\n',
  'secret.env': `KEY=${apiKey}\n`,
};

describe('generating', () => {
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
  /** Waits until the answer is complete. Nothing is saved before: a save would end the undo step. */
  const becomes = async (name: string, text: string) => {
    await session.workbench.editor.waitForText(text.replaceAll('\r\n', '\n'));
    assert.equal(await saved(name), text);
  };
  const undone = async () => {
    await session.workbench.notifications.waitUntilGone(/generating/);
    await session.workbench.editor.focus();
    await session.workbench.editor.undo();
    assert.equal(await saved('letter.txt'), files['letter.txt']);
  };
  const reply = `Write a reply.\n${answerFor('Write a reply.')}\n`;
  const status = () => session.workbench.statusItem(statusId);
  const ready = () => status().waitFor({ text: /^\$\(key\) \d+m$/ });

  it('keeps the indentation and the line ends of the document', async () => {
    await select('code.py', 2);
    await session.workbench.runCommand(generate);
    const indented = answerFor('    # Write a test.').replaceAll(/\n(?=.)/g, '\r\n    ');
    await becomes(
      'code.py',
      `def f():\r\n    # Write a test.\r\n    ${indented}\r\n    return 1\r\n`,
    );
  });

  it('does not notice that the token died in mid-session', async () => {
    await select('letter.txt', 1);
    const tokens = emulator.count(tokenPath);
    emulator.revokeTokens();
    await session.workbench.runCommand(generate);
    await emulator.requestCount(tokenPath, tokens + 1);
    await becomes('letter.txt', reply);
    await session.workbench.notifications.waitUntilGone(/generating/);
    assert.deepEqual(await session.workbench.notifications.list(), []);
    await undone();
  });

  it('stops the request at once when the progress is cancelled; what came stays', async () => {
    await select('letter.txt', 1);
    const stalled = gate();
    emulator.faults.next(chatPath, {
      beforePart: (index) => (index < 4 ? Promise.resolve() : stalled.opened),
    });
    const arrived = emulator.nextRequest(chatPath);
    await session.workbench.runCommand(generate);
    const request = await arrived;
    await status().waitFor({ text: '$(loading~spin) Hosted Model', ariaLabel: /generating/ });
    await session.workbench.notifications.progress(/generating/);
    await session.workbench.notifications.cancelProgress(/generating/);
    await emulator.disconnected(request);
    stalled.open();
    await session.workbench.notifications.waitUntilGone(/generating/);
    await ready();
    assert.deepEqual(await session.workbench.notifications.list(), [], 'cancelling is silent');
    const partial = await saved('letter.txt');
    assert.ok(partial !== files['letter.txt'] && reply.startsWith(partial.trimEnd()), partial);
    await undone();
  });

  it('keeps an answer whose document was closed, and shows it', async () => {
    await select('letter.txt', 1);
    const stalled = gate();
    emulator.faults.next(chatPath, { hold: stalled.opened });
    const arrived = emulator.nextRequest(chatPath);
    await session.workbench.runCommand(generate);
    await arrived;
    await session.workbench.runCommand('View: Close Editor');
    stalled.open();
    const kept = /could not be put into the document/;
    await session.workbench.notifications.click(kept, 'Open in New Document');
    await session.workbench.editor.waitFor(/Untitled/);
    await session.workbench.editor.selectAll();
    const shown = session.workbench.page.locator('.editor-group-container.active .view-lines');
    assert.match((await shown.textContent()) ?? '', /Hello/);
  });

  it('waits and tries again where the service throttles, and says so while it does', async () => {
    await select('letter.txt', 1);
    emulator.faults.next(chatPath, { recording: 27 });
    const sent = emulator.count(chatPath);
    await session.workbench.runCommand(generate);
    await status().waitFor({
      text: /^\$\(watch\) Hosted Model: again in \ds$/,
      ariaLabel: /trying again in \d second/,
    });
    await emulator.requestCount(chatPath, sent + 2);
    await becomes('letter.txt', reply);
    await undone();
  });

  it('reports once when all attempts failed, and Retry puts the answer in the same place', async () => {
    await select('letter.txt', 1);
    emulator.faults.next(chatPath, { recording: 22 }, 4);
    const sent = emulator.count(chatPath);
    await session.workbench.runCommand(generate);
    await emulator.requestCount(chatPath, sent + 4);
    const failed = /failed \(503\) on all 4 attempts/;
    const message = await session.workbench.notifications.waitFor(failed);
    assert.deepEqual(message.buttons, ['Retry', 'Show Log']);
    assert.equal(await session.workbench.editor.isDirty(), false, 'a failure touches nothing');
    await session.workbench.editor.placeCursor(2, 1);
    await session.workbench.notifications.click(failed, 'Retry');
    await becomes('letter.txt', reply);
    await undone();
  });

  it('says that the service cut the answer', async () => {
    await select('letter.txt', 1);
    emulator.settings.stopReason = 'max_tokens';
    await session.workbench.runCommand(generate);
    await session.workbench.notifications.close(
      /cut the answer, since a limit of tokens or time was reached/,
    );
    emulator.settings.stopReason = 'eos_token';
    await undone();
  });

  it('asks for a prompt when nothing is selected, and writes to the cursor', async () => {
    await session.workbench.openFile(session.path('letter.txt'));
    await session.workbench.editor.placeCursor(2, 1);
    await session.workbench.runCommand(generate);
    await session.workbench.quickInput.waitFor({ placeholder: /What shall the model write/ });
    await session.workbench.quickInput.accept();
    await session.workbench.quickInput.waitFor({ validation: /Type a prompt/ });
    await session.workbench.quickInput.type('A poem');
    await session.workbench.quickInput.accept();
    await becomes('letter.txt', `Write a reply.\n${answerFor('A poem')}`);
    await undone();
  });

  it('never sends a selection that holds the key', async () => {
    await select('secret.env', 1);
    const sent = emulator.requests.length;
    await session.workbench.runCommand(generate);
    await session.workbench.dialogs.waitFor(/holds your own key/);
    await session.workbench.dialogs.click('Cancel');
    assert.equal(emulator.requests.length, sent);
  });

  it('shows the state, the hosts and the counts in the tooltip, and the actions on a click', async () => {
    const tooltip = (await status().tooltip()).replaceAll('\u00a0', ' ');
    assert.match(tooltip, /token valid, \d+ minutes left/);
    assert.match(
      tooltip,
      new RegExp(`API key: sent to ${new URL(emulator.url).host} \\(secret storage\\)`),
    );
    assert.match(tooltip, /Project: ui-test-project \(user settings\)/);
    assert.match(tooltip, /This session: \d+ generations?/);
    await status().click();
    await session.workbench.quickInput.waitFor({
      title: /token valid/,
      item: '$(refresh) Refresh Token',
    });
    const issued = emulator.tokensIssued.length;
    await session.workbench.quickInput.pick('$(refresh) Refresh Token');
    await session.workbench.notifications.waitFor(/new token is in use/);
    assert.equal(emulator.tokensIssued.length, issued + 1);
  });

  it('is told in the diagnostics, which hold nothing that identifies', async () => {
    const { workbench } = session;
    await workbench.runCommand('Hosted Model: Copy Diagnostics');
    await workbench.notifications.waitFor(/the diagnostics are on the clipboard/);
    await workbench.screenshot('diagnostics');
    const report = await workbench.page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(report, /^# Hosted Model diagnostics/);
    assert.match(report, /first text after \d+ ms, complete after \d+ ms/);
    const secrets = [apiKey, projectId, ...emulator.tokensIssued];
    for (const secret of [...secrets, 'Write a reply', 'Hello from', 'letter.txt']) {
      assert.ok(!report.includes(secret), secret);
    }
  });

  it('leaves neither key, token, prompt nor answer in the log', async () => {
    const log = await session.server.outputOf(extensionId);
    assert.match(log, /generated \d+ tokens/);
    for (const secret of [apiKey, ...emulator.tokensIssued, 'Write a reply', 'Hello from']) {
      assert.ok(!log.includes(secret), secret);
    }
  });
});
