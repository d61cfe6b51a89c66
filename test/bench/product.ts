import { resolve } from 'node:path';
import { partPath } from '../built.ts';

/** Returns the path of the built `src/app.ts`, which the first command loads. */
export const appPath = (): string => resolve(partPath('src/app.ts'));
