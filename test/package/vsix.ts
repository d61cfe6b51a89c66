import { inflateRawSync } from 'node:zlib';

/**
 * Reads a VSIX, which is a ZIP archive, and sets the permissions of its files. The field offsets
 * come from sections 4.3.7, 4.3.12, and 4.3.16 of the ZIP specification, APPNOTE.TXT.
 */

export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

const [END, ENTRY] = [0x06054b50, 0x02014b50];
const [END_BYTES, ENTRY_BYTES, LOCAL_BYTES] = [22, 46, 30];
const [STORED, DEFLATED] = [0, 8];
/** Unix mode of a regular file that everyone can read and only its owner can write to. */
const MODE = (0o100644 << 16) >>> 0;

/**
 * Returns all files in an archive.
 * @throws {Error} if `archive` isn't a ZIP archive, or if a file in it is compressed with a method
 * that vsce doesn't use
 */
export function entriesOf(archive: Buffer): Entry[] {
  return placesOf(archive).map((at) => {
    const nameAt = at + ENTRY_BYTES;
    const name = archive.toString('utf8', nameAt, nameAt + archive.readUInt16LE(at + 28));
    const local = archive.readUInt32LE(at + 42);
    const [nameBytes, extraBytes] = [
      archive.readUInt16LE(local + 26),
      archive.readUInt16LE(local + 28),
    ];
    const from = local + LOCAL_BYTES + nameBytes + extraBytes;
    const packed = archive.subarray(from, from + archive.readUInt32LE(at + 20));
    const method = archive.readUInt16LE(at + 10);
    if (method !== STORED && method !== DEFLATED)
      throw new Error(`${name} is packed by ${method}.`);
    return { name, bytes: method === STORED ? packed : inflateRawSync(packed) };
  });
}

/**
 * Gives all files in the archive the same permissions, because vsce copies the permissions from
 * this machine. Changes the archive in place.
 */
export function normalizePermissions(archive: Buffer): void {
  for (const at of placesOf(archive)) archive.writeUInt32LE(MODE, at + 38);
}

/** Returns the offset of each file's entry in the central directory. */
function placesOf(archive: Buffer): number[] {
  const end = archive.length - END_BYTES;
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Error('This is no VSIX.');
  const places: number[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error('The directory of the VSIX is broken.');
    places.push(at);
    const behind = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    at += ENTRY_BYTES + behind.reduce((sum, length) => sum + length);
  }
  return places;
}
