import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { answerFromKey, answerSetUp, enterKey, setUp } from '../vscode/setUpWalk.ts';
import {
  apiKey,
  chatPath,
  generateFrom,
  openWindow,
  projectId,
  startService,
  statusId,
  storeKey,
  tokenPath,
} from './service.ts';
import { nightly, openWorkbench, type Session } from './session.ts';

describe(`setup ${nightly}`, () => {
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

  it('A04 A07: shows each problem in the step where the user can fix it', async () => {
    const { workbench } = await fresh();
    const { quickInput } = workbench;
    await workbench.runCommand('Hosted Model: Set Up...');
    await quickInput.waitFor({ step: '1/5' });
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/5' });
    await quickInput.type('"key-in-quotes"');
    assert.equal(
      (await quickInput.waitFor({ validation: /Quotes will be removed/ })).severity,
      'info',
    );
    await quickInput.type('<API_KEY>');
    assert.equal((await quickInput.waitFor({ validation: /placeholder/ })).severity, 'error');

    await answerFromKey(workbench, { ...answers(), apiKey: 'wrong-key-0123456789' });
    await quickInput.pick('$(beaker) Test and Save');
    // Setup doesn't offer to keep the rejected key.
    await quickInput.waitFor({
      step: '2/5',
      validation: /rejected the API key/,
      placeholder: /^Paste the API key/,
    });
    assert.equal((await quickInput.state())?.value, '', 'a key is never pre-filled');

    await answerFromKey(workbench, { ...answers(), projectId: 'another-project' });
    await quickInput.pick('$(beaker) Test and Save');
    await quickInput.waitFor({ step: '3/5', validation: /project doesn’t exist/ });
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '2/5', placeholder: /keep the value that you typed/ });
    await quickInput.clickButton('Back');
    const { items } = await quickInput.waitFor({ step: '1/5', item: 'IBM watsonx.ai' });
    assert.equal(items[0]?.description, 'ibm (current)');
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/5', placeholder: /keep the value that you typed/ });
    await quickInput.clickButton('Back');
    await quickInput.pick('IBM watsonx.ai on premises');
    await quickInput.waitFor({ step: '2/6', prompt: /for IBM watsonx\.ai on premises/ });
    await quickInput.type('anna');
    await quickInput.accept();
    // Setup doesn't offer to keep one service's key for another service.
    await quickInput.waitFor({ step: '3/6', placeholder: /^Paste the API key/ });
    await quickInput.dismiss();
    assert.equal(
      workbench.statusItem(statusId) && (await workbench.statusItem(statusId).state())?.text,
      '$(key) Set Up Hosted Model',
    );
  });

  it('cancels a running test if the user goes back', async () => {
    const { workbench } = await fresh();
    const { quickInput } = workbench;
    await workbench.runCommand('Hosted Model: Set Up...');
    await answerSetUp(workbench, answers());
    emulator.faults.next(tokenPath, { neverAnswers: true });
    await quickInput.pick('$(beaker) Test and Save');
    const request = await emulator.requestCount(tokenPath, 1);
    await quickInput.waitFor({ step: '5/5', prompt: /^Testing the connection/ });
    await workbench.screenshot('set-up-testing');
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '4/5' });
    await emulator.disconnected(request);
    await quickInput.dismiss();
  });

  it('accepts a short key without confirmation, and keeps it between steps', async () => {
    const { workbench } = await fresh();
    const { quickInput, dialogs } = workbench;
    await workbench.runCommand('Hosted Model: Set Up...');
    await quickInput.waitFor({ step: '1/5' });
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/5' });
    await quickInput.type('sk-1234');
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/5' });
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '2/5', placeholder: /keep the value that you typed/ });
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/5' });
    assert.equal(await dialogs.state(), undefined);
    await quickInput.dismiss();
  });

  it('offers to use a host name that the user types, but not an unknown region', async () => {
    const { workbench } = await fresh();
    const { quickInput } = workbench;
    await workbench.runCommand('Hosted Model: Set Up...');
    await quickInput.waitFor({ step: '1/5' });
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/5' });
    await quickInput.type(apiKey);
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/5' });
    await quickInput.type(projectId);
    await quickInput.accept();
    await quickInput.waitFor({ step: '4/5' });
    await quickInput.type('us-suoth.ml.cloud.ibm.com');
    await quickInput.waitFor({ item: 'Use Entered Text' });
    await quickInput.type('nowhere');
    await quickInput.accept();
    await quickInput.waitFor({ step: '4/5', prompt: /or enter the service URL/ });
    await workbench.screenshot('set-up-region');
    await quickInput.dismiss();
  });

  it("A18: doesn't store anything if it is closed at the last step", async () => {
    const { workbench } = await fresh();
    await workbench.runCommand('Hosted Model: Set Up...');
    await answerSetUp(workbench, answers());
    await workbench.quickInput.dismiss();
    await workbench.quickInput.waitUntilClosed();
    const storage = await workbench.page.evaluate<string>('JSON.stringify(localStorage)');
    assert.doesNotMatch(storage, new RegExp(apiKey));
    assert.equal(emulator.requests.length, 0);
    assert.match(await workbench.statusItem(statusId).tooltip(), /Project: not set/);
  });

  it('offers to retry the failed request after saving a key without testing it', async () => {
    const session = await openWindow(emulator, { folderFiles: { 'letter.txt': 'Dear reader' } });
    const status = session.workbench.statusItem(statusId);
    emulator.settings.apiKeys = [];
    await storeKey(session);
    await generateFrom(session, 'letter.txt');
    await status.waitFor({ text: /credentials rejected/ });
    emulator.reset();
    await session.workbench.runCommand('Hosted Model: Set Up...');
    await enterKey(session.workbench, apiKey);
    await session.workbench.quickInput.pick('$(save) Save Without Testing');
    await session.workbench.notifications.click(/Do you want to retry\?/, 'Retry');
    await emulator.requestCount(chatPath, 1);
  });

  it('A12: asks for confirmation before replacing a stored key', async () => {
    const session = await openWindow(emulator);
    const { workbench } = session;
    const { quickInput, dialogs, notifications } = workbench;
    await setUp(workbench, answers());
    await workbench.runCommand('Hosted Model: Set Up...');
    await quickInput.waitFor({ step: '1/5' });
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/5', placeholder: /keep the stored value/ });
    await quickInput.clickButton('Back');
    await enterKey(workbench, 'another-key-0123456789');
    await quickInput.pick('$(save) Save Without Testing');
    assert.match(
      (await dialogs.waitFor('Replace the stored API key?')).detail,
      /the new API key’s account/,
    );
    await dialogs.click('Cancel');

    await workbench.runCommand('Hosted Model: Sign Out');
    const { detail } = await dialogs.waitFor('Sign out of Hosted Model?');
    assert.match(detail, /Other windows in this browser/);
    await dialogs.click('Sign Out');
    await notifications.waitFor(/Signed out/);
    await workbench
      .statusItem(statusId)
      .waitFor({ text: '$(key) Set Up Hosted Model', background: 'none' });
  });
});
