import { resolve } from 'node:path';
import { partPath } from '../built.ts';

/** The shipped code behind the first command. */
export const appPath = (): string => resolve(partPath('src/app.ts'));
