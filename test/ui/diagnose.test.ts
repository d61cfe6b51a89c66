import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { CLOSED_PORT } from '../contract/service/proxy.ts';
import type { Emulator } from '../emulator/emulator.ts';
import { notApprovedYet } from '../emulator/unapproved.ts';
import type { QuickInputState } from '../vscode/input.ts';
import type { Workbench } from '../vscode/workbench.ts';
import {
  accessPath,
  apiKey,
  chatPath,
  externalCredentials,
  generateFrom,
  openWindow,
  projectId,
  startService,
  storeKey,
} from './service.ts';
import { nightly } from './session.ts';

const diagnose = 'Hosted Model: Diagnose Connection';

/**
 * Waits until all checks have finished, and returns the state of the *Diagnose Connection* list.
 */
const finished = ({ quickInput }: Workbench): Promise<QuickInputState> =>
  quickInput.waitFor({ title: 'Diagnose Connection', item: '$(copy) Copy Report' });
const labels = ({ items }: QuickInputState) => items.map(({ label }) => label);

describe(`Diagnose Connection ${nightly}`, () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());
  beforeEach(() => emulator.reset());

  it('names a rejected key as the cause, and offers Set Up', async () => {
    const session = await openWindow(emulator);
    const { workbench } = session;
    await storeKey(session, 'rejected-key-0123456789');
    for (const theme of ['dark', 'light'] as const) {
      if (theme === 'light') await workbench.toggleTheme();
      await workbench.runCommand(diagnose);
      const list = await finished(workbench);
      assert.match(list.prompt, /rejected the API key\. The key is unknown, expired, or disabled/);
      assert.deepEqual(labels(list).slice(0, 3), [
        '$(error) Cause: Key and token',
        '$(wand) Set Up...',
        '$(copy) Copy Report',
      ]);
      assert.ok(labels(list).includes('$(circle-slash) Service access: not run'));
      const clipped = await workbench.page.evaluate<boolean>(
        `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)(document.querySelector('.quick-input-widget .quick-input-message'))`,
      );
      assert.equal(clipped, false, 'the sentence is fully visible');
      await workbench.screenshot(`diagnose-rejected-${theme}`);
      assert.equal(emulator.count(accessPath), 0);

      const marked = list.items.find(({ focused }) => focused);
      assert.equal(marked?.label, '$(wand) Set Up...');
      assert.match(
        marked?.detail ?? '',
        /rejected the API key/,
        'the cause is read out with the fix',
      );
      if (theme === 'dark') await workbench.quickInput.dismiss();
    }
    await workbench.page.keyboard.press('Enter');
    await workbench.quickInput.waitFor({ step: '2/5', password: true });
  });

  it('offers to retry the failed generation once the problem is fixed', async () => {
    const otherProject = '00000000-0000-4000-8000-000000000000';
    emulator.settings.answer = () => 'Short.';
    const session = await openWindow(emulator, {
      userSettings: { 'hostedModel.projectId': otherProject },
      folderFiles: { 'a.txt': 'Write a reply.\n' },
    });
    const { editor, notifications, quickInput, page } = session.workbench;
    await storeKey(session);
    await generateFrom(session);
    await notifications.click(/project doesn’t exist/, 'Diagnose Connection');
    await finished(session.workbench);
    await quickInput.pick('$(wand) Change Project...');
    await quickInput.waitFor({ step: '3/5' });
    await quickInput.type(projectId);
    for (const step of ['3/5', '4/5']) {
      await quickInput.waitFor({ step });
      await quickInput.accept();
    }
    await quickInput.pick('$(beaker) Test and Save');
    const { prompt } = await finished(session.workbench);
    assert.match(prompt, /^All checks passed/);
    await page.keyboard.press('Escape');
    await notifications.click(/All checks passed/, 'Retry');
    await editor.waitForText('Write a reply.\nShort.\n');
  });

  it('names an unreachable proxy as the cause, and offers to check again', async () => {
    const session = await openWindow(emulator, {
      userSettings: {
        'hostedModel.url': 'https://eu-de.ml.cloud.ibm.com',
        'hostedModel.authUrl': '',
        'http.proxy': `http://127.0.0.1:${CLOSED_PORT}`,
      },
    });
    const { workbench } = session;
    await storeKey(session);
    await workbench.runCommand(diagnose);
    const list = await finished(workbench);
    assert.match(
      list.prompt,
      /^Couldn’t reach the proxy 127\.0\.0\.1:\d+ for iam\.cloud\.ibm\.com/,
    );
    assert.equal(labels(list)[1], '$(wand) Check Again');
    await workbench.quickInput.pick('$(wand) Check Again');
    await finished(workbench);
  });

  it('names missing values without sending anything', async () => {
    const { workbench } = await openWindow(emulator, {
      userSettings: { 'hostedModel.projectId': '' },
    });
    await workbench.runCommand(diagnose);
    const list = await finished(workbench);
    assert.match(list.prompt, /needs an API key and a project ID/);
    assert.equal(emulator.requests.length, 0);
    await workbench.quickInput.pick('$(wand) Set Up...');
    await workbench.quickInput.waitFor({ step: '1/5' });
  });

  it('names the problem with the .env file, and offers a fix', async () => {
    const unapproved = notApprovedYet(emulator);
    const rest = `VENDOR_PROJECT_ID=${projectId}\nVENDOR_URL=${emulator.url}\n`;
    const planted: [file: string | undefined, cause: RegExp, fix: string][] = [
      [undefined, /\.env file in project \(not found\)/, '$(wand) Set Up...'],
      [
        `VENDOR_API_KEY="${apiKey}"\n${rest}`,
        /VENDOR_API_KEY on line 1 has quotes/,
        '$(wand) Open .env',
      ],
      [
        `VENDOR_API_KEY= ${apiKey}\n${rest}`,
        /VENDOR_API_KEY on line 1 has spaces/,
        '$(wand) Open .env',
      ],
      [`VENDOR_API_KEY=${apiKey}\n`, /lacks VENDOR_PROJECT_ID and VENDOR_URL/, '$(wand) Open .env'],
    ];
    const { workbench, path } = await openWindow(emulator, {
      userSettings: { 'hostedModel.projectId': '', 'hostedModel.url': '' },
    });
    for (const [file, cause, fix] of planted) {
      if (file !== undefined) writeFileSync(path('.env'), file);
      await workbench.runCommand(diagnose);
      const list = await finished(workbench);
      assert.match(list.prompt, cause);
      assert.doesNotMatch(list.prompt, new RegExp(apiKey));
      assert.equal(labels(list)[1], fix);
      await workbench.page.keyboard.press('Enter');
      if (file === undefined) {
        await workbench.quickInput.waitFor({ step: '1/5' });
        await workbench.quickInput.dismiss();
      } else {
        await workbench.editor.waitFor('.env');
        await workbench.runCommand('View: Close All Editors');
      }
    }
    // From here on, the service may receive requests, because the other tests' user settings
    // contain its address.
    unapproved.approve();
  });

  it('cancels the running check when the user closes the list', async () => {
    const session = await openWindow(emulator);
    const { workbench } = session;
    await storeKey(session);
    emulator.faults.always(accessPath, { neverAnswers: true });
    await workbench.runCommand(diagnose);
    const request = await emulator.requestCount(accessPath, 1);
    await workbench.quickInput.waitFor({
      item: '$(loading~spin) Service access: checking',
    });
    await workbench.screenshot('diagnose-running');
    await workbench.quickInput.dismiss();
    await emulator.disconnected(request);
  });

  it('offers to open the .env file if its key is rejected', async () => {
    const { text } = externalCredentials({
      key: 'rejected-key-0123456789',
      project: projectId,
      url: emulator.url,
    });
    const session = await openWindow(emulator, {
      userSettings: { 'hostedModel.url': '', 'hostedModel.projectId': '' },
      folderFiles: { 'a.txt': 'Write a reply.\n', '.env': text },
    });
    const { workbench } = session;
    await generateFrom(session);
    await workbench.dialogs.waitFor(/from the \.env file in this folder/);
    await workbench.dialogs.click('Use These Values');
    const rejected = /rejected the API key.*put it in the \.env file/;
    await workbench.notifications.click(rejected, 'Open .env');
    await workbench.editor.waitFor('.env');

    await workbench.runCommand(diagnose);
    const list = await finished(workbench);
    assert.match(list.prompt, rejected);
    await workbench.quickInput.pick('$(wand) Open .env');
    await workbench.quickInput.waitUntilClosed();
    await workbench.editor.waitFor('.env');
    assert.equal(emulator.count(chatPath), 0);
  });
});
