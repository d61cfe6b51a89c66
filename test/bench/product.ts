import { resolve } from 'node:path';
import { partPath } from '../built.ts';

/** Returns the path to the file built from `src/app.ts`, which the first command loads. */
export const appPath = (): string => resolve(partPath('src/app.ts'));
