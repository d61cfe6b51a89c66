/**
 * `npm run pages`: updates the generated blocks in the documentation, and draws the architecture
 * picture. Tests check that both are up to date.
 */
import { writeFile } from 'node:fs/promises';
import { HOUSE, pictureOf } from './architecture/picture.ts';
import { readRooms } from './architecture/rooms.ts';
import { readBlocks, readPages, withBlocks } from './unit/pageBlocks.ts';

await writeFile(HOUSE, pictureOf(readRooms()));
for (const [path, text] of Object.entries(withBlocks(readPages(), readBlocks()))) {
  await writeFile(path, text);
}
