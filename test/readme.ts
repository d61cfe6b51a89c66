/** `npm run readme`: writes the tables of the README, from the manifest and from the code. */
import { readFile, writeFile } from 'node:fs/promises';
import { causesTable } from './unit/causes.ts';
import { insertModesTable } from './unit/insertModesTable.ts';
import { settingsTable } from './unit/settingsTable.ts';

const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const settings = manifest.contributes.configuration.properties;
const tables = {
  settings: settingsTable(settings),
  insertModes: insertModesTable(settings['hostedModel.insertMode']),
  causes: causesTable(),
};
let readme = await readFile('README.md', 'utf8');
for (const [name, table] of Object.entries(tables)) {
  const [start, end] = [`<!-- ${name}: npm run readme -->`, `<!-- end of ${name} -->`];
  if (!readme.includes(start) || !readme.includes(end)) throw new Error(`No ${start}`);
  const before = readme.slice(0, readme.indexOf(start) + start.length);
  const after = readme.slice(readme.indexOf(end));
  readme = `${before}\n${table}\n${after}`;
}
await writeFile('README.md', readme);
