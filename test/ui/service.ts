import assert from 'node:assert/strict';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import type { ReceivedRequest } from '../emulator/requests.ts';
import { demoProject } from '../vscode/sample.ts';
import { enterKey } from '../vscode/setUpWalk.ts';
import { openWorkbench, type Session, type SessionOptions } from './session.ts';

/** An emulated service for the UI tests, and windows that use it. */

export const apiKey = 'ui-test-key-0123456789';
/** All pictures show the same project. */
export const projectId = demoProject;

export function startService(): Promise<Emulator> {
  return startEmulator({ apiKeys: [apiKey], projectIds: [projectId] });
}

/**
 * Opens a window whose settings contain the service's addresses and the project. The key isn't
 * stored yet.
 */
export function openWindow(emulator: Emulator, options: SessionOptions = {}): Promise<Session> {
  return openWorkbench({
    ...options,
    userSettings: { ...settingsOf(emulator), ...options.userSettings },
  });
}

/** Returns the settings that a connection needs in addition to the key. */
export function settingsOf(emulator: Emulator): Record<string, unknown> {
  return {
    'hostedModel.authUrl': emulator.url,
    'hostedModel.url': emulator.url,
    'hostedModel.projectId': projectId,
  };
}

/** Stores a key through setup, without testing it against the service. */
export async function storeKey({ workbench }: Session, key = apiKey): Promise<void> {
  const { quickInput, notifications } = workbench;
  await workbench.runCommand('Hosted Model: Set Up...');
  await enterKey(workbench, key);
  await quickInput.pick('$(save) Save Without Testing');
  await notifications.close(/is set up/);
}

/**
 * Resets the service and the window between tests that share them. Afterward, the service has
 * received one token request and nothing else, no message is shown, and all editors are in one
 * group.
 */
export async function startAfresh(emulator: Emulator, { workbench }: Session): Promise<void> {
  emulator.reset();
  await workbench.runCommand('Hosted Model: Refresh Token');
  // VS Code shows at most three toasts within 800 ms, and this message can be the fourth.
  await workbench.showNotifications();
  await workbench.notifications.waitFor(/token was refreshed/);
  await workbench.clearNotifications();
  await workbench.runCommand('View: Join All Editor Groups');
}

export async function generateByKeys({ workbench: { page } }: Session): Promise<void> {
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+G');
}

/** Returns a function that matches generation requests whose body contains this text. */
export function asking(text: string): (request: ReceivedRequest) => boolean {
  return (request) => request.path === chatPath && request.text.includes(text);
}

/** Returns these values as the text of a `.env` file and as environment variables. */
export function externalCredentials(values: { key?: string; project?: string; url?: string }) {
  const { key, project, url } = values;
  const variables: Record<string, string> = {
    ...(key !== undefined && { VENDOR_API_KEY: key }),
    ...(project !== undefined && { VENDOR_PROJECT_ID: project }),
    ...(url !== undefined && { VENDOR_URL: url }),
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  return { variables, text: lines.join('') };
}

/** Selects the first line of a file, and runs the command to generate from it. */
export async function generateFrom({ workbench, path }: Session, name = 'a.txt', into = workbench) {
  await into.openFile(path(name));
  await into.editor.selectLines(1);
  await into.runCommand(generate);
}

/**
 * Closes the prompt about missing settings, and then the message that appears. Both name the
 * missing settings, but only the message lists the checked sources.
 * @returns the text of the message
 */
export async function giveUpSetUp(
  { quickInput, notifications }: Session['workbench'],
  missing = /needs an API key/,
): Promise<string> {
  const { prompt } = await quickInput.waitFor({ step: /^1\//, prompt: missing });
  // In setup's prompt, the names of declined sources can follow this text.
  const [needed] = /^.*? Nothing was sent\./.exec(prompt) ?? assert.fail(prompt);
  const shown = (await notifications.list()).map(({ text }) => text);
  assert.ok(!shown.some((text) => missing.test(text)), 'no message while the setup is open');
  await quickInput.dismiss();
  await quickInput.waitUntilClosed();
  const { text } = await notifications.waitFor(missing);
  assert.ok(text.startsWith(`${needed} Sources checked: `), text);
  await notifications.close(missing);
  return text;
}

/**
 * Generates a response from the selection. The response stalls after its first words until the
 * returned `open` is called.
 * @param words the words that the document shows when the response stalls
 */
export async function stallAfter(words: RegExp, emulator: Emulator, session: Session) {
  const stalled = gate();
  emulator.faults.next(chatPath, {
    beforePart: (index) => (index < 4 ? undefined : stalled.opened),
  });
  const arrived = emulator.nextRequest(chatPath);
  await generateByKeys(session);
  await session.workbench.editor.waitForText(words);
  return { request: await arrived, open: stalled.open };
}

export const generate = 'Hosted Model: Generate from selection';
export const statusId = 'hostedModel.token';
export const chatPath = '/ml/v1/text/chat_stream';
/**
 * The path for requests that count tokens. Setup sends such a request to test credentials, because
 * counting tokens doesn't generate any.
 */
export const accessPath = '/ml/v1/text/tokenization';
export const tokenPath = '/identity/token';
