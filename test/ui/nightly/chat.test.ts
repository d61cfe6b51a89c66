import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Emulator } from '../../emulator/emulator.ts';
import { type Fault, gate } from '../../emulator/faults.ts';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import { isRecord } from '../../emulator/service.ts';
import { answerFor } from '../../emulator/text.ts';
import { chatText, startChat, startChatService } from '../chat.ts';
import {
  apiKey,
  chatPath,
  generate,
  openWindow,
  projectId,
  settingsOf,
  storeKey,
  tokenPath,
} from '../service.ts';
import { nightly } from '../session.ts';

const echo = 'ECHOED <b>words</b> [link](command:x) at /home/somebody/a.ts:1:2';
const errorOf = (code: string) => ({ json: { errors: [{ code, message: echo }] } });

/** Each fault, with the path that fails and part of the message that the chat shows. */
const failures: readonly [path: string, fault: Fault, message: string][] = [
  [chatPath, { status: 503, body: echo }, 'failed (503) on all 4 attempts'],
  [chatPath, { status: 429, ...errorOf('rate_limit_reached_requests') }, 'Too many requests'],
  [chatPath, { status: 403, ...errorOf('token_quota_reached') }, 'quota'],
  [chatPath, { status: 404, ...errorOf('model_not_supported') }, 'Select another model'],
  [chatPath, { status: 400, ...errorOf('json_type_error') }, 'rejected the request'],
  [chatPath, { status: 200, body: echo, headers: { 'content-type': 'text/html' } }, 'web page'],
  [chatPath, { redirectTo: 'http://127.0.0.1:9/' }, 'redirect'],
  [chatPath, { cutAfterBytes: 900 }, 'connection ended'],
];

describe('chat in VS Code', () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startChatService();
  });
  afterEach(() => emulator.close());

  it(`reports failures without secrets, stack traces, paths, or text from the service ${nightly}`, async () => {
    const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'x' } });
    const { workbench } = session;
    const { page } = workbench;
    await storeKey(session);
    await startChat(session);
    for (const [number, [path, fault, message]] of failures.entries()) {
      const end = emulator.faults.always(path, fault);
      await page.keyboard.type(`Question ${number}`);
      await page.keyboard.press('Enter');
      await chatText(session, message);
      end();
    }
    await workbench.screenshot('chat-failures');
    const text = (await page.locator('.interactive-session').first().textContent()) ?? '';
    for (const secret of [apiKey, ...emulator.tokensIssued]) assert.ok(!text.includes(secret));
    assert.doesNotMatch(text, /ECHOED|somebody|\bat .*\.[jt]s:\d|<b>|command:/);
    console.log(
      `      ${failures.length} failures in the chat view: 0 secrets, 0 words of the service`,
    );
  });

  it(`shows a truncated response, and continues it if the user asks ${nightly}`, async () => {
    const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'x' } });
    const { page } = session.workbench;
    await storeKey(session);
    await startChat(session);
    const ask = async (question: string) => {
      const sent = emulator.count(chatPath);
      await page.keyboard.type(question);
      await page.keyboard.press('Enter');
      await emulator.requestCount(chatPath, sent + 1);
    };
    emulator.settings.stopReason = 'max_tokens';
    await ask('Count');
    await chatText(session, 'The response reached the token limit.');
    await chatText(session, 'This one only counts.');
    emulator.settings.stopReason = undefined;
    await ask('continue');
    const last = emulator.requests.findLast(({ path }) => path === chatPath);
    assert.match(last?.text ?? '', /"role":"assistant".*This one only counts\..*continue/s);
    assert.doesNotMatch(last?.text ?? '', /reached the token limit/);
  });

  it(`sends one request per agent step, all over the same network connection ${nightly}`, async () => {
    const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'x' } });
    await storeKey(session);
    await startChat(session, 'Agent');
    let step = 0;
    emulator.settings.step = ({ tools }) => {
      if (!Array.isArray(tools)) return undefined;
      step += 1;
      if (step > 20) return { text: 'All is done.' };
      const given = JSON.stringify({ path: session.folder });
      return { toolCalls: [{ name: 'list_dir', arguments: given }] };
    };
    await session.workbench.page.keyboard.type('Look twenty times');
    await session.workbench.page.keyboard.press('Enter');
    await chatText(session, 'All is done.');
    const isStep = ({ path, json }: ReceivedRequest) =>
      path === chatPath && isRecord(json) && Array.isArray(json['tools']);
    const steps = emulator.requests.filter(isStep);
    assert.equal(steps.length, 21);
    assert.equal(new Set(steps.map(({ connection }) => connection)).size, 1);
    const first = emulator.requests.findIndex(isStep);
    const others = emulator.requests.slice(first).filter(({ path }) => path !== chatPath);
    assert.deepEqual(others, [], 'no other request delays a step');
    assert.equal(emulator.count(tokenPath), 1);
  });

  it(`edits the selection inline with one request and no sign-in ${nightly}`, async () => {
    const session = await openWindow(emulator, {
      folderFiles: { 'a.txt': 'The first line.\nThe second line.\n' },
    });
    const { workbench, path } = session;
    const { page, editor, screen } = workbench;
    await storeKey(session);
    await startChat(session);
    const given = { filePath: path('a.txt'), oldString: 'The first line.', newString: 'Line one.' };
    emulator.settings.step = () => ({
      toolCalls: [{ name: 'replace_string_in_file', arguments: JSON.stringify(given) }],
    });
    await workbench.openFile(path('a.txt'));
    await editor.selectLines(1);
    await page.keyboard.press('Control+I');
    const widget = '.inline-chat-widget';
    await page.locator(widget).filter({ hasText: 'granite-4-h-small' }).waitFor();
    const hasKeyboard = `document.activeElement?.closest('${widget}') != null`;
    await screen.until('the inline chat to have the keyboard', async () =>
      (await screen.read<boolean>(hasKeyboard)) ? true : undefined,
    );
    // On a busy machine, VS Code can still move the focus to the chat that was opened earlier, so
    // type the prompt again until all of it is in the inline chat.
    await screen.until('the prompt in the inline chat', async () => {
      const input = page.locator(`${widget} .monaco-editor`).filter({ visible: true }).first();
      await input.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('Make it shorter');
      const typed = (await input.locator('.view-lines').textContent()) ?? '';
      return typed.replaceAll('\u00a0', ' ').trim() === 'Make it shorter' ? true : undefined;
    });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Keep (Ctrl+Enter)' }).click();
    await page.locator(widget).waitFor({ state: 'hidden' });
    await workbench.screenshot('chat-inline');
    assert.equal(await editor.savedText(path('a.txt')), 'Line one.\nThe second line.\n');

    const requests = emulator.requests.filter((request) => request.path === chatPath);
    assert.equal(requests.length, 1);
    assert.match(requests[0]?.text ?? '', /Make it shorter/);
    assert.equal(await workbench.dialogs.state(), undefined);
    assert.doesNotMatch((await page.textContent('body')) ?? '', /Sign in/i);
  });

  it(`doesn't delay generation for a selection while an agent's request is in progress ${nightly}`, async () => {
    const session = await openWindow(emulator, {
      folderFiles: { 'letter.txt': 'Write a reply.\n' },
      userSettings: { ...settingsOf(emulator), 'hostedModel.maxConcurrentRequests': 2 },
    });
    const { workbench } = session;
    await storeKey(session);
    await startChat(session, 'Agent');
    const isOfSelection = ({ path, text }: ReceivedRequest) =>
      path === chatPath && text.includes('Write a reply.') && !text.includes('"tools"');
    const isOfAgent = (request: ReceivedRequest) =>
      request.path === chatPath && !isOfSelection(request);
    const thought = gate();
    const end = emulator.faults.always(isOfAgent, { hold: thought.opened });
    await workbench.page.keyboard.type('Think for an hour');
    await workbench.page.keyboard.press('Enter');
    await emulator.requestCount(isOfAgent, 1);
    await workbench.openFile(session.path('letter.txt'));
    await workbench.editor.selectLines(1);
    await workbench.runCommand(generate);
    await workbench.editor.waitForText(`Write a reply.\n${answerFor('Write a reply.')}\n`);
    assert.equal(emulator.count(isOfAgent), 1);
    assert.equal(emulator.inFlight.inference, 1, 'the agent still holds its slot');
    console.log('      a selection was answered while the agent held its slot: 1 of 2');
    end();
    thought.open();
    await workbench.runCommand('Chat: Open Chat (Agent)');
    await chatText(session, 'Hello from the emulated model!');
  });

  it(`doesn't let another extension use the models without the user's approval ${nightly}`, async () => {
    const session = await openWindow(emulator, {
      folderFiles: { 'a.txt': 'x' },
      otherExtension: join(import.meta.dirname, 'foreignExtension'),
    });
    const { workbench } = session;
    await storeKey(session);
    await workbench.runCommand('Foreign: Call the Model');
    const { text, detail } = await workbench.dialogs.waitFor(/evil\.foreign/);
    assert.match(text, /^Let the extension evil\.foreign use your hosted model\?$/);
    assert.match(detail, new RegExp(`127\\.0\\.0\\.1:\\d+ and billed to project ${projectId}`));
    await workbench.screenshot('chat-foreign-question');
    assert.equal(emulator.requests.length, 0);
    await workbench.dialogs.click('Don’t Allow');
    await workbench.notifications.close(/Foreign failed: NoPermissions: .*didn’t allow/);
    await workbench.runCommand('Foreign: Call the Model');
    await workbench.notifications.close(/Foreign failed: NoPermissions/);
    assert.equal(emulator.requests.length, 0);

    await workbench.runCommand('Hosted Model: Show Status and Actions');
    await workbench.quickInput.type('evil');
    await workbench.quickInput.waitFor({ item: '$(extensions) evil.foreign' });
    await workbench.quickInput.accept();
    await workbench.quickInput.pick('$(discard) Forget Decision');
    await workbench.runCommand('Foreign: Call the Model');
    await workbench.dialogs.click('Allow');
    await workbench.notifications.close(/Foreign got: Hello from the emulated model!/);
    assert.equal(emulator.count(chatPath), 1);
  });
});
