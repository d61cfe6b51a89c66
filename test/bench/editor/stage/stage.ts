/**
 * A real VS Code with the shipped extension and its peers, and an emulated service. All questions
 * about the editor use this setup.
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
  /** The child process that runs `lineProcess.ts`. */
  readonly lines: Child;
  /** The addresses that the product uses. */
  readonly addresses: Addresses;
  readonly server: VSCodeServer;
  /** The only window. It has no open folder. */
  readonly workbench: Workbench;
  /**
   * Opens or reloads the window, which starts a new extension host. Extensions that wait for
   * startup to finish aren't activated until the driver has carried out its first command.
   * @param port the port that the window uses to reach its server, by default the server's own port
   */
  start(port?: number): Promise<Driver>;
  /** Enters the emulated service's key in the product's setup, as a user would. */
  storeKey(): Promise<void>;
  /** Deletes the key by signing out. */
  signOut(): Promise<void>;
}

/** @param isByLine true to open a separate simulated link to each service; see `lineProcess.ts` */
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
      signOut: async () => {
        await workbench.runCommand('Hosted Model: Sign Out');
        await workbench.dialogs.click('Sign Out');
        await workbench.statusItem('hostedModel.token').waitFor({ text: /Set Up/ });
      },
    });
  } finally {
    await browser?.close();
    await server?.stop();
    drivers.close();
    lines.end();
    await emulator.close();
  }
}

/**
 * Opens a separate link to each service so that the port in a `LineEvent` identifies the service.
 */
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
      // Turns off VS Code features that would distort the measurements.
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
