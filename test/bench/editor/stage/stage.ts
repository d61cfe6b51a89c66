/**
 * A real VS Code with the shipped extension and its peers installed, and an emulated service: what
 * each question about the editor is measured on.
 */

import { type Emulator, startEmulator } from '../../../emulator/emulator.ts';
import { type Browser, startBrowser } from '../../../vscode/browser.ts';
import { startVSCodeServer, type VSCodeServer } from '../../../vscode/server.ts';
import { enterKey } from '../../../vscode/setUpWalk.ts';
import { Workbench } from '../../../vscode/workbench.ts';
import { apiKey, projectId } from '../../callers/caller.ts';
import { Child } from '../../child.ts';
import { type Driver, Drivers } from './driver.ts';
import { installedExtensions } from './install.ts';
import { type Addresses, portVariable } from './protocol.ts';

export interface Stage {
  readonly emulator: Emulator;
  /** `lineProcess.ts`. */
  readonly lines: Child;
  /** Where the product finds both services. */
  readonly addresses: Addresses;
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
}

/** @param isByLine whether the product reaches each service by a line of its own */
export async function onStage<Value>(
  use: (stage: Stage) => Promise<Value>,
  { isByLine = false }: { readonly isByLine?: boolean } = {},
): Promise<Value> {
  const emulator = await startEmulator({ apiKeys: [apiKey] });
  const drivers = await Drivers.listen();
  const lines = new Child('test/bench/lineProcess.ts');
  let server: VSCodeServer | undefined;
  let browser: Browser | undefined;
  try {
    const { url } = emulator;
    const addresses = isByLine ? await addressesByLine(lines, url) : { authUrl: url, url };
    server = await startServer(addresses, drivers.port);
    browser = await startBrowser();
    const workbench = new Workbench(await browser.newPage(), server);
    const address = new URL(server.url(null));
    return await use({
      emulator,
      lines,
      addresses,
      server,
      workbench,
      start: async (port) => {
        address.port = String(port ?? server?.port);
        const [driver] = await Promise.all([drivers.next(), workbench.open(address.href)]);
        return driver;
      },
      storeKey: () => storeKey(workbench),
    });
  } finally {
    await browser?.close();
    await server?.stop();
    drivers.close();
    lines.end();
    await emulator.close();
  }
}

/** Lines to both services that nobody else has, and so connections and a count of their own. */
export async function addressesByLine(lines: Child, emulatorUrl: string): Promise<Addresses> {
  const { port } = new URL(emulatorUrl);
  const open = async () => `http://127.0.0.1:${await lines.ask('open', Number(port))}`;
  return { authUrl: await open(), url: await open() };
}

async function startServer({ authUrl, url }: Addresses, port: number): Promise<VSCodeServer> {
  return startVSCodeServer({
    extensionsDirectory: await installedExtensions(),
    env: { [portVariable]: String(port) },
    userSettings: {
      'hostedModel.authUrl': authUrl,
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
  await workbench.runCommand('Hosted Model: Set Up...');
  await enterKey(workbench, apiKey);
  await quickInput.pick('$(save) Save Without Testing');
  await notifications.close(/is set up/);
}
