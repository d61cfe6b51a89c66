/** `npm run readme`: writes the tables of the README, from manifest, code and figures. */
import { readFile, writeFile } from 'node:fs/promises';
import { withTables } from './unit/readmeTables.ts';

await writeFile('README.md', withTables(await readFile('README.md', 'utf8')));
