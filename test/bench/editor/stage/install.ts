/** Packages and installs the benchmark's extensions: product, peers, and driver. */
import { globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { build } from 'esbuild';
import { run } from '../../../vscode/command.ts';
import {
  ensureVSCodeServer,
  newestServer,
  repositoryRoot,
  testDirectory,
} from '../../../vscode/install.ts';

const directory = join(testDirectory, 'bench');
const peers = globSync(join(import.meta.dirname, '..', 'peers', '*.{ts,mts}'));
const driver = join(import.meta.dirname, 'driverExtension.ts');

export const peerIds = peers.map(idOf);
export const emptyId = 'bench.empty';
export const sameRegistrationsId = 'bench.sameRegistrations';
export const sameRegistrationsCommonJsId = 'bench.sameRegistrationsCommonJs';

let installed: Promise<string> | undefined;

/** Installs all extensions as a user would, once per process, and returns the folder they're in. */
export function installedExtensions(): Promise<string> {
  installed ??= install();
  return installed;
}

async function install(): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const packages = [join(repositoryRoot, 'hosted-model.vsix'), await pack(driver, '*')];
  for (const source of peers) packages.push(await pack(source, 'onStartupFinished'));
  const { node, serverMain } = await ensureVSCodeServer(newestServer);
  const extensions = join(directory, 'extensions');
  const command = [node, serverMain, '--accept-server-license-terms'];
  command.push('--server-data-dir', join(directory, 'data'), '--extensions-dir', extensions);
  for (const path of packages) command.push('--install-extension', path);
  await run(command, directory);
  return extensions;
}

/**
 * Packages an extension from one source file. An `.mts` file becomes an ES module.
 * @param start the activation event
 */
async function pack(source: string, start: string): Promise<string> {
  const [publisher, name = ''] = idOf(source).split('.');
  const folder = join(directory, name);
  const isModule = extname(source) === '.mts';
  await build({
    entryPoints: [source],
    outfile: join(folder, 'extension.js'),
    bundle: true,
    platform: 'node',
    format: isModule ? 'esm' : 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  const engines = { vscode: '^1.125.0' };
  const type = isModule ? 'module' : 'commonjs';
  const manifest = { publisher, name, version: '1.0.0', engines, type, main: './extension.js' };
  const text = JSON.stringify({ ...manifest, activationEvents: [start] });
  await writeFile(join(folder, 'package.json'), text);
  const path = join(directory, `${name}.vsix`);
  const command = [join(repositoryRoot, 'node_modules', '.bin', 'vsce'), 'package'];
  command.push('--no-dependencies', '--allow-missing-repository', '--skip-license');
  command.push('--allow-star-activation', '--out', path);
  await run(command, folder);
  return path;
}

function idOf(source: string): string {
  return `bench.${basename(source, extname(source))}`;
}
