import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { recordedModels } from '../emulator/models.ts';
import { chatPath, generate, openWindow, startAfresh, startService, storeKey } from './service.ts';
import { nightly, type Session } from './session.ts';

const privateKey =
  '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----';
type Limits = { readonly max_sequence_length: number; readonly max_output_tokens?: number };
const files = {
  'private.txt': `Before ${privateKey} after`,
  // Repeats a word, because a long run of one character may be a single token.
  'much.txt': `${'word '.repeat(20_000)}.`,
  'long.txt': 'word '.repeat(2_000),
  'letter.txt': 'Write a reply.\n',
};

describe(`a prompt ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    session = await openWindow(emulator, { folderFiles: files });
    await storeKey(session);
  });
  after(() => emulator.close());
  beforeEach(async () => {
    await startAfresh(emulator, session);
    emulator.settings.answer = () => 'Short.';
  });

  const selectAll = async (name: string) => {
    await session.workbench.openFile(session.path(name));
    await session.workbench.editor.selectAll();
  };
  const answerByKey = async (key: string) => {
    const { dialogs, page, screen } = session.workbench;
    await page.keyboard.press(key);
    await screen.until('the question to go', async () =>
      (await dialogs.state()) === undefined ? true : undefined,
    );
  };

  it('is blocked until a private key in it is masked', async () => {
    const { dialogs, editor } = session.workbench;
    await selectAll('private.txt');
    const sent = emulator.requests.length;
    await session.workbench.runCommand(generate);
    const question = await dialogs.waitFor(
      'Nothing was sent, because the text contains a private key.',
    );
    assert.ok(!question.detail.includes(privateKey));
    await answerByKey('Escape');
    assert.equal(emulator.requests.length, sent);

    await session.workbench.runCommand(generate);
    await dialogs.click('Mask and Send');
    const { bytes, json } = await emulator.requestCount(chatPath, 1);
    await editor.waitForText(`Before ${privateKey} after\nShort.`);
    const { messages } = json as { messages: { content: string }[] };
    assert.equal(messages[0]?.content, 'Before [redacted] after');
    for (const line of privateKey.split('\n')) assert.ok(!bytes.includes(line), line);
  });

  it('J19: must be typed by the user if nothing is selected', async () => {
    const { editor, quickInput } = session.workbench;
    await session.workbench.openFile(session.path('letter.txt'));
    await editor.placeCursor(2, 1);
    await session.workbench.runCommand(generate);
    await quickInput.waitFor({ title: 'Generate', prompt: /only this prompt is sent\./ });
    await quickInput.dismiss();
    await quickInput.waitUntilClosed();
    assert.equal(emulator.count(chatPath), 0);
  });

  it('J20: needs confirmation if it is very long', async () => {
    const { dialogs } = session.workbench;
    await selectAll('much.txt');
    const sent = emulator.requests.length;
    await session.workbench.runCommand(generate);
    const { detail } = await dialogs.waitFor('Send this much text?');
    assert.match(
      detail,
      /^The text has 100,001 characters \(about 25,001 tokens\)\. The service may bill your account for it/,
    );
    await answerByKey('Escape');
    assert.equal(emulator.requests.length, sent);
    await session.workbench.runCommand(generate);
    await dialogs.click('Send');
    const { json } = await emulator.requestCount(chatPath, 1);
    const { messages } = json as { messages: { content: string }[] };
    assert.equal(messages[0]?.content, files['much.txt']);
  });
});

describe(`a request that exceeds a model's limits ${nightly}`, () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());

  /**
   * Sets these limits for all models, generates from a whole file, and returns the text of the
   * notification that matches `message`.
   */
  const rejection = async (model_limits: Limits, name: string, message: RegExp) => {
    emulator.settings.models = recordedModels.map((model) => ({ ...model, model_limits }));
    const userSettings = { 'hostedModel.parameters': { max_new_tokens: 1_024 } };
    const session = await openWindow(emulator, { folderFiles: files, userSettings });
    const { workbench, path } = session;
    await storeKey(session);
    await workbench.openFile(path(name));
    await workbench.editor.selectAll();
    await workbench.runCommand(generate);
    const { text } = await workbench.notifications.waitFor(message);
    return text;
  };

  it("is reported with the text's token count and the limit", async () => {
    const limits = { max_sequence_length: 500 };
    const text = await rejection(limits, 'long.txt', /too long for the model/);
    assert.match(
      text,
      /[\d,]+ tokens, but the limit is 500\. Send less text, or select another model/,
    );
  });

  it('is reported with the value and the limit if `max_new_tokens` is too high', async () => {
    const limits = { max_sequence_length: 100_000, max_output_tokens: 1_000 };
    const bad = { errors: [{ code: 'invalid_input_argument', message: 'Invalid input argument' }] };
    emulator.faults.next(chatPath, { status: 400, json: bad });
    const text = await rejection(limits, 'letter.txt', /The service rejected the request/);
    assert.match(text, /max_new_tokens is 1,024, but the model allows at most 1,000/);
  });
});
