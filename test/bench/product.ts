import { resolve } from 'node:path';
import { partPath } from '../built.ts';

/** Returns the path of the shipped code that the first command loads. */
export const appPath = (): string => resolve(partPath('src/app.ts'));
