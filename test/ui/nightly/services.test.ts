import assert from 'node:assert/strict';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { oauthPath } from '../../emulator/otherWays.ts';
import { answerFor } from '../../emulator/text.ts';
import { generate, statusId } from '../service.ts';
import { nightly, openWorkbench } from '../session.ts';

const account = 'client-of-the-ui-test';
const secret = 'secret-of-the-ui-test-0123456789';
const oauth = { scope: 'models' };

describe(`a service of one’s own ${nightly}`, () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ apiKeys: [secret], account, oauth });
  });
  afterEach(() => emulator.close());

  it('goes from nothing to generated text by typing only', async () => {
    const { workbench, path } = await openWorkbench({
      folderFiles: { 'letter.txt': 'Write a reply.\n' },
    });
    const { quickInput, page } = workbench;
    await workbench.applyUserSettings({
      'hostedModel.vendor': 'acme',
      'hostedModel.vendors': [
        {
          word: 'acme',
          name: 'ACME gateway',
          way: { kind: 'clientCredentials', tokenUrl: `${emulator.url}${oauthPath}`, ...oauth },
          dialect: 'openAi',
          defaultModel: 'ibm/granite-4-h-small',
        },
      ],
    });
    const url = `${emulator.url}/v1`;
    await workbench.runCommand('Hosted Model: Set Up Credentials');
    await quickInput.waitFor({ item: 'ACME gateway' });
    await workbench.screenshot('service-1-which');
    await quickInput.accept();
    await quickInput.waitFor({ step: '1/4', prompt: /Client ID of ACME gateway/ });
    await workbench.screenshot('service-2-client-id');
    await quickInput.type(account);
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/4', password: true, prompt: /Client secret of ACME/ });
    await workbench.screenshot('service-3-secret');
    await quickInput.type(secret);
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/4' });
    await quickInput.type(url);
    await quickInput.waitFor({ step: '3/4', item: url });
    await quickInput.accept();
    await quickInput.waitFor({ step: '4/4' });
    await workbench.screenshot('service-4-hosts');
    await quickInput.pick('$(beaker) Test and Save');
    await workbench.notifications.close(/is set up/);
    assert.deepEqual(
      emulator.requests.map((request) => request.path),
      [oauthPath, '/v1/models'],
      'the test gets a token and lists models; nothing is generated',
    );

    await workbench.openFile(path('letter.txt'));
    await workbench.editor.selectLines(1);
    await workbench.runCommand(generate);
    await workbench.editor.waitForText(`Write a reply.\n${answerFor('Write a reply.')}\n`);
    await workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) \d+m$/ });
    assert.equal(emulator.count(oauthPath), 1);
    await workbench.screenshot('service-5-generated');
    const shown = (await page.locator('body').textContent()) ?? '';
    for (const word of [secret, ...emulator.tokensIssued]) assert.ok(!shown.includes(word));
  });
});
