/** Starts and stops a VS Code server on a loopback port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { run } from './command.ts';
import { until } from './deadline.ts';
import { ensureVSCodeServer, newestServer, repositoryRoot } from './install.ts';

export interface ServerOptions {
  /** Release of code-server. The default is `newestServer`. */
  version?: string;
  /** Folder that `url()` opens. */
  folder?: string;
  /** User settings in addition to `quietSettings`. */
  userSettings?: Settings;
  /** By default, a temporary directory, which is deleted when the server stops. */
  extensionsDirectory?: string;
  /** By default, a temporary directory, which is deleted when the server stops. */
  dataDirectory?: string;
  /**
   * Required to load an extension under development, and to run tests in the extension host. VS
   * Code then shows no notification toasts, so this option is off in UI tests, pictures, and demos.
   */
  smokeTestDriver?: boolean;
  /**
   * Names of built-in extensions to load, and paths to other extensions to load as built-in
   * extensions. By default, VS Code loads all built-in extensions, which takes longer.
   */
  builtInExtensions?: readonly string[] | undefined;
  /** Extension package to install. */
  vsix?: string;
  /** Folder of another extension to package and install. */
  otherExtension?: string | undefined;
  /**
   * Environment variables for the server, in addition to those of this process. A variable with the
   * value `undefined` is removed.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /** By default, a free port. */
  port?: number;
}

export interface VSCodeServer {
  port: number;
  vscodeVersion: string;
  /** Directory of the server's user settings, machine settings, state, and logs. */
  dataDirectory: string;
  /**
   * Address of a window that opens this folder or `.code-workspace` file. By default, the window
   * opens the folder that the server was started with. If `null`, it opens without a folder.
   */
  url(folder?: string | null, payload?: readonly (readonly [string, string])[]): string;
  /**
   * Replaces the user settings file. The change doesn't affect open windows, so use
   * `Workbench.applyUserSettings` if a window is open.
   */
  writeUserSettings(settings: Settings): Promise<void>;
  /**
   * Contents of an extension's output channels in all windows, including output from before a
   * server restart. Empty if `ensureNativeModules` hasn't built the native modules.
   */
  outputOf(extension: string): Promise<string>;
  /** Everything that the server has printed. */
  log(): string;
  /** Stops the server and all its processes, and deletes its temporary directories. */
  stop(): Promise<void>;
}

export type Settings = Readonly<Record<string, unknown>>;

/** Settings that turn off everything that tests don't need. */
export const quietSettings: Settings = {
  'extensions.ignoreRecommendations': true,
  // By default, VS Code autosaves in a browser, but not in the desktop app.
  'files.autoSave': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** Settings that VS Code reads from the machine settings, not the user settings. */
const machineSettings: Settings = {
  // Each emulated service uses a port, and VS Code shows a notification if many ports are open.
  'remote.autoForwardPorts': false,
  // In a browser, VS Code has a tunnel provider, so it looks for open ports even if it doesn't
  // forward any. Every window then lists the open files of all processes every two seconds. With
  // this setting, windows look for ports only in terminal output.
  'remote.autoForwardPortsSource': 'output',
};

const startMilliseconds = 120_000;

/**
 * @throws {Error} with the server's output, if the server exits, can't install an extension, or
 * doesn't respond within two minutes
 */
export async function startVSCodeServer(options: ServerOptions = {}): Promise<VSCodeServer> {
  const { serverMain, vscodeVersion, node } = await ensureVSCodeServer(
    options.version ?? newestServer,
  );
  const temporary = await mkdtemp(join(tmpdir(), 'hosted-model-vscode-'));
  const data = options.dataDirectory ?? join(temporary, 'data');
  const extensions = options.extensionsDirectory ?? join(temporary, 'extensions');
  const user = join(data, 'data', 'User');
  const machine = join(data, 'data', 'Machine');
  await mkdir(user, { recursive: true });
  await mkdir(machine, { recursive: true });
  await writeFile(join(machine, 'settings.json'), JSON.stringify(machineSettings));
  await mkdir(extensions, { recursive: true });

  const writeUserSettings = (settings: Settings): Promise<void> =>
    writeFile(
      join(user, 'settings.json'),
      `${JSON.stringify({ ...quietSettings, ...settings }, undefined, 2)}\n`,
    );
  await writeUserSettings(options.userSettings ?? {});

  const command = [node, serverMain, '--accept-server-license-terms', '--server-data-dir', data];
  command.push('--extensions-dir', extensions, '--telemetry-level', 'off');
  if (options.builtInExtensions) {
    const chosen = await linkBuiltIn(options.builtInExtensions, serverMain, temporary);
    command.push('--builtin-extensions-dir', chosen);
  }
  const other = options.otherExtension && (await pack(options.otherExtension, temporary));
  const packages = [options.vsix, other].filter((vsix) => vsix !== undefined);
  for (const vsix of packages) command.push('--install-extension', vsix);
  if (packages.length > 0) command.push('--force', '--start-server');
  command.push('--without-connection-token', '--host', '127.0.0.1');
  command.push('--port', String(options.port ?? 0));
  if (options.smokeTestDriver === true) command.push('--enable-smoke-test-driver');

  const supervisor = spawn(
    node,
    [join(import.meta.dirname, 'supervise.ts'), JSON.stringify([temporary]), ...command],
    // Gives the supervisor its own process group so that Ctrl+C in a terminal doesn't end the
    // supervisor too early.
    { detached: true, env: { ...process.env, ...options.env }, stdio: 'pipe' },
  );
  const ended = once(supervisor, 'close');
  let log = '';
  supervisor.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  supervisor.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));

  const stop = async (): Promise<void> => {
    supervisor.stdin.destroy();
    await ended;
  };
  try {
    const port = await until('the VS Code server to respond', startMilliseconds, async () => {
      if (supervisor.exitCode !== null) throw new Error('The VS Code server ended.');
      const bound = /listening on (\d+)/.exec(log)?.[1];
      if (bound === undefined) return undefined;
      if (/Failed Installing Extensions/.test(log))
        throw new Error('An extension could not be installed.');
      const isInstalled = (vsix: string) => log.includes(`'${basename(vsix)}' was successfully`);
      if (!packages.every(isInstalled)) return undefined;
      const answer = await fetch(`http://127.0.0.1:${bound}/version`).catch(() => undefined);
      return answer?.ok === true ? Number(bound) : undefined;
    });
    return {
      port,
      vscodeVersion,
      dataDirectory: data,
      url: (folder = options.folder, payload) => windowAddress(port, folder, payload),
      writeUserSettings,
      outputOf: (extension) => outputOf(join(data, 'data', 'logs'), extension),
      log: () => log,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`${error instanceof Error ? error.message : error}\n${log}`, { cause: error });
  }
}

function windowAddress(
  port: number,
  folder: string | null | undefined,
  payload: readonly (readonly [string, string])[] | undefined,
): string {
  const address = new URL(`http://127.0.0.1:${port}/`);
  if (folder === undefined || folder === null) address.searchParams.set('ew', 'true');
  else
    address.searchParams.set(folder.endsWith('.code-workspace') ? 'workspace' : 'folder', folder);
  if (payload !== undefined) address.searchParams.set('payload', JSON.stringify(payload));
  return address.href;
}

async function outputOf(logs: string, extension: string): Promise<string> {
  const texts: string[] = [];
  for await (const file of glob(`**/${extension}/*.log`, { cwd: logs })) {
    texts.push(await readFile(join(logs, file), 'utf8'));
  }
  return texts.join('');
}

/**
 * Creates a folder with a link to each extension. `names` contains the names of built-in extensions
 * and the absolute paths to other extensions.
 * @returns the path to the folder
 */
async function linkBuiltIn(
  names: readonly string[],
  serverMain: string,
  temporary: string,
): Promise<string> {
  const all = join(serverMain, '..', '..', 'extensions');
  const chosen = join(temporary, 'built-in');
  await mkdir(chosen);
  for (const name of names) await symlink(resolve(all, name), join(chosen, basename(name)));
  return chosen;
}

/** Packages the extension in the folder `extension`, and returns the path to the package. */
async function pack(extension: string, into: string): Promise<string> {
  const vsix = join(into, 'other.vsix');
  const vsce = join(repositoryRoot, 'node_modules', '.bin', 'vsce');
  const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
  await run([vsce, 'package', ...options, '--out', vsix], extension);
  return vsix;
}
