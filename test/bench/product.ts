import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Session } from '../../src/service/session.ts';

/** The shipped files, as `npm run package` has made them. */

interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

interface Metafile {
  readonly outputs: Readonly<Record<string, Output>>;
}

export function metafile(): Metafile {
  return JSON.parse(readFileSync('dist/meta.json', 'utf8'));
}

export const extensionPath = resolve('dist/extension.js');

/** The file that a part of the product is loaded from when it is first used. */
export function partPath(source: string): string {
  const outputs = Object.entries(metafile().outputs);
  const found = outputs.find(([, { entryPoint }]) => entryPoint === source);
  if (!found) throw new Error(`${source} is no part of its own`);
  return resolve(found[0]);
}

export const sessionPath = (): string => partPath('src/service/session.ts');

export async function loadSession(): Promise<typeof Session> {
  return (await import(pathToFileURL(sessionPath()).href)).Session;
}
