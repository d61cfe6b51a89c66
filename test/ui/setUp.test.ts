import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Emulator } from '../emulator/emulator.ts';
import { answerFor } from '../emulator/text.ts';
import { answerSetUp, setUp } from '../vscode/setUpWalk.ts';
import { apiKey, generate, openWindow, projectId, startService, statusId } from './service.ts';
import { nightly, openWorkbench, type Session } from './session.ts';

describe('set-up', () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());
  beforeEach(() => emulator.reset());

  const fresh = (): Promise<Session> =>
    openWorkbench({
      folderFiles: { 'letter.txt': 'Dear reader\n\nWrite a reply.\n' },
      userSettings: { 'hostedModel.authUrl': emulator.url },
    });
  const answers = () => ({ apiKey, projectId, url: emulator.url });

  it('takes a new user from nothing to generated text, by the keyboard', async () => {
    const session = await fresh();
    const { workbench, path } = session;
    const status = workbench.statusItem(statusId);
    assert.deepEqual(await status.waitFor({ text: '$(key) Set up Hosted Model' }), {
      text: '$(key) Set up Hosted Model',
      ariaLabel: 'Hosted Model: credentials are not set up',
      background: 'none',
    });
    await workbench.openFile(path('letter.txt'));
    assert.equal(emulator.requests.length, 0, 'activation and opening a folder send nothing');

    await setUp(workbench, answers());
    // The token of the test is the one in use.
    const valid = { text: /^\$\(key\) \d+m$/, ariaLabel: /token valid, \d+ minutes left/ };
    assert.equal((await status.waitFor(valid)).background, 'none');
    assert.deepEqual(
      emulator.requests.map(({ path: requested }) => requested),
      ['/identity/token', '/ml/v1/text/tokenization'],
      'the test gets a token and counts tokens; nothing is generated',
    );

    // Not saved before: VS Code empties a file for a moment while it writes it anew.
    const before = readFileSync(path('letter.txt'), 'utf8');
    await workbench.editor.selectLines(3);
    await workbench.page.keyboard.press('Control+K');
    await workbench.page.keyboard.press('Control+G');
    await workbench.editor.waitForText(`${before.trimEnd()}\n${answerFor('Write a reply.')}\n`);
    assert.equal(emulator.count('/identity/token'), 1);
    const after = await workbench.editor.savedText(path('letter.txt'));
    assert.equal(after, `${before.trimEnd()}\n${answerFor('Write a reply.')}\n`);

    await workbench.editor.undo();
    assert.equal(await workbench.editor.savedText(path('letter.txt')), before);
  });

  it(`A04 A07: says what is wrong in the step it concerns, and Back goes back ${nightly}`, async () => {
    const { workbench } = await fresh();
    const { quickInput } = workbench;
    await workbench.runCommand('Hosted Model: Set Up Credentials');
    await quickInput.waitFor({ step: '1/4' });
    await quickInput.type('"key-in-quotes"');
    assert.equal((await quickInput.waitFor({ validation: /quotes: taken off/ })).severity, 'info');
    await quickInput.type('<API_KEY>');
    assert.equal((await quickInput.waitFor({ validation: /placeholder/ })).severity, 'error');

    await answerSetUp(workbench, { ...answers(), apiKey: 'wrong-key-0123456789' });
    await quickInput.pick('$(beaker) Test and Save');
    // It isn't offered to keep the refused key.
    await quickInput.waitFor({
      step: '1/4',
      validation: /refused the API key/,
      placeholder: /^Paste the API key/,
    });
    assert.equal((await quickInput.state())?.value, '', 'a key is never pre-filled');

    await answerSetUp(workbench, { ...answers(), projectId: 'another-project' });
    await quickInput.pick('$(beaker) Test and Save');
    await quickInput.waitFor({ step: '2/4', validation: /project was not found/ });
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '1/4', placeholder: /keep the key you typed/ });
    await quickInput.dismiss();
    assert.equal(
      workbench.statusItem(statusId) && (await workbench.statusItem(statusId).state())?.text,
      '$(key) Set up Hosted Model',
    );
  });

  it(`refuses a word for a key, and asks once about one that is short ${nightly}`, async () => {
    const { workbench } = await fresh();
    const { quickInput, dialogs } = workbench;
    await workbench.runCommand('Hosted Model: Set Up Credentials');
    await quickInput.waitFor({ step: '1/4' });
    await quickInput.type('test');
    const refusal = await quickInput.waitFor({ validation: /fewer than 8 characters/ });
    assert.equal(refusal.severity, 'error');
    await quickInput.type('a-short-key');
    await quickInput.accept();
    const question = await dialogs.waitFor('Use a key of 11 characters?');
    assert.match(question.detail, /a part may be missing/);
    await workbench.screenshot('short-key');
    await dialogs.click('Enter Another Key');
    await quickInput.waitFor({ step: '1/4', validation: /Enter the whole key/ });
    await quickInput.type('a-short-key');
    await quickInput.accept();
    await dialogs.click('Use This Key');
    await quickInput.waitFor({ step: '2/4' });
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '1/4', placeholder: /keep the key you typed/ });
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/4' });
    assert.equal(await dialogs.state(), undefined);
    await quickInput.dismiss();
  });

  it(`offers a host name as an address, and names what the region step expects ${nightly}`, async () => {
    const { workbench } = await fresh();
    const { quickInput } = workbench;
    await workbench.runCommand('Hosted Model: Set Up Credentials');
    await quickInput.waitFor({ step: '1/4' });
    await quickInput.type(apiKey);
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/4' });
    await quickInput.type(projectId);
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/4' });
    await quickInput.type('us-suoth.ml.cloud.ibm.com');
    await quickInput.waitFor({ item: 'Use https://us-suoth.ml.cloud.ibm.com' });
    await quickInput.type('nowhere');
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/4', prompt: /or type an address/ });
    await workbench.screenshot('set-up-region');
    await quickInput.dismiss();
  });

  it(`A18: stores nothing when it is closed, whatever was typed ${nightly}`, async () => {
    const { workbench } = await fresh();
    await workbench.runCommand('Hosted Model: Set Up Credentials');
    await answerSetUp(workbench, answers());
    await workbench.quickInput.dismiss();
    await workbench.quickInput.waitUntilClosed();
    const storage = await workbench.page.evaluate<string>('JSON.stringify(localStorage)');
    assert.doesNotMatch(storage, new RegExp(apiKey));
    assert.equal(emulator.requests.length, 0);
    assert.match(await workbench.statusItem(statusId).tooltip(), /Project: not set/);
  });

  it('A03: names exactly what is missing, opens by itself, and the generation goes on afterwards', async () => {
    const session = await openWindow(emulator, {
      folderFiles: { 'letter.txt': 'Write a reply.\n' },
      userSettings: { 'hostedModel.projectId': '' },
    });
    const { workbench, path } = session;
    const { quickInput, notifications } = workbench;
    await workbench.openFile(path('letter.txt'));
    await workbench.editor.selectLines(1);
    await workbench.runCommand(generate);
    const { text } = await notifications.waitFor(/needs/);
    assert.equal(
      text,
      'Hosted Model needs an API key and a project ID before it can generate. Nothing was sent. ' +
        'Looked in secret storage and user settings, the .env file of project (not there) ' +
        'and the environment (names none of them).',
    );
    const status = workbench.statusItem(statusId);
    await status.waitFor({ text: '$(key) Set up Hosted Model', background: 'warning' });
    assert.equal(emulator.requests.length, 0);

    await quickInput.waitFor({ step: '1/3', password: true });
    await quickInput.type(apiKey);
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/3' });
    await quickInput.type(projectId);
    await quickInput.accept();
    await quickInput.pick('$(beaker) Test and Save');
    await workbench.editor.waitForText(`Write a reply.\n${answerFor('Write a reply.')}\n`);
    const saved = await workbench.editor.savedText(path('letter.txt'));
    assert.equal(saved, `Write a reply.\n${answerFor('Write a reply.')}\n`);
  });

  it(`A12: asks before a stored key is replaced, and signs out ${nightly}`, async () => {
    const session = await openWindow(emulator);
    const { workbench } = session;
    const { quickInput, dialogs, notifications } = workbench;
    await setUp(workbench, answers());
    await workbench.runCommand('Hosted Model: Set API Key');
    await quickInput.waitFor({ step: '1/2', placeholder: /keep the stored key/ });
    await quickInput.type('another-key-0123456789');
    await quickInput.accept();
    await quickInput.pick('$(save) Save Without Testing');
    assert.match(
      (await dialogs.waitFor('Replace the stored API key?')).detail,
      /account of the new key/,
    );
    await dialogs.click('Cancel');

    await workbench.runCommand('Hosted Model: Sign Out');
    await notifications.waitFor(/signed out/);
    await workbench
      .statusItem(statusId)
      .waitFor({ text: '$(key) Set up Hosted Model', background: 'none' });
  });
});
