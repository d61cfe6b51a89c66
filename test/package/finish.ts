/**
 * The last step of `npm run package`: looks into the VSIX that was made, and takes it away where a
 * file of it holds something of the shape of a key or token. Argument: its path.
 */
import { readFileSync, rmSync } from 'node:fs';
import { secretShapesIn } from './secretShapes.ts';
import { entriesOf } from './vsix.ts';

const [, , path = ''] = process.argv;
const found = entriesOf(readFileSync(path)).flatMap(({ name, bytes }) =>
  secretShapesIn(bytes).map((shape) => `${name} holds something of the shape of ${shape}.`),
);
if (found.length > 0) {
  rmSync(path);
  console.error(found.join('\n'));
  console.error('Nothing was packaged. Take it out of the sources, and make that key worthless.');
  process.exitCode = 1;
}
