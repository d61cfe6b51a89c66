import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Session } from '../../src/service/session.ts';
import { partPath } from '../built.ts';

/** The shipped service part. */

export const sessionPath = (): string => resolve(partPath('src/service/session.ts'));

export async function loadSession(): Promise<typeof Session> {
  return (await import(pathToFileURL(sessionPath()).href)).Session;
}
