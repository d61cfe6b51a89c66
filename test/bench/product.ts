import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceRuntime } from '../../src/service/serviceRuntime.ts';
import { partPath } from '../built.ts';

/** The shipped service part. */

export const sessionPath = (): string => resolve(partPath('src/service/serviceRuntime.ts'));

export async function loadSession(): Promise<typeof ServiceRuntime> {
  return (await import(pathToFileURL(sessionPath()).href)).Session;
}
