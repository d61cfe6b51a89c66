import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import type { ReceivedRequest } from '../emulator/requests.ts';
import { enterKey } from '../vscode/setUpWalk.ts';
import { openWorkbench, type Session, type SessionOptions } from './session.ts';

/** An emulated service for the UI tests, and windows that know its address. */

export const apiKey = 'ui-test-key-0123456789';
export const projectId = 'ui-test-project';

export function startService(): Promise<Emulator> {
  return startEmulator({ apiKeys: [apiKey], projectIds: [projectId] });
}

/** A window whose settings name the service; the key is not stored yet. */
export function openWindow(emulator: Emulator, options: SessionOptions = {}): Promise<Session> {
  return openWorkbench({
    ...options,
    userSettings: { ...settingsOf(emulator), ...options.userSettings },
  });
}

/** The settings of somebody who has set up everything but the key. */
export function settingsOf(emulator: Emulator): Record<string, unknown> {
  return {
    'hostedModel.authUrl': emulator.url,
    'hostedModel.url': emulator.url,
    'hostedModel.projectId': projectId,
  };
}

/** Stores a key by typing it, without a test against the service. */
export async function storeKey({ workbench }: Session, key = apiKey): Promise<void> {
  const { quickInput, notifications } = workbench;
  await workbench.runCommand('Hosted Model: Set Up...');
  await enterKey(workbench, key);
  await quickInput.pick('$(save) Save Without Testing');
  await notifications.close(/is set up/);
}

/**
 * A service that has been asked nothing yet but for the token in use, and a window that shows no
 * message and has its editors in one group: for each test of several in one window.
 */
export async function startAfresh(emulator: Emulator, { workbench }: Session): Promise<void> {
  emulator.reset();
  await workbench.runCommand('Hosted Model: Refresh Token');
  // After the messages of the test before, this one can be the fourth in 800 ms: VS Code shows no toast.
  await workbench.showNotifications();
  await workbench.notifications.waitFor(/new token is in use/);
  await workbench.clearNotifications();
  await workbench.runCommand('View: Join All Editor Groups');
}

/** Generates by the keys that a user presses in the editor. */
export async function generateByKeys({ workbench: { page } }: Session): Promise<void> {
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+G');
}

/** Matches a request for text whose body holds this. */
export function asking(text: string): (request: ReceivedRequest) => boolean {
  return (request) => request.path === chatPath && request.text.includes(text);
}

/** Text of a `.env` file, or variables of an environment, that name another service. */
export function outside(values: { key?: string; project?: string; url?: string }) {
  const { key, project, url } = values;
  const variables: Record<string, string> = {
    ...(key !== undefined && { VENDOR_API_KEY: key }),
    ...(project !== undefined && { VENDOR_PROJECT_ID: project }),
    ...(url !== undefined && { VENDOR_URL: url }),
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  return { variables, text: lines.join('') };
}

/** Selects the first line of a file and generates from it, as far as that comes. */
export async function generateFrom({ workbench, path }: Session, name = 'a.txt', into = workbench) {
  await into.openFile(path(name));
  await into.editor.selectLines(1);
  await into.runCommand(generate);
}

/** Closes a set-up that opened since something is missing, and the message that named it. */
export async function giveUpSetUp(
  { quickInput, notifications }: Session['workbench'],
  missing = /needs an API key/,
) {
  await notifications.waitFor(missing);
  await quickInput.waitFor({ step: /^1\// });
  await quickInput.dismiss();
  await quickInput.waitUntilClosed();
  await notifications.close(missing);
}

/**
 * Generates from the selection an answer that stays as it is after its first words, until it is
 * opened again.
 * @param words that the document shows by then
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
/** Counts tokens. The set-up tests credentials with it, since it generates nothing. */
export const accessPath = '/ml/v1/text/tokenization';
export const tokenPath = '/identity/token';
