/**
 * `npm run pages`: updates the generated blocks in the documentation, and draws the architecture
 * diagram and the benchmark chart. Tests check that all of these are up to date.
 */
import { writeFile } from 'node:fs/promises';
import { HOUSE, pictureOf } from './architecture/picture.ts';
import { readRooms } from './architecture/rooms.ts';
import { CHART, chartOf } from './bench/picture.ts';
import { readResults } from './bench/results.ts';
import { readBlocks, readPages, withBlocks } from './unit/pageBlocks.ts';

await writeFile(HOUSE, pictureOf(readRooms()));
await writeFile(CHART, chartOf(readResults()));
for (const [path, text] of Object.entries(withBlocks(readPages(), readBlocks()))) {
  await writeFile(path, text);
}
