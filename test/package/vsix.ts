import { inflateRawSync } from 'node:zlib';

/** A VSIX as the archive that it is. */

/** A file of the archive. */
export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

const [END, ENTRY] = [0x06054b50, 0x02014b50];
const [END_BYTES, ENTRY_BYTES, LOCAL_BYTES] = [22, 46, 30];
const [STORED, DEFLATED] = [0, 8];

/**
 * Every file in an archive, by its directory; the places of its fields: APPNOTE 4.3.12 and 4.3.16.
 * @throws {Error} where it is no archive, or one that is packed in another way than vsce does it
 */
export function entriesOf(archive: Buffer): Entry[] {
  const end = archive.length - END_BYTES;
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Error('This is no VSIX.');
  const entries: Entry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error('The directory of the VSIX is broken.');
    const field = (offset: number) => archive.readUInt16LE(at + offset);
    const next = at + ENTRY_BYTES + field(28) + field(30) + field(32);
    const name = archive.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + field(28));
    const local = archive.readUInt32LE(at + 42);
    const from =
      local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(from, from + archive.readUInt32LE(at + 20));
    const method = field(10);
    if (method !== STORED && method !== DEFLATED)
      throw new Error(`${name} is packed by ${method}.`);
    entries.push({ name, bytes: method === STORED ? packed : inflateRawSync(packed) });
    at = next;
  }
  return entries;
}
