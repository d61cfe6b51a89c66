/**
 * `npm run pages`: writes what pages have of manifest, code and figures, and draws the house. Tests
 * hold both to it.
 */
import { writeFile } from 'node:fs/promises';
import { HOUSE, pictureOf } from './architecture/picture.ts';
import { readRooms } from './architecture/rooms.ts';
import { readBlocks, readPages, withBlocks } from './unit/pageBlocks.ts';

await writeFile(HOUSE, pictureOf(readRooms()));
for (const [path, text] of Object.entries(withBlocks(readPages(), readBlocks()))) {
  await writeFile(path, text);
}
