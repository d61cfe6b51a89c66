import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { Emulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import { answerFor } from '../emulator/text.ts';
import { assertUntouched, notApprovedYet } from '../emulator/unapproved.ts';
import { modeKeys } from '../vscode/keybindings.ts';
import { answerSetUp, correctKey } from '../vscode/setUpWalk.ts';
import { startChat, startChatService } from './chat.ts';
import {
  accessPath,
  apiKey,
  chatPath,
  externalCredentials,
  generateByKeys,
  giveUpSetUp,
  projectId,
  startService,
  statusId,
  tokenPath,
} from './service.ts';
import { openWorkbench, type Session } from './session.ts';

const letter = 'Write a reply.';
const replied = `${letter}\n${answerFor(letter)}`;
const three = 'First question\n\nSecond question\n\nThird question';
const files = { 'letter.txt': letter, 'three.txt': three, 'secret.txt': `KEY=${apiKey}` };
const nextKey = 'next-key-0123456789';
const fileKey = 'key-in-the-env-file-0123';

/**
 * True if a decoration after a line shows “Generating…”. VS Code draws the decoration with a style
 * sheet, so the text of the page doesn't contain this word.
 */
const isMarked = `[...document.querySelectorAll('.editor-group-container.active .view-line span')]
  .map((span) => getComputedStyle(span, '::after').content)
  .some((content) => content.includes('Generating…'))`;

/**
 * The journeys that `npm test` runs. They share one window, because opening a window takes longer
 * than any single journey. Each journey starts where the previous one ended, so only the first one
 * can run alone.
 */
describe('in the main user journeys', () => {
  let emulator: Emulator;
  let other: Emulator;
  let session: Session;
  before(async () => {
    [emulator, other] = await Promise.all([startService(), startChatService()]);
    session = await openWorkbench({
      folderFiles: files,
      userSettings: { 'hostedModel.authUrl': emulator.url },
      // Load only the built-in theme and chat extensions so that the window starts sooner.
      builtInExtensions: ['theme-defaults', 'copilot'],
    });
  });
  after(() => Promise.all([emulator.close(), other.close()]));
  afterEach(() => {
    emulator.faults.clear();
  });

  const select = async (name: keyof typeof files) => {
    const { editor } = session.workbench;
    if ((await editor.name()) !== name) await session.workbench.openFile(session.path(name));
    await editor.selectAll();
  };
  const undone = async (name: keyof typeof files) => {
    const { editor, page } = session.workbench;
    await page.keyboard.press('Control+Z');
    await editor.waitForText(files[name]);
  };
  const status = () => session.workbench.statusItem(statusId);
  /** Waits until the status item shows a valid token. */
  const ready = () =>
    status().waitFor({
      text: /^\$\(key\) \d+m$/,
      ariaLabel: /token valid, \d+ minutes left/,
      background: 'none',
    });

  it('A03: a generation opens setup if settings are missing, and continues afterward', async () => {
    const { editor, notifications, quickInput } = session.workbench;
    await status().waitFor({
      text: '$(key) Set Up Hosted Model',
      ariaLabel: 'Hosted Model: not set up',
      background: 'none',
    });
    await select('letter.txt');
    await generateByKeys(session);
    await quickInput.waitFor({
      step: '1/5',
      prompt: 'Hosted Model needs an API key, a project ID, and a service URL. Nothing was sent.',
    });
    await status().waitFor({ text: '$(key) Set Up Hosted Model', background: 'warning' });
    assert.equal(emulator.requests.length, 0);

    // Escape in the document closes setup, as it closes any open input in VS Code. If it only
    // canceled the waiting generation, setup would stay open.
    await editor.focus();
    await session.workbench.page.keyboard.press('Escape');
    await quickInput.waitUntilClosed();
    await notifications.close(/needs an API key/);
    await generateByKeys(session);
    await answerSetUp(session.workbench, { apiKey, projectId, url: emulator.url });
    await quickInput.pick('$(beaker) Test and Save');
    await editor.waitForText(replied);
    await ready();
    assert.deepEqual(
      emulator.requests.map(({ path }) => path),
      [tokenPath, accessPath, chatPath],
      'the token from the test is reused',
    );
    assert.equal(await editor.savedText(session.path('letter.txt')), replied);
    await undone('letter.txt');
    assert.equal(await editor.savedText(session.path('letter.txt')), letter);
    await notifications.waitFor(/is set up/);
    const texts = (await notifications.list()).map(({ text }) => text);
    assert.ok(!texts.some((text) => /needs/.test(text)), 'no warning contradicts the success');
    await notifications.close(/is set up/);
  });

  it('a generation shows its progress, and keeps the partial text when canceled', async () => {
    const { editor, notifications, screen } = session.workbench;
    const marked = (wanted: boolean) =>
      screen.until(`the mark to be there: ${wanted}`, async () =>
        (await screen.read<boolean>(isMarked)) === wanted ? true : undefined,
      );
    const [answer, rest] = [gate(), gate()];
    emulator.faults.next(chatPath, {
      hold: answer.opened,
      beforePart: (index) => (index < 4 ? undefined : rest.opened),
    });
    const arrived = emulator.nextRequest(chatPath);
    await select('letter.txt');
    await generateByKeys(session);
    const request = await arrived;
    await marked(true);
    await status().waitFor({ text: '$(loading~spin) Hosted Model', ariaLabel: /generating/ });
    const { buttons } = await notifications.progress(/^Hosted Model: Generating… Esc cancels$/);
    assert.deepEqual(buttons, ['Cancel']);
    answer.open();
    await editor.waitForText(/Hello/);
    await marked(false);
    await notifications.cancelProgress(/Generating/);
    await emulator.disconnected(request);
    rest.open();
    await notifications.waitUntilGone(/Generating/);
    await ready();
    assert.deepEqual(await notifications.list(), [], 'canceling is silent');
    const partial = await editor.visibleText();
    assert.ok(partial !== letter && replied.startsWith(partial.trimEnd()), partial);
    await undone('letter.txt');
  });

  it('J17: several selections get responses concurrently, and one undo removes all responses', async () => {
    const { editor, screen } = session.workbench;
    emulator.settings.answer = (prompt) => `Answer to ${prompt}`;
    await select('three.txt');
    await editor.splitSelection();
    const half = gate();
    emulator.faults.always(chatPath, {
      beforePart: (index) => (index < 3 ? undefined : half.opened),
    });
    await generateByKeys(session);
    await screen.until('all responses to have begun', async () =>
      (await editor.visibleText()).split('Answer').length === 4 ? true : undefined,
    );
    assert.equal(emulator.inFlight.inference, 3);
    half.open();
    const answered = three.replaceAll(/.+ question/g, '$&\nAnswer to $&');
    await editor.waitForText(answered);
    await undone('three.txt');
  });

  it('a preview can be accepted or discarded with the displayed shortcuts', async () => {
    const { editor, page } = session.workbench;
    const answered = 'we will meet\non Monday.';
    emulator.settings.answer = () => answered;
    const preview = async () => {
      await page.keyboard.press(modeKeys.preview);
      await editor.waitForTitle('letter.txt (preview)');
      await editor.waitForModifiedText(answered);
    };
    await select('letter.txt');
    await preview();
    assert.deepEqual((await editor.titleButtons()).slice(0, 2), [
      'Accept Preview (Ctrl+Enter)',
      'Discard Preview (Ctrl+Backspace)',
    ]);
    await page.keyboard.press('Control+Backspace');
    await editor.waitForTitle('letter.txt');
    await editor.waitForText(letter);
    assert.equal(await editor.isDirty(), false);

    await preview();
    await page.keyboard.press('Control+Enter');
    await editor.waitForTitle('letter.txt');
    await editor.waitForText(answered);
    await undone('letter.txt');
  });

  it("a selection that contains a key isn't sent until the key is masked", async () => {
    const { dialogs, editor } = session.workbench;
    emulator.settings.answer = () => 'Short.';
    await select('secret.txt');
    const sent = emulator.requests.length;
    await generateByKeys(session);
    const { detail } = await dialogs.waitFor(
      'Nothing was sent, because the text contains your key.',
    );
    assert.ok(!detail.includes(apiKey));
    assert.equal(emulator.requests.length, sent);
    const arrived = emulator.nextRequest(chatPath);
    await dialogs.click('Mask and Send');
    const { bytes, json } = await arrived;
    const { messages } = json as { messages: { content: string }[] };
    assert.equal(messages[0]?.content, 'KEY=[redacted]');
    assert.ok(!bytes.includes(apiKey));
    await editor.waitForText(`KEY=${apiKey}\nShort.`);
    await undone('secret.txt');
  });

  it('the message about a 401 names the cause and offers a fix', async () => {
    const { editor, notifications, quickInput } = session.workbench;
    const rejected = {
      status: 401,
      json: { errors: [{ code: 'authentication_token_not_valid' }] },
    };
    const accepted = emulator.faults.always(chatPath, rejected);
    emulator.settings.projectIds = ['another'];
    await select('letter.txt');
    await generateByKeys(session);
    const ofProject = await notifications.waitFor(/project doesn’t exist in this region/);
    assert.doesNotMatch(ofProject.text, /unauthorized/i);
    assert.deepEqual(ofProject.buttons, ['Change Project...', 'Diagnose Connection', 'Show Log']);
    await ready();
    await notifications.close(/project doesn’t exist/);
    accepted();

    emulator.settings.projectIds = [projectId];
    emulator.settings.apiKeys = [nextKey, fileKey];
    emulator.revokeTokens();
    await generateByKeys(session);
    const ofKey = await notifications.waitFor(/rejected the API key/);
    assert.equal(ofKey.severity, 'error');
    assert.deepEqual(ofKey.buttons, ['Set Up...', 'Refresh Token', 'Show Log']);
    await status().waitFor({
      text: '$(error) Hosted Model: credentials rejected',
      ariaLabel: /credentials rejected/,
      background: 'error',
    });
    await notifications.click(/rejected the API key/, 'Set Up...');
    await correctKey(session.workbench, nextKey);
    // Setup replaces a rejected key without asking the user.
    await quickInput.pick('$(beaker) Test and Save');
    await notifications.click(/changes are saved/, 'Retry');
    await editor.waitForText('Write a reply.\nShort.');
    await undone('letter.txt');
    await ready();
  });

  it('Diagnose Connection shows each check without generating text', async () => {
    const { page, quickInput } = session.workbench;
    const sent = emulator.requests.length;
    await session.workbench.runCommand('Hosted Model: Diagnose Connection');
    const list = await quickInput.waitFor({
      title: 'Diagnose Connection',
      item: '$(copy) Copy Report',
    });
    const { host } = new URL(emulator.url);
    assert.deepEqual(
      list.items.map(({ label }) => label),
      [
        '$(pass-filled) All checks passed',
        '$(copy) Copy Report',
        '$(pass-filled) Settings: passed',
        '$(pass-filled) Syntax: passed',
        '$(pass-filled) Hosts: passed',
        '$(pass-filled) Identity service: passed',
        '$(pass-filled) Model service: passed',
        '$(pass-filled) Key and token: passed',
        '$(pass-filled) Clock: passed',
        '$(pass-filled) Service access: passed',
        '$(pass-filled) Request limit: passed',
      ],
    );
    const described = list.items.map(({ description }) => description);
    assert.ok(described.includes(`${host} responds.`));
    assert.ok(
      described.includes('The credentials were accepted. The token is valid for 60 minutes.'),
    );
    assert.match(list.prompt, /All checks passed/);
    assert.equal(list.items.find(({ focused }) => focused)?.label, '$(copy) Copy Report');

    await page.keyboard.press('Enter');
    await quickInput.waitFor({ item: '$(check) Report Copied' });
    const report = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(report, /^Hosted Model \d+\.\d+\.\d+\n.* 1\.\d+\.\d+, linux/);
    assert.match(report, /Key and token: passed\. The credentials were accepted/);
    for (const secret of [apiKey, nextKey, projectId, ...emulator.tokensIssued]) {
      assert.ok(!report.includes(secret), `${secret} in the report`);
    }
    await page.keyboard.press('Escape');
    await quickInput.waitUntilClosed();
    const requests = emulator.requests.slice(sent);
    assert.deepEqual(
      requests.map(({ method, path }) => `${method} ${path}`),
      [
        `GET ${tokenPath}`,
        'GET /ml/v1/foundation_model_specs',
        `POST ${tokenPath}`,
        `POST ${accessPath}`,
      ],
    );
  });

  it('A17: signing out deletes the key and the token, and cancels all running calls', async () => {
    const { editor, notifications, screen } = session.workbench;
    // VS Code encrypts the secrets, so the test can compare only the length of the encrypted text.
    const kept = () => screen.read<number>(`localStorage.getItem('secrets.provider').length`);
    const keptBefore = await kept();
    await select('three.txt');
    await editor.splitSelection();
    const stalled = gate();
    emulator.faults.next(chatPath, { hold: stalled.opened }, 3);
    const sent = emulator.count(chatPath);
    await generateByKeys(session);
    await emulator.requestCount(chatPath, sent + 3);
    const calls = emulator.requests.filter(({ path }) => path === chatPath).slice(-3);
    const gone = calls.map((call) => emulator.disconnected(call));
    await session.workbench.runCommand('Hosted Model: Sign Out');
    await session.workbench.dialogs.click('Sign Out');
    await Promise.all(gone);
    await notifications.close(/Signed out/);
    await status().waitFor({ text: '$(key) Set Up Hosted Model' });
    const keptAfter = await kept();
    assert.ok(keptAfter < keptBefore - nextKey.length, `${keptBefore}, then ${keptAfter}`);
    stalled.open();

    const before = emulator.requests.length;
    await select('letter.txt');
    await generateByKeys(session);
    assert.equal(
      await giveUpSetUp(session.workbench),
      'Hosted Model needs an API key. ' +
        'Nothing was sent. Sources checked: secret storage and user settings, ' +
        'the .env file in project (not found), and the environment (it has no settings for this service).',
    );
    assert.equal(emulator.requests.length, before, 'the remaining token is not used, either');
  });

  it('a .env file is used only after its hosts are shown and approved', async () => {
    const { dialogs, screen } = session.workbench;
    const unapproved = notApprovedYet(other);
    // `other` would reject the token that `emulator` issued, so `other` replays a recording.
    other.replay('chat_stream ok', chatPath);
    const { text } = externalCredentials({
      key: fileKey,
      project: 'project-of-the-file',
      url: other.url,
    });
    await writeFile(session.path('.env'), text);
    await generateByKeys(session);
    const { detail } = await dialogs.waitFor(/from the \.env file in this folder/);
    assert.ok(detail.includes(`The API key goes to ${new URL(emulator.url).host}`), detail);
    assert.ok(detail.includes(`Selected text goes to ${new URL(other.url).host}`), detail);
    assert.ok(detail.includes(`Folder: ${session.folder}`), detail);
    assert.ok(!detail.includes(fileKey));
    assert.equal(await screen.read('document.activeElement.textContent'), 'Do Not Use');
    assertUntouched(unapproved);
    unapproved.approve();
    await dialogs.click('Use These Values');
    const { json } = await other.requestCount(chatPath, 1);
    assert.equal((json as { project_id: string }).project_id, 'project-of-the-file');
    assert.equal(
      emulator.requests.findLast(({ path }) => path === tokenPath)?.form?.['apikey'],
      fileKey,
    );
    await ready();
  });

  it('chat selects the model without requiring a sign-in or sending a chat request', async () => {
    const { dialogs, page } = session.workbench;
    const asked = other.count(chatPath);
    await startChat(session);
    assert.equal(await dialogs.state(), undefined);
    assert.doesNotMatch((await page.textContent('body')) ?? '', /Sign in/i);
    assert.equal(other.count(chatPath), asked);
  });
});
