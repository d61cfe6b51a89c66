import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Results, summary } from '../bench/results.ts';
import { causesTable } from './causes.ts';
import { insertModesTable } from './insertModesTable.ts';
import { settingsTable } from './settingsTable.ts';

/**
 * The README with its tables as manifest, code and figures have them, each between its markers.
 * @throws if a table has no place, or a place no table
 */
export function withTables(readme: string): string {
  const tables = { ...described(), ...measured(), bench: benched() };
  const places = [...readme.matchAll(/^<!-- (\w+): npm run readme -->$/gm)].map(([, name]) => name);
  const names = Object.keys(tables);
  if (places.toSorted().join() !== names.toSorted().join()) {
    throw new Error(`The README has places for ${places}, and there are ${names}.`);
  }
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [start, end] = [`<!-- ${name}: npm run readme -->`, `<!-- end of ${name} -->`];
    const [before, after] = [text.indexOf(start) + start.length, text.indexOf(end)];
    if (after < before) throw new Error(`No ${end} after ${start}`);
    return `${text.slice(0, before)}\n${table}\n${text.slice(after)}`;
  }, readme);
}

/** Tables made from the manifest and from the code. */
function described(): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const settings = manifest.contributes.configuration.properties;
  return {
    settings: settingsTable(settings),
    insertModes: insertModesTable(settings['hostedModel.insertMode']),
    causes: causesTable(),
  };
}

/** Tables of the last `npm run figures`. All but the list of its commands open on a click. */
function measured(): Readonly<Record<string, string>> {
  const figures = globSync('test/figures/*.md').map((path) => {
    const [name, text] = [basename(path, '.md'), readFileSync(path, 'utf8').trim()];
    const [title, ...rest] = text.split('\n');
    const folded = ['<details>', `<summary>${title}</summary>`, ...rest, '', '</details>'].join(
      '\n',
    );
    return [name, name === 'measured' ? text : folded];
  });
  return Object.fromEntries(figures);
}

/** The last `npm run bench`. */
function benched(): string {
  const results: Results = JSON.parse(readFileSync('test/bench/results.json', 'utf8'));
  const { date, machine, questions } = results;
  return `Measured on ${date} on ${machine}.\n\n${summary(questions)}`;
}
