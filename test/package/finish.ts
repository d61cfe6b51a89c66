/**
 * The last step of `npm run package`: looks into the VSIX that was made, and takes it away where a
 * file of it holds something of the shape of a key or token. What is left of the machine in it is
 * evened out, so that a commit has one package, whose SHA-256 is said. Argument: its path.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { secretShapesIn } from './secretShapes.ts';
import { entriesOf, evenRights } from './vsix.ts';

const [, , path = ''] = process.argv;
const archive = readFileSync(path);
const found = entriesOf(archive).flatMap(({ name, bytes }) =>
  secretShapesIn(bytes).map((shape) => `${name} holds something of the shape of ${shape}.`),
);
if (found.length > 0) {
  rmSync(path);
  console.error(found.join('\n'));
  console.error('Nothing was packaged. Take it out of the sources, and make that key worthless.');
  process.exitCode = 1;
} else {
  evenRights(archive);
  writeFileSync(path, archive);
  console.log(` SHA-256 ${createHash('sha256').update(archive).digest('hex')}`);
}
