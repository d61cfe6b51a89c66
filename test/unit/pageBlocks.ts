import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readRooms, roomsTable } from '../architecture/rooms.ts';
import { measuredOn, readResults, summary } from '../bench/results.ts';
import { filesIn } from '../filesIn.ts';
import { settingsIn } from '../settingsIn.ts';
import { causesTable } from './causes.ts';
import { hostsTable } from './hostsTable.ts';
import { insertModesList, type Modes } from './insertModesList.ts';
import { type Setting, settingsTable } from './settingsTable.ts';

/** All documentation pages. Any of them can contain generated blocks. */
export const PAGES: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...filesIn('docs/*.md'),
];

type Texts = Readonly<Record<string, string>>;

export function readPages(): Texts {
  return Object.fromEntries(PAGES.map((path) => [path, readFileSync(path, 'utf8')]));
}

/**
 * Returns the text of each block, keyed by the name in its markers. The text is generated from the
 * manifest, code, figures, and benchmark results.
 */
export function readBlocks(): Texts {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const settings = settingsIn<Setting>(manifest);
  const modes = settings['hostedModel.insertMode'] as Setting & Modes;
  const figures = filesIn('test/figures/*.md').map((path) => {
    return [basename(path, '.md'), readFileSync(path, 'utf8').trim()];
  });
  return {
    ...Object.fromEntries(figures),
    settings: settingsTable(settings),
    insertModes: insertModesList(modes),
    causes: causesTable(),
    hosts: hostsTable(),
    rooms: roomsTable(readRooms()),
    bench: benched(),
  };
}

/**
 * Returns the pages, with the text of each block placed between the block's markers.
 * @throws {Error} if a block doesn't have exactly one pair of markers, if a start marker has no end
 * marker, or if markers name an unknown block
 */
export function withBlocks(pages: Texts, blocks: Texts): Texts {
  const placed: string[] = [];
  const written = Object.entries(pages).map(([path, text]) => {
    const now = text.replaceAll(MARKED, (_, name: string, end: string | undefined) => {
      const marker = `<!-- end of ${name} -->`;
      if (end !== marker) throw new Error(`No ${marker} after its beginning in ${path}.`);
      placed.push(name);
      return `<!-- ${name}: npm run pages -->\n${blocks[name]}\n${marker}`;
    });
    return [path, now];
  });
  const names = Object.keys(blocks);
  if (placed.toSorted().join() !== names.toSorted().join()) {
    throw new Error(`The pages have places for ${placed}, and the blocks are ${names}.`);
  }
  return Object.fromEntries(written);
}

/** Matches from the start marker of a block to the next end marker, or to the end of the page. */
const MARKED = /^<!-- (\w+): npm run pages -->$[\s\S]*?(?:^(<!-- end of \w+ -->)$|$(?![\s\S]))/gm;

/** Summarizes the results of the last `npm run bench`. */
function benched(): string {
  const { questions } = readResults();
  return `Measured on ${measuredOn(questions)}.\n\n${summary(questions)}`;
}
