import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';

/** Installs and bundles the packages that the product is compared with. */

const folder = resolve('test/bench/peers');
const built = resolve(folder, 'built');

/** The source code of each bundle's entry point. */
const bundles = {
  axios:
    "export { default as axios } from 'axios'; export { default as axiosRetry } from 'axios-retry';",
  openai: "export { OpenAI } from 'openai';",
  officialSdk:
    "export { WatsonXAI } from '@ibm-cloud/watsonx-ai'; export { IamAuthenticator } from 'ibm-cloud-sdk-core';",
  extensionWithSdk: `
    import { WatsonXAI } from '@ibm-cloud/watsonx-ai';
    import { IamAuthenticator } from 'ibm-cloud-sdk-core';
    export function activate() {
      return WatsonXAI.newInstance({
        version: '2025-02-11',
        serviceUrl: 'https://us-south.ml.cloud.ibm.com',
        authenticator: new IamAuthenticator({ apikey: 'none' }),
      });
    }`,
} as const;

export type Bundle = keyof typeof bundles | keyof typeof emptyExtensions;

/** The smallest extension in each module format. The product is an ES module. */
const emptyExtensions = {
  emptyExtension: { path: 'empty.mjs', text: 'export function activate() {}\n' },
  emptyCommonJsExtension: { path: 'empty.cjs', text: 'exports.activate = () => {};\n' },
} as const;

/** Installs the peers if they're missing or older than the lock file, and bundles them. */
export async function installPeers(): Promise<void> {
  if (installedAt() < statSync(resolve(folder, 'package-lock.json')).mtimeMs) {
    console.log('Installing the packages to compare with…');
    const command = 'npm ci --ignore-scripts --no-audit --no-fund';
    const { status } = spawnSync(command, { cwd: folder, shell: true, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${command} failed in ${folder}`);
  }
  await rm(built, { recursive: true, force: true });
  for (const [name, contents] of Object.entries(bundles)) {
    await build({
      stdin: { contents, resolveDir: folder },
      outfile: bundlePath(name as Bundle),
      bundle: true,
      minify: true,
      platform: 'node',
      target: 'node24',
      format: 'cjs',
      legalComments: 'none',
      logLevel: 'error',
    });
  }
  for (const { path, text } of Object.values(emptyExtensions)) {
    await writeFile(resolve(built, path), text);
  }
}

export function bundlePath(name: Bundle): string {
  const path =
    name in emptyExtensions
      ? emptyExtensions[name as keyof typeof emptyExtensions].path
      : `${name}.cjs`;
  return resolve(built, path);
}

/** Returns the versions of the peers, by package name. */
export function peerVersions(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
  return manifest.dependencies;
}

function installedAt(): number {
  const record = resolve(folder, 'node_modules/.package-lock.json');
  return existsSync(record) ? statSync(record).mtimeMs : 0;
}
