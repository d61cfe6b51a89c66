import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Emulator } from '../emulator/emulator.ts';
import { notApprovedYet } from '../emulator/unapproved.ts';
import type { QuickInputState } from '../vscode/input.ts';
import type { Workbench } from '../vscode/workbench.ts';
import {
  apiKey,
  chatPath,
  generate,
  generateFrom,
  openWindow,
  outside,
  projectId,
  startService,
  statusId,
  storeKey,
  tokenPath,
} from './service.ts';
import { nightly } from './session.ts';

const diagnose = 'Hosted Model: Diagnose Connection';
const accessPath = '/ml/v1/text/tokenization';

/** The list once every check is over. */
const finished = ({ quickInput }: Workbench): Promise<QuickInputState> =>
  quickInput.waitFor({ title: 'Diagnose Connection', item: '$(copy) Copy Report' });
const labels = ({ items }: QuickInputState) => items.map(({ label }) => label);

describe('Diagnose Connection', () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());
  beforeEach(() => emulator.reset());

  it('shows each check, by the keyboard alone, and generates nothing', async () => {
    const session = await openWindow(emulator);
    const { workbench } = session;
    await storeKey(session);
    await workbench.runCommand(diagnose);
    const list = await finished(workbench);
    const { host } = new URL(emulator.url);
    assert.deepEqual(labels(list), [
      '$(pass-filled) All checks passed',
      '$(copy) Copy Report',
      '$(pass-filled) Settings: passed',
      '$(pass-filled) Syntax: passed',
      '$(pass-filled) Hosts: passed',
      '$(pass-filled) Identity service: passed',
      '$(pass-filled) Model service: passed',
      '$(pass-filled) Key and token: passed',
      '$(pass-filled) Clock: passed',
      '$(pass-filled) Token and model: passed',
      '$(pass-filled) Request limit: passed',
    ]);
    const described = list.items.map(({ description }) => description);
    assert.ok(described.includes(`${host} answers.`));
    assert.ok(described.includes('The key is accepted; the token lives 60 minutes.'));
    assert.match(list.prompt, /All checks passed/);
    assert.equal(list.items.find(({ focused }) => focused)?.label, '$(copy) Copy Report');
    await workbench.screenshot('diagnose-passed');

    await workbench.page.keyboard.press('Enter');
    await workbench.quickInput.waitFor({ item: '$(check) Report Copied' });
    const report = await workbench.page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(report, /^Hosted Model \d+\.\d+\.\d+\n.* 1\.\d+\.\d+, linux/);
    assert.match(report, /Key and token: passed\. The key is accepted/);
    for (const secret of [apiKey, projectId, ...emulator.tokensIssued]) {
      assert.ok(!report.includes(secret), `${secret} in the report`);
    }
    await workbench.page.keyboard.press('Escape');
    await workbench.quickInput.waitUntilClosed();
    const sent = emulator.requests.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(sent, [
      `GET ${tokenPath}`,
      'GET /ml/v1/foundation_model_specs',
      `POST ${tokenPath}`,
      `POST ${accessPath}`,
    ]);
  });

  it(`names a refused key and leads to its fix, in both themes ${nightly}`, async () => {
    const session = await openWindow(emulator);
    const { workbench } = session;
    await storeKey(session, 'refused-key-0123456789');
    for (const theme of ['dark', 'light'] as const) {
      if (theme === 'light') await workbench.toggleTheme();
      await workbench.runCommand(diagnose);
      const list = await finished(workbench);
      assert.match(list.prompt, /refused the API key: it is unknown, expired or disabled/);
      assert.deepEqual(labels(list).slice(0, 3), [
        '$(error) Cause: Key and token',
        '$(wand) Set API Key',
        '$(copy) Copy Report',
      ]);
      assert.ok(labels(list).includes('$(circle-slash) Token and model: not run'));
      const clipped = await workbench.page.evaluate<boolean>(
        `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)(document.querySelector('.quick-input-widget .quick-input-message'))`,
      );
      assert.equal(clipped, false, 'the sentence is wholly readable');
      await workbench.screenshot(`diagnose-refused-${theme}`);
      assert.equal(emulator.count(accessPath), 0);

      const marked = list.items.find(({ focused }) => focused);
      assert.equal(marked?.label, '$(wand) Set API Key');
      assert.match(marked?.detail ?? '', /refused the API key/, 'is read out with the fix');
      if (theme === 'dark') await workbench.quickInput.dismiss();
    }
    await workbench.page.keyboard.press('Enter');
    await workbench.quickInput.waitFor({ step: '1/2', password: true });
  });

  it(`names a proxy that is down, with no network at all ${nightly}`, async () => {
    const closed = await startService();
    const proxy = new URL(closed.url).host;
    await closed.close();
    const session = await openWindow(emulator, {
      userSettings: {
        'hostedModel.url': 'https://eu-de.ml.cloud.ibm.com',
        'hostedModel.authUrl': '',
        'http.proxy': `http://${proxy}`,
      },
    });
    const { workbench } = session;
    await storeKey(session);
    await workbench.runCommand(diagnose);
    const list = await finished(workbench);
    assert.match(
      list.prompt,
      /^The proxy 127\.0\.0\.1:\d+ on the way to iam\.cloud\.ibm\.com cannot/,
    );
    assert.equal(labels(list)[1], '$(wand) Check Again');
    await workbench.quickInput.pick('$(wand) Check Again');
    await finished(workbench);
  });

  it('sends nothing without settings, and names what is missing', async () => {
    const { workbench } = await openWindow(emulator, {
      userSettings: { 'hostedModel.projectId': '' },
    });
    await workbench.runCommand(diagnose);
    const list = await finished(workbench);
    assert.match(list.prompt, /needs an API key and a project ID/);
    assert.equal(emulator.requests.length, 0);
    await workbench.quickInput.pick('$(wand) Set Up Credentials');
    await workbench.quickInput.waitFor({ step: '1/4', password: true });
  });

  it(`names what is wrong in a .env file, with its line, and opens it ${nightly}`, async () => {
    const unapproved = notApprovedYet(emulator);
    const rest = `VENDOR_PROJECT_ID=${projectId}\nVENDOR_URL=${emulator.url}\n`;
    const planted: [file: string | undefined, cause: RegExp, fix: string][] = [
      [undefined, /\.env file of project \(not there\)/, '$(wand) Set Up Credentials'],
      [
        `VENDOR_API_KEY="${apiKey}"\n${rest}`,
        /line 1: VENDOR_API_KEY has quotes/,
        '$(wand) Open .env',
      ],
      [
        `VENDOR_API_KEY= ${apiKey}\n${rest}`,
        /line 1: VENDOR_API_KEY has blanks/,
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
        await workbench.quickInput.waitFor({ step: '1/4' });
        await workbench.quickInput.dismiss();
      } else {
        await workbench.editor.waitFor('.env');
        await workbench.runCommand('View: Close All Editors');
      }
    }
    // It is the user's own in the other tests.
    unapproved.approve();
  });

  it(`ends what runs when it is closed ${nightly}`, async () => {
    const session = await openWindow(emulator);
    const { workbench } = session;
    await storeKey(session);
    emulator.faults.always(accessPath, { neverAnswers: true });
    await workbench.runCommand(diagnose);
    const request = await emulator.requestCount(accessPath, 1);
    await workbench.quickInput.waitFor({
      item: '$(loading~spin) Token and model: checking',
    });
    await workbench.screenshot('diagnose-running');
    await workbench.quickInput.dismiss();
    await emulator.disconnected(request);
  });

  it(`leads to the .env file where its key is refused ${nightly}`, async () => {
    const { text } = outside({
      key: 'refused-key-0123456789',
      project: projectId,
      url: emulator.url,
    });
    const session = await openWindow(emulator, {
      userSettings: { 'hostedModel.url': '', 'hostedModel.projectId': '' },
      folderFiles: { 'a.txt': 'Write a reply.\n', '.env': text },
    });
    const { workbench } = session;
    await generateFrom(session);
    await workbench.dialogs.waitFor(/from the \.env file of this folder/);
    await workbench.dialogs.click('Use These Values');
    const refused = /refused the API key.*put it into the \.env file/;
    await workbench.notifications.click(refused, 'Open .env');
    await workbench.editor.waitFor('.env');

    await workbench.runCommand(diagnose);
    const list = await finished(workbench);
    assert.match(list.prompt, refused);
    await workbench.quickInput.pick('$(wand) Open .env');
    await workbench.quickInput.waitUntilClosed();
    await workbench.editor.waitFor('.env');
    assert.equal(emulator.count(chatPath), 0);
  });

  it(`explains a 401 of a generation by the same checks ${nightly}`, async () => {
    const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'Write a reply.\n' } });
    const { workbench, path } = session;
    const { notifications } = workbench;
    await storeKey(session);
    await workbench.openFile(path('a.txt'));
    await workbench.editor.selectLines(1);
    const refused = { status: 401, json: { errors: [{ code: 'authentication_token_not_valid' }] } };
    emulator.faults.always(chatPath, refused);
    emulator.settings.projectIds = ['another'];
    await workbench.runCommand(generate);
    const { text } = await notifications.waitFor(/project was not found in this region/);
    assert.doesNotMatch(text, /unauthorized/i);
    assert.equal(emulator.count(accessPath), 1);
    await workbench.notifications.close(/project was not found/);

    emulator.settings.projectIds = [projectId];
    await workbench.runCommand(generate);
    await notifications.waitFor(/all checks pass now/);
    assert.equal(emulator.count(chatPath), 4, 'each generation was replayed once');
    assert.equal((await workbench.statusItem(statusId).state())?.background, 'none');
  });
});
