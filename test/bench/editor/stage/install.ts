/** Packs and installs what is measured: the shipped extension, its peers and the driver. */
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { run } from '../../../vscode/command.ts';
import {
  ensureVSCodeServer,
  newestServer,
  repositoryRoot,
  testDirectory,
} from '../../../vscode/install.ts';

const directory = join(testDirectory, 'bench');
const peers = join(import.meta.dirname, '..', 'peers');

export const productId = 'hosted-model.hosted-model';
export const emptyId = 'bench.empty';

let installed: Promise<string> | undefined;

/** The folder that holds all of them, installed as a user installs them; made once in a process. */
export function installedExtensions(): Promise<string> {
  installed ??= install();
  return installed;
}

async function install(): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const packages = [join(repositoryRoot, 'hosted-model.vsix'), await pack(await buildDriver())];
  for (const name of await readdir(peers)) packages.push(await pack(join(peers, name)));
  const { node, serverMain } = await ensureVSCodeServer(newestServer);
  const extensions = join(directory, 'extensions');
  const command = [node, serverMain, '--accept-server-license-terms'];
  command.push('--server-data-dir', join(directory, 'data'), '--extensions-dir', extensions);
  for (const path of packages) command.push('--install-extension', path);
  await run(command, directory);
  return extensions;
}

async function buildDriver(): Promise<string> {
  const source = join(import.meta.dirname, 'driver');
  const target = join(directory, 'driver');
  await build({
    entryPoints: [join(source, 'extension.ts')],
    outfile: join(target, 'extension.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['vscode'],
    logLevel: 'warning',
  });
  await cp(join(source, 'package.json'), join(target, 'package.json'));
  return target;
}

async function pack(folder: string): Promise<string> {
  const path = join(directory, `${basename(folder)}.vsix`);
  const command = [join(repositoryRoot, 'node_modules', '.bin', 'vsce'), 'package'];
  command.push('--no-dependencies', '--allow-missing-repository', '--skip-license');
  command.push('--allow-star-activation', '--out', path);
  await run(command, folder);
  return path;
}
