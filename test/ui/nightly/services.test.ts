import assert from 'node:assert/strict';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { oauthPath, platformPath } from '../../emulator/otherAuthMethods.ts';
import { answerFor } from '../../emulator/text.ts';
import type { Workbench } from '../../vscode/workbench.ts';
import {
  apiKey,
  chatPath,
  generate,
  generateFrom,
  projectId,
  statusId,
  tokenPath,
} from '../service.ts';
import { nightly, openWorkbench } from '../session.ts';

const account = 'client-of-the-ui-test';
const secret = 'secret-of-the-ui-test-0123456789';
const oauth = { scope: 'models' };

interface TypedStep {
  readonly prompt: RegExp;
  readonly text: string;
  readonly password?: boolean;
}

/**
 * Sets up a service in an empty profile and generates text. Takes screenshots of setup.
 * @param steps the user's inputs between choosing the service and entering its address
 * @param requests the paths that setup requests when it tests the credentials
 * @param name prefix for the picture names
 */
async function setUpAndGenerate(
  emulator: Emulator,
  authentication: Readonly<Record<string, string>>,
  steps: readonly TypedStep[],
  requests: readonly string[],
  name: string,
): Promise<Workbench> {
  const { workbench, path } = await openWorkbench({
    folderFiles: { 'letter.txt': 'Write a reply.\n' },
  });
  const { quickInput } = workbench;
  await workbench.applyUserSettings({
    'hostedModel.service': 'acme',
    'hostedModel.services': [
      {
        word: 'acme',
        name: 'ACME gateway',
        authentication,
        api: 'openai',
        defaultModel: 'ibm/granite-4-h-small',
      },
    ],
  });
  const url = `${emulator.url}/v1`;
  const last = steps.length + 3;
  await workbench.runCommand('Hosted Model: Set Up...');
  await quickInput.waitFor({ item: 'ACME gateway' });
  await workbench.screenshot(`${name}-1-which`);
  await quickInput.accept();
  for (const [index, { text, ...asked }] of steps.entries()) {
    await quickInput.waitFor({ step: `${index + 2}/${last}`, ...asked });
    await workbench.screenshot(`${name}-${index + 2}`);
    await quickInput.type(text);
    await quickInput.accept();
  }
  await quickInput.waitFor({ step: `${last - 1}/${last}` });
  await quickInput.type(url);
  await quickInput.waitFor({ step: `${last - 1}/${last}`, item: url });
  await quickInput.accept();
  await quickInput.waitFor({ step: `${last}/${last}` });
  await workbench.screenshot(`${name}-hosts`);
  await quickInput.pick('$(beaker) Test and Save');
  await workbench.notifications.close(/is set up/);
  assert.deepEqual(
    emulator.requests.map((request) => request.path),
    requests,
  );

  await workbench.openFile(path('letter.txt'));
  await workbench.editor.selectLines(1);
  await workbench.runCommand(generate);
  await workbench.editor.waitForText(`Write a reply.\n${answerFor('Write a reply.')}\n`);
  return workbench;
}

describe(`a custom service with client credentials ${nightly}`, () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ apiKeys: [secret], account, oauth });
  });
  afterEach(() => emulator.close());

  it('can be set up and used in an empty profile', async () => {
    const workbench = await setUpAndGenerate(
      emulator,
      { kind: 'clientCredentials', tokenUrl: `${emulator.url}${oauthPath}`, ...oauth },
      [
        { prompt: /Client ID for ACME gateway/, text: account },
        { prompt: /Client secret for ACME/, text: secret, password: true },
      ],
      [oauthPath, '/v1/models'],
      'service',
    );
    await workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) \d+m$/ });
    assert.equal(emulator.count(oauthPath), 1);
    await workbench.screenshot('service-generated');
    const shown = (await workbench.page.locator('body').textContent()) ?? '';
    for (const word of [secret, ...emulator.tokensIssued]) assert.ok(!shown.includes(word));
  });
});

describe(`a custom service with a plain API key ${nightly}`, () => {
  const key = 'sk-1234';
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ apiKeys: [key], keyHeader: 'api-key' });
  });
  afterEach(() => emulator.close());

  it('can be set up and used in an empty profile', async () => {
    const workbench = await setUpAndGenerate(
      emulator,
      { kind: 'apiKey', header: 'api-key' },
      [{ prompt: /API key for ACME gateway/, text: key, password: true }],
      ['/v1/models'],
      'plain-key',
    );
    await workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) Hosted Model$/ });
    await workbench.screenshot('plain-key-generated');
    for (const { headers } of emulator.requests) assert.equal(headers['api-key'], key);
  });
});

describe(`a window with two folders that use different services ${nightly}`, () => {
  const key = 'key-on-premises-0123456789';
  let cloud: Emulator;
  let onPremises: Emulator;
  beforeEach(async () => {
    const known = { apiKeys: [apiKey, key], projectIds: [projectId], account };
    [cloud, onPremises] = await Promise.all([
      startEmulator({ ...known, tokenLifeSeconds: 3_600 }),
      startEmulator({ ...known, tokenLifeSeconds: 1_800 }),
    ]);
  });
  afterEach(() => Promise.all([cloud.close(), onPremises.close()]));

  it('keeps the tokens and models of the two folders separate', async () => {
    const lines = (word: string, values: Readonly<Record<string, string>>) =>
      Object.entries(values).map(([name, value]) => `${word}_${name}=${value}\n`);
    const ids = { PROJECT_ID: projectId };
    const session = await openWorkbench({
      userSettings: { 'hostedModel.authUrl': cloud.url },
      folderFiles: {
        'one/a.txt': 'Write a reply.\n',
        'one/.env': lines('IBM', { ...ids, API_KEY: apiKey, URL: cloud.url }).join(''),
        'two/b.txt': 'Write a letter.\n',
        'two/.env': lines('CPD', {
          ...{ ...ids, USERNAME: account, API_KEY: key, URL: onPremises.url },
        }).join(''),
        'all.code-workspace': JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }),
      },
    });
    const window = await session.anotherWindow(session.path('all.code-workspace'));
    await window.waitForFolder('one');
    const folders = [
      {
        file: 'one/a.txt',
        minutes: /^\$\(key\) 5\dm$/,
        asks: 'API key, project ID, and service URL from',
      },
      {
        file: 'two/b.txt',
        minutes: /^\$\(key\) 2\dm$/,
        asks: 'for IBM watsonx.ai on premises from',
      },
    ];
    for (const { file, minutes, asks } of folders) {
      await generateFrom(session, file, window);
      await window.dialogs.waitFor(new RegExp(asks));
      await window.dialogs.click('Use These Values');
      await window.editor.waitForText(/emulated model/);
      await window.statusItem(statusId).waitFor({ text: minutes });
    }
    for (let change = 0; change < 20; change += 1) {
      const { file, minutes } = folders[change % 2] as (typeof folders)[number];
      await window.openFile(session.path(file));
      await window.statusItem(statusId).waitFor({ text: minutes });
    }
    await window.screenshot('two-services');
    assert.deepEqual([cloud.count(tokenPath), onPremises.count(platformPath)], [1, 1]);
    const paths = [...cloud.requests, ...onPremises.requests].map(({ path }) => path);
    assert.equal(paths.filter((path) => /chat/.test(path)).length, 2, 'nothing else is generated');

    // Picking a model for one folder doesn't change the other folder's model.
    await window.runCommand('Hosted Model: Select Model...');
    await window.quickInput.waitFor({ item: 'granite-3-3-8b-instruct' });
    await window.quickInput.pick('granite-3-3-8b-instruct');
    // Waits, because the list closes before the folder's settings are written.
    await window.statusItem(statusId).waitForTooltip('ibm/granite-3-3-8b-instruct');
    const modelOf = async (emulator: Emulator, file: string) => {
      await generateFrom(session, file, window);
      const { json } = await emulator.requestCount(chatPath, 2);
      return (json as { readonly model_id: string }).model_id;
    };
    assert.equal(await modelOf(onPremises, 'two/b.txt'), 'ibm/granite-3-3-8b-instruct');
    assert.equal(await modelOf(cloud, 'one/a.txt'), 'ibm/granite-4-h-small');
  });
});
