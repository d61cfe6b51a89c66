/**
 * A VS Code server for the UI tests, with the packaged extension installed. Each session opens a
 * window. Load this module with `mocha --require test/ui/session.ts`.
 *
 * Environment: HOSTED_MODEL_VSIX is the path to the package. The default is the package that `npm
 * run package` builds. HOSTED_MODEL_SERVER_VERSION selects the release of code-server.
 * HOSTED_MODEL_HEADED=1 shows the browser.
 */
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Browser, type PageOptions, startBrowser } from '../vscode/browser.ts';
import { newestServer, repositoryRoot } from '../vscode/install.ts';
import { writeKeybindings } from '../vscode/keybindings.ts';
import { type Settings, startVSCodeServer, type VSCodeServer } from '../vscode/server.ts';
import { needServer } from '../vscode/system.ts';
import { type Theme, themes, Workbench } from '../vscode/workbench.ts';
import { takesPictures } from './pictures.ts';

export interface SessionOptions {
  /**
   * Contents of the files in the opened folder, keyed by relative path. If `null`, no folder is
   * opened.
   */
  folderFiles?: Readonly<Record<string, string>> | null;
  userSettings?: Settings;
  theme?: Theme;
  viewport?: NonNullable<PageOptions['viewport']>;
  zoom?: number;
  /**
   * `off`: Workspace Trust is disabled (the default). `restricted`: the folder opens in Restricted
   * Mode, without a prompt. `ask`: VS Code asks in a dialog whether to trust the folder.
   */
  trust?: 'off' | 'restricted' | 'ask';
  /**
   * Environment variables of the extension host. A new server starts if the previous session had
   * different ones.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /**
   * Names of the built-in extensions to load. By default, all of them are loaded. A new server
   * starts if the previous session loaded different extensions.
   */
  builtInExtensions?: readonly string[];
  /**
   * Folder of another extension to install. A new server starts if the previous session used a
   * different extension folder.
   */
  otherExtension?: string;
}

export interface Session {
  workbench: Workbench;
  /** Absolute path to the opened folder, or an empty string if no folder is open. */
  folder: string;
  server: VSCodeServer;
  /** Returns the absolute path to a file in the opened folder. */
  path(name: string): string;
  /** Opens another window with the same secrets. By default, it opens the same folder. */
  anotherWindow(folder?: string): Promise<Workbench>;
  /**
   * Closes all windows of this session. Without this call, they stay open until the next
   * `openWorkbench` or the end of the run.
   */
  close(): Promise<void>;
}

/** Journeys and groups whose titles end with this tag run only in `npm run ui:nightly`. */
export const nightly = '@nightly';

// Checks the system before the first test so that an unsupported system is reported only once.
needServer();

let server: { value: VSCodeServer; key: string } | undefined;
let browser: Browser | undefined;
let session: Session | undefined;
const windows = new Set<Workbench>();

/**
 * Replaces the user settings, and opens a window with an empty keyring. Closes the previous session
 * first, because its windows would use the new user settings, too. VS Code keeps its own state
 * (recent folders, global state of extensions) until another server starts.
 */
export async function openWorkbench(options: SessionOptions = {}): Promise<Session> {
  await session?.close();
  const running = await serverFor(options);
  await running.writeUserSettings(settingsFor(options));
  const temporary = await mkdtemp(join(tmpdir(), 'hosted-model-ui-'));
  const folder = options.folderFiles === null ? '' : join(temporary, 'project');
  if (folder !== '') await writeFiles(folder, options.folderFiles ?? {});

  browser ??= await startBrowser({ headless: process.env['HOSTED_MODEL_HEADED'] !== '1' });
  const page = await browser.newPage({
    colorScheme: options.theme?.endsWith('light') ? 'light' : 'dark',
    ...(options.viewport === undefined ? {} : { viewport: options.viewport }),
    ...(options.zoom === undefined ? {} : { zoom: options.zoom }),
    pixelRatio: takesPictures ? 2 : 1,
  });
  const openWindow = async (target: string, into = page): Promise<Workbench> => {
    const workbench = new Workbench(into, running);
    windows.add(workbench);
    await workbench.open(running.url(target === '' ? null : target));
    return workbench;
  };
  const opened: Session = {
    workbench: await openWindow(folder),
    folder,
    server: running,
    path: (name) => join(folder, name),
    anotherWindow: async (target = folder) => openWindow(target, await page.context().newPage()),
    async close() {
      windows.clear();
      if (session === opened) session = undefined;
      await page.context().close();
      await rm(temporary, { recursive: true, force: true });
    },
  };
  session = opened;
  return opened;
}

/**
 * For mocha: saves a screenshot of every window if a test fails, and closes all windows at the end.
 * In a parallel run, closes them at the end of each file.
 */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state !== 'failed') return;
    for (const { screen } of windows) {
      console.log(`Screenshot: ${await screen.saveFailure(this.currentTest.fullTitle())}`);
    }
  },
  async afterAll(): Promise<void> {
    await session?.close();
  },
};

/**
 * Runs only in the main process. In a parallel run, the browser and the server belong to a worker,
 * and stop when that worker exits.
 */
export async function mochaGlobalTeardown(): Promise<void> {
  await browser?.close();
  await server?.value.stop();
}

async function serverFor({
  env = {},
  builtInExtensions,
  otherExtension,
}: SessionOptions): Promise<VSCodeServer> {
  const key = JSON.stringify([env, builtInExtensions, otherExtension]);
  if (server?.key === key) return server.value;
  await server?.value.stop();
  server = undefined;
  const value = await startVSCodeServer({
    version: process.env['HOSTED_MODEL_SERVER_VERSION'] ?? newestServer,
    vsix: await findPackage(),
    builtInExtensions,
    otherExtension,
    env,
  });
  await writeKeybindings(value.dataDirectory);
  server = { value, key };
  return value;
}

function settingsFor(options: SessionOptions): Settings {
  const trust = options.trust ?? 'off';
  return {
    'security.workspace.trust.enabled': trust !== 'off',
    'security.workspace.trust.startupPrompt': trust === 'ask' ? 'always' : 'never',
    'workbench.colorTheme': themes[options.theme ?? 'dark'],
    // Otherwise, a test that saves a settings file would start a language server.
    'files.associations': { 'settings.json': 'plaintext' },
    ...options.userSettings,
  };
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** @throws {Error} if there is no package, with a message that explains how to build it */
async function findPackage(): Promise<string> {
  const path = process.env['HOSTED_MODEL_VSIX'] ?? join(repositoryRoot, 'hosted-model.vsix');
  await access(path).catch(() => {
    throw new Error(`There is no ${path}. Package the extension first: npm run package`);
  });
  return path;
}
