import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { startService } from './service.ts';
import type { Session } from './session.ts';

/** Drives VS Code's chat view as a user would. */

export const useInChat = 'Hosted Model: Use in Chat';

/** Starts a service whose models all support tool calls. */
export async function startChatService(): Promise<Emulator> {
  const emulator = await startService();
  const able = { task_ids: ['function_calling'] };
  emulator.settings.models = emulator.settings.models.map((model) => ({ ...model, ...able }));
  return emulator;
}

/** Runs *Use in Chat* for the first time, and confirms with Enter. Afterward, the chat has focus. */
export async function startChat(
  { workbench }: Session,
  mode: 'Ask' | 'Agent' = 'Ask',
): Promise<void> {
  const { page, dialogs, notifications, screen } = workbench;
  const input = page.locator('.chat-input-container');
  const listed = input.filter({ hasText: 'granite-4-h-small' });
  const late = /built-in chat is still off/;
  await workbench.runCommand(useInChat);
  const { detail } = await dialogs.waitFor(/Use your hosted model in VS Code’s chat\?/);
  assert.match(detail, /17,000 tokens/);
  await page.keyboard.press('Enter');
  await screen.until('the dialog to close', async () =>
    (await dialogs.state()) ? undefined : true,
  );
  await screen.until('the model in the chat', async () => {
    if (await listed.isVisible()) return true;
    // On a busy machine, the chat can take longer to start than the extension waits.
    if ((await notifications.list()).some(({ text }) => late.test(text))) {
      await notifications.close(late);
      await workbench.runCommand(useInChat);
    }
    // If the chat has started in the meantime, the command doesn't ask again.
    if (await dialogs.state()) await dialogs.click('Use in Chat');
    return undefined;
  });
  if (mode === 'Agent') {
    await workbench.runCommand('Chat: Open Chat (Agent)');
    await input.filter({ hasText: 'Agent' }).waitFor();
  }
  const hasKeyboard = `document.activeElement?.closest('.chat-input-container') !== null`;
  await screen.until('the chat to have the keyboard', async () =>
    (await screen.read<boolean>(hasKeyboard)) ? true : undefined,
  );
}

/** Waits until the chat shows a response that contains these words. */
export async function chatText({ workbench: { page } }: Session, words: string): Promise<void> {
  await page.locator('.interactive-item-container').getByText(words).first().waitFor();
}
