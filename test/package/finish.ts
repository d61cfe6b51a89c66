/**
 * The last step of `npm run package`. Deletes the new VSIX if one of its files contains text that
 * looks like a key or token. Otherwise, gives all of its files the same permissions so that every
 * machine creates the same VSIX. Then prints the SHA-256 of the VSIX. Argument: the path to the
 * VSIX.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { secretShapesIn } from './secretShapes.ts';
import { entriesOf, normalizePermissions } from './vsix.ts';

const [, , path = ''] = process.argv;
const archive = readFileSync(path);
const found = entriesOf(archive).flatMap(({ name, bytes }) =>
  secretShapesIn(bytes).map((shape) => `${name} contains text that looks like ${shape}.`),
);
if (found.length > 0) {
  rmSync(path);
  console.error(found.join('\n'));
  console.error('Nothing was packaged. Remove the key from the sources, and revoke it.');
  process.exitCode = 1;
} else {
  normalizePermissions(archive);
  writeFileSync(path, archive);
  console.log(` SHA-256 ${createHash('sha256').update(archive).digest('hex')}`);
}
