/**
 * A real VS Code with the shipped extension and its peers installed, and an emulated service: what
 * each question about the editor is measured on.
 */

import { type Emulator, startEmulator } from '../../../emulator/emulator.ts';
import { type Browser, startBrowser } from '../../../vscode/browser.ts';
import { startVSCodeServer, type VSCodeServer } from '../../../vscode/server.ts';
import { Workbench } from '../../../vscode/workbench.ts';
import { type Driver, Drivers } from './driver.ts';
import { installedExtensions } from './install.ts';
import { portVariable } from './protocol.ts';

const apiKey = 'bench-key-0123456789';
const projectId = 'bench-project';

export interface Stage {
  readonly emulator: Emulator;
  readonly server: VSCodeServer;
  /** The only window, without a folder. */
  readonly workbench: Workbench;
  /**
   * Opens the window, or loads it anew, which starts another extension host. Nothing in it that
   * waits for the end of the start is activated before the driver has had its first order.
   * @param port by which the window reaches its server; the server's own without it
   */
  start(port?: number): Promise<Driver>;
  /** Has the product keep the key that the service knows, as a user does. */
  storeKey(): Promise<void>;
  /** What a peer needs to ask the service: address, headers with a token, and the body. */
  peerRequest(operation: 'chat' | 'chat_stream'): Promise<unknown>;
}

export async function onStage<Value>(use: (stage: Stage) => Promise<Value>): Promise<Value> {
  const emulator = await startEmulator({ apiKeys: [apiKey], projectIds: [projectId] });
  const drivers = await Drivers.listen();
  let server: VSCodeServer | undefined;
  let browser: Browser | undefined;
  try {
    server = await startServer(emulator, drivers.port);
    browser = await startBrowser();
    const workbench = new Workbench(await browser.newPage(), server);
    const address = new URL(server.url(null));
    return await use({
      emulator,
      server,
      workbench,
      start: async (port) => {
        address.port = String(port ?? server?.port);
        const [driver] = await Promise.all([drivers.next(), workbench.open(address.href)]);
        return driver;
      },
      storeKey: () => storeKey(workbench),
      peerRequest: (operation) => peerRequest(emulator, operation),
    });
  } finally {
    await browser?.close();
    await server?.stop();
    drivers.close();
    await emulator.close();
  }
}

async function startServer({ url }: Emulator, port: number): Promise<VSCodeServer> {
  return startVSCodeServer({
    extensionsDirectory: await installedExtensions(),
    env: { [portVariable]: String(port) },
    userSettings: {
      'hostedModel.authUrl': url,
      'hostedModel.url': url,
      'hostedModel.projectId': projectId,
      // What VS Code itself does at every change is none of the question.
      'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
      'git.enabled': false,
    },
  });
}

async function storeKey(workbench: Workbench): Promise<void> {
  const { quickInput, notifications } = workbench;
  await workbench.runCommand('Hosted Model: Set API Key');
  await quickInput.waitFor({ step: '1/2', password: true });
  await quickInput.type(apiKey);
  await quickInput.accept();
  await quickInput.pick('$(save) Save Without Testing');
  await notifications.close(/is set up/);
}

async function peerRequest({ url }: Emulator, operation: string): Promise<unknown> {
  const body = { grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey: apiKey };
  const answer = await fetch(`${url}/identity/token`, {
    method: 'POST',
    body: new URLSearchParams(body),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return {
    url: `${url}/ml/v1/text/${operation}?version=2025-02-11`,
    headers: { authorization: `Bearer ${token}` },
    body: { model_id: 'ibm/granite-4-h-small', project_id: projectId },
  };
}
