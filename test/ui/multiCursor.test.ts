import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import {
  asking,
  chatPath,
  generate,
  openWindow,
  startAfresh,
  startService,
  storeKey,
} from './service.ts';
import { nightly, type Session } from './session.ts';

const three = ['First question', '', 'Second question', '', 'Third question', ''].join('\n');
const answerTo = (prompt: string) => `Answer to ${prompt}`;
/** Returns the text with a response below each of these lines. */
const answered = (text: string, ...lines: readonly string[]) =>
  lines.reduce((all, line) => all.replace(line, `${line}\n${answerTo(line)}`), text);
const threeAnswered = answered(three, 'First question', 'Second question', 'Third question');
const eleven = Array.from({ length: 11 }, (_, index) => `Question ${index + 1}.`);
const rejected = { status: 400, json: { errors: [{ code: 'invalid_request' }] } };

describe(`several selections ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    const folderFiles = {
      'stream.txt': three,
      'retry.txt': three,
      'reasons.txt': eleven.join('\n'),
      'eleven.txt': eleven.join('\n'),
    };
    session = await openWindow(emulator, { folderFiles });
    await storeKey(session);
  });
  after(() => emulator.close());
  beforeEach(async () => {
    await startAfresh(emulator, session);
    emulator.settings.answer = answerTo;
  });

  const select = async (name: string, lines: number) => {
    await session.workbench.openFile(session.path(name));
    await session.workbench.editor.selectEachLine(1, lines);
  };
  const saved = (name: string) => session.workbench.editor.savedText(session.path(name));

  it('all get their responses after Retry, which repeats only the failed request', async () => {
    const { editor, notifications } = session.workbench;
    await select('retry.txt', 5);
    emulator.faults.next(asking('Second'), { resetBeforeHeaders: true });
    await session.workbench.runCommand(generate);
    const failed = /^Line [45]: /;
    await notifications.waitFor(failed);
    await editor.waitForText(answered(three, 'First question', 'Third question'));
    const sent = emulator.count(chatPath);
    await notifications.click(failed, 'Retry');
    await editor.waitForText(threeAnswered);
    assert.equal(emulator.count(chatPath), sent + 1);
    assert.equal(await saved('retry.txt'), threeAnswered);
  });

  it('get one error message per cause if several requests fail', async () => {
    const { notifications } = session.workbench;
    await select('reasons.txt', 11);
    for (const line of eleven.slice(0, 5)) {
      emulator.faults.next(asking(line), { resetBeforeHeaders: true });
    }
    for (const line of eleven.slice(5)) emulator.faults.next(asking(line), rejected);
    await session.workbench.runCommand(generate);
    await session.workbench.dialogs.click('Send');
    await notifications.waitFor(/Lines 1, 2, 3, 4,? and 5: /);
    await notifications.waitFor(/Lines 6, 7, 8, 9, 10,? and 11: /);
    await notifications.waitUntilGone(/Generating/);
    await session.workbench.showNotifications();
    const failures = (await notifications.list()).filter(({ severity }) => severity === 'error');
    assert.equal(failures.length, 2, failures.map(({ text }) => text).join('\n'));
  });

  it('need confirmation if there are more than ten, and respect the concurrency limit', async () => {
    const { dialogs, editor, page } = session.workbench;
    await select('eleven.txt', 11);
    const sent = emulator.requests.length;
    await session.workbench.runCommand(generate);
    const { detail } = await dialogs.waitFor('Send 11 requests, one for each selection?');
    assert.match(
      detail,
      /^The prompts total 123 characters \(about 31 tokens\)\. The service may bill your account for them/,
    );
    await page.keyboard.press('Escape');
    await session.workbench.screen.until('the question to go', async () =>
      (await dialogs.state()) === undefined ? true : undefined,
    );
    assert.equal(emulator.requests.length, sent);

    const responseGate = gate();
    emulator.faults.always(chatPath, { hold: responseGate.opened });
    await session.workbench.runCommand(generate);
    await dialogs.click('Send');
    await emulator.requestCount(chatPath, 3);
    responseGate.open();
    await editor.waitForText(new RegExp(answerTo(eleven.at(-1) ?? '')));
    assert.equal(await saved('eleven.txt'), answered(eleven.join('\n'), ...eleven));
    assert.equal(emulator.count(chatPath), 11);
    assert.equal(emulator.mostInFlight.inference, 3);
  });
});
