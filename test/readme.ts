/** `npm run readme`: writes the settings table of the README from the manifest. */
import { readFile, writeFile } from 'node:fs/promises';
import { settingsTable } from './unit/settingsTable.ts';

const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const table = settingsTable(manifest.contributes.configuration.properties);
const readme = await readFile('README.md', 'utf8');
const [start, end] = ['<!-- settings: npm run readme -->', '<!-- end of settings -->'];
const before = readme.slice(0, readme.indexOf(start) + start.length);
const after = readme.slice(readme.indexOf(end));
await writeFile('README.md', `${before}\n${table}\n${after}`);
