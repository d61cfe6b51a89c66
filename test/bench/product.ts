import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceRuntime } from '../../src/service/serviceRuntime.ts';
import { partPath } from '../built.ts';
import { provideEditor } from '../builtEditor.ts';

/** The shipped service client. */

export const runtimePath = (): string => resolve(partPath('src/service/serviceRuntime.ts'));

export async function loadRuntime(): Promise<typeof ServiceRuntime> {
  provideEditor();
  return (await import(pathToFileURL(runtimePath()).href)).ServiceRuntime;
}
