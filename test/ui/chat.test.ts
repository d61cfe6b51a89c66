import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Emulator } from '../emulator/emulator.ts';
import { isRecord } from '../emulator/service.ts';
import type { ModelStep } from '../emulator/settings.ts';
import { chatText, startChat, startChatService, useInChat } from './chat.ts';
import { prepareForPicture, takePicture } from './pictures.ts';
import { chatPath, openWindow, projectId, storeKey, tokenPath } from './service.ts';
import { nightly, type Session } from './session.ts';

/**
 * Tests VS Code's own chat with the hosted model, in a fresh profile that isn't signed in to any
 * account.
 */

const listPath = '/ml/v1/foundation_model_specs';
const files = { 'a.txt': 'The first file.\n', 'b.txt': 'The second file.\n' };

describe(`chat ${nightly}`, () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startChatService();
  });
  afterEach(() => emulator.close());

  it('responds after four user actions, without requiring a sign-in', async () => {
    const session = await openWindow(emulator, { folderFiles: files });
    const { workbench } = session;
    await storeKey(session);
    await startChat(session);
    const { page } = workbench;
    assert.equal(emulator.count(chatPath), 0, 'nothing is sent automatically');
    await page.keyboard.type('Say hello');
    await page.keyboard.press('Enter');
    await chatText(session, 'This one only counts.');
    await workbench.screenshot('chat-answer');
    assert.equal(await workbench.dialogs.state(), undefined);
    assert.doesNotMatch((await page.textContent('body')) ?? '', /Sign in/i);
    assert.deepEqual(
      [emulator.count(chatPath), emulator.count(tokenPath), emulator.count(listPath)],
      [1, 1, 2],
    );
    console.log('      inputs: the command, Enter, the question, Enter; sign-in dialogs: 0');
  });

  it('reopens without a dialog, even after the window is reloaded', async () => {
    const session = await openWindow(emulator, { folderFiles: files });
    const { workbench } = session;
    await storeKey(session);
    await startChat(session);
    const input = workbench.page.locator('.chat-input-container');
    const reopen = async () => {
      const listed = emulator.count(listPath);
      await workbench.runCommand(useInChat);
      // An open dialog would delay the request for the model list.
      await emulator.requestCount(listPath, listed + 1);
      await input.filter({ hasText: 'granite-4-h-small' }).waitFor();
      assert.equal(await workbench.dialogs.state(), undefined);
    };
    await reopen();
    await workbench.reload();
    await reopen();
  });

  it('lets an agent use its tools despite a revoked token and throttling', async () => {
    const session = await openWindow(emulator, {
      folderFiles: files,
      userSettings: { 'hostedModel.offerTool': true },
    });
    const { workbench, path } = session;
    const { page } = workbench;
    await storeKey(session);
    await startChat(session, 'Agent');
    const steps = stepsOf(path);
    let step = 0;
    emulator.settings.step = ({ tools }) => {
      if (!Array.isArray(tools)) return undefined;
      step += 1;
      // Revokes the token in the middle of the loop, between two steps.
      if (step === 1) emulator.revokeTokens();
      if (step === 2) {
        for (const status of [429, 429, 503]) emulator.faults.next(chatPath, { status });
      }
      return steps[step - 1];
    };
    await page.keyboard.type('Join both files');
    await page.keyboard.press('Enter');
    const allow = page
      .locator('.monaco-button:visible')
      .filter({ hasText: 'Allow in this Session' })
      .first();
    await allow.waitFor();
    await page
      .getByText(
        new RegExp(
          `14 characters will be sent to 127\\.0\\.0\\.1:\\d+ and billed to project ${projectId}`,
        ),
      )
      .filter({ visible: true })
      .first()
      .waitFor();
    const shown = page.locator('code').filter({ hasText: 'Write a title.', visible: true });
    await shown.first().waitFor();
    // Prepares the page before measuring, because preparing it moves the question.
    await prepareForPicture(page);
    const title = page.getByText('Send text to your hosted model?').filter({ visible: true });
    const widget = page.locator('.chat-confirmation-widget2:visible');
    const [above, box] = await Promise.all([title, widget].map((one) => one.first().boundingBox()));
    assert.ok(above && box);
    // The title is above the widget's box. Leaves the same margin above the title as the widget has
    // below its buttons.
    const y = above.y - 7;
    // The height can be fractional. Without rounding up and adding a pixel, the bottom border would
    // be cut off.
    const bottom = Math.ceil(box.y + box.height) + 1;
    const clip = { x: box.x, y, width: box.width, height: bottom - y };
    await takePicture(page, 'chat-dark', clip);
    await workbench.toggleTheme();
    await takePicture(page, 'chat-light', clip);
    await allow.click();
    await chatText(session, 'All is done.');
    await workbench.screenshot('chat-agent');
    assert.equal(await readFile(path('c.txt'), 'utf8'), 'made by the agent\n');

    const asked = emulator.requests.filter((request) => request.path === chatPath);
    const ofLoop = asked.filter(({ json }) => isRecord(json) && Array.isArray(json['tools']));
    assert.equal(step, 4, 'no step ran twice');
    // The loop sends eight requests: one for each of the four steps, one repeat with a new token,
    // and three retries. The extension's tool sends one more request.
    assert.deepEqual([ofLoop.length, asked.length - ofLoop.length], [4 + 1 + 3, 1]);
    assert.equal(emulator.count(tokenPath), 2);
    const { messages } = (ofLoop.at(-1)?.json ?? { messages: [] }) as {
      messages: readonly Record<string, unknown>[];
    };
    const later = messages.slice(messages.findIndex(({ role }) => role === 'assistant'));
    assert.deepEqual(
      later.map(({ role }) => role),
      ['assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'tool'],
    );
    const [first] = later;
    const calls = first?.['tool_calls'] as readonly { id: string }[];
    assert.deepEqual(
      calls.map(({ id }) => id),
      later.slice(1, 3).map(({ tool_call_id: id }) => id),
    );
    assert.match(String(later[1]?.['content']), /The first file\./);
    assert.match(String(later.at(-1)?.['content']), /"status":"done","text":"Hello from/);
    console.log(
      `      requests of the loop: ${ofLoop.length} for 4 steps, of the tool: 1; token requests: 2`,
    );
  });
});

function stepsOf(path: Session['path']): readonly ModelStep[] {
  const call = (name: string, input: object) => ({ name, arguments: JSON.stringify(input) });
  const read = (name: string) =>
    call('read_file', { filePath: path(name), startLine: 1, endLine: 9 });
  return [
    {
      reasoning: 'Both are needed.',
      text: 'I read both.',
      toolCalls: [read('a.txt'), read('b.txt')],
    },
    {
      toolCalls: [call('create_file', { filePath: path('c.txt'), content: 'made by the agent\n' })],
    },
    { toolCalls: [call('hosted_model_generate', { prompt: 'Write a title.' })] },
    { text: 'All is done.' },
  ];
}
