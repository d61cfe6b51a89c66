/**
 * Installs a VS Code server from the npm package code-server. The server is a real VS Code that
 * runs on machines without a display. It is installed in `.vscode-test/`, which Git ignores.
 */
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureChromium } from './chromium.ts';
import { run } from './command.ts';
import { needServer } from './system.ts';

export { ensureChromium };

export const repositoryRoot = join(import.meta.dirname, '..', '..');
/** Folder for installed programs, test builds, and screenshots. */
export const testDirectory = join(repositoryRoot, '.vscode-test');

/** Releases of code-server that the suites run on. They contain VS Code 1.139.1 and 1.133.0. */
export const newestServer = '4.139.1';
export const oldestServer = '4.133.0';

export interface VSCodeServerInstallation {
  /** Script to start with `node`. */
  serverMain: string;
  vscodeVersion: string;
  /** Path to the Node executable that starts the script. */
  node: string;
}

/** The extension hosts of these servers need Node 24, so the servers must be started with it. */
const serverNodeMajor = 24;

/**
 * Installs `code-server@version` if it isn't installed yet, and returns the paths and version of
 * its VS Code server. If this system can't run the server, prints a message and exits.
 *
 * @throws {Error} if a command fails, with the end of its output, or if this process isn't running
 * Node 24
 */
export async function ensureVSCodeServer(version: string): Promise<VSCodeServerInstallation> {
  needServer();
  const node = nodeForServer();
  const directory = directoryOf(version);
  const vscode = vscodeIn(directory);
  const marker = join(directory, 'installed');
  if (!(await exists(marker))) {
    await installServer(version, directory, vscode);
    // The marker is written last so that an interrupted installation starts over.
    await writeFile(marker, `${version}\n`);
  }
  const manifest: unknown = JSON.parse(await readFile(join(vscode, 'package.json'), 'utf8'));
  return {
    serverMain: join(vscode, 'out', 'server-main.js'),
    vscodeVersion: versionOf(manifest),
    node,
  };
}

/**
 * Builds two native modules. One module writes the files behind output channels, and the other ends
 * an extension host whose server died. All other features work without these modules, so a failed
 * build only prints a message. The build takes more CPU time than the rest of the installation.
 */
export async function ensureNativeModules(version: string): Promise<void> {
  await ensureVSCodeServer(version);
  const directory = directoryOf(version);
  const marker = join(directory, 'native');
  if (await exists(marker)) return;
  const headers = await nodeHeaders();
  try {
    await run(
      ['npm', 'rebuild', '@vscode/spdlog', '@vscode/native-watchdog', ...quiet],
      vscodeIn(directory),
      headers === undefined ? {} : { npm_config_nodedir: headers },
    );
    await writeFile(marker, `${version}\n`);
  } catch {
    console.log('Output channels will stay empty: their native module needs a C++ compiler.');
  }
}

const directoryOf = (version: string): string => join(testDirectory, `code-server-${version}`);
const vscodeIn = (directory: string): string =>
  join(directory, 'node_modules', 'code-server', 'lib', 'vscode');

function nodeForServer(): string {
  const major = Number.parseInt(process.versions.node, 10);
  if (major !== serverNodeMajor) {
    throw new Error(
      `The VS Code server needs Node ${serverNodeMajor}, but this is Node ${process.versions.node}. ` +
        'Run the command through an npm script, or with node_modules/.bin/node.',
    );
  }
  return process.execPath;
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

async function installServer(version: string, directory: string, vscode: string): Promise<void> {
  console.log(`Installing code-server ${version} (620 MB, once)…`);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  // A manifest in this folder keeps npm from using the repository's manifest.
  await writeFile(join(directory, 'package.json'), '{ "private": true }\n');
  const install = ['npm', 'install', '--ignore-scripts', ...quiet];
  await run([...install, '--no-save', `code-server@${version}`], directory);
  // These two commands replace the install script, which is skipped because it needs a compiler.
  await run([...install, '--omit=dev'], vscode);
  await run([...install, '--omit=dev'], join(vscode, 'extensions'));
}

/**
 * Returns the folder that contains the C++ headers for this version of Node, or undefined if there
 * is none. The npm package `node` includes the headers.
 */
async function nodeHeaders(): Promise<string | undefined> {
  const installation = join(dirname(process.execPath), '..');
  const platform = `node-${process.platform}-${process.arch}`;
  for (const folder of [installation, join(installation, 'node_modules', platform)]) {
    if (await exists(join(folder, 'include', 'node', 'node.h'))) return folder;
  }
  return undefined;
}

function versionOf(manifest: unknown): string {
  const { version } = Object(manifest) as { version?: unknown };
  if (typeof version !== 'string') throw new Error('The VS Code server has no version.');
  return version;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

// Runs before the suites so that parallel suites don't each install the server.
if (import.meta.main) {
  await ensureVSCodeServer(newestServer);
  if (process.argv.includes('--native')) await ensureNativeModules(newestServer);
  await ensureChromium();
}
