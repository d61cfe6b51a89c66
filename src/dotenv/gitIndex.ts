/** Which files git tracks, by the index of a repository. Pure. */

const HEADER_LENGTH = 12;
/** The lower bits of the two bytes before a name hold its length, as far as it fits. */
const LENGTH_BITS = 0xfff;

/**
 * Whether an index names a file. The fourth version shortens names by what they share with the one
 * before, so it is not searched, and the answer is no.
 * @param path relative to the root of the repository
 */
export function isTracked(index: Uint8Array, path: string): boolean {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
  if (bytes.length < HEADER_LENGTH || bytes.toString('latin1', 0, 4) !== 'DIRC') return false;
  if (bytes.readUInt32BE(4) > 3) return false;
  const name = Buffer.from(`${path}\0`);
  const length = Math.min(name.length - 1, LENGTH_BITS);
  for (let at = bytes.indexOf(name, HEADER_LENGTH); at >= 0; at = bytes.indexOf(name, at + 1)) {
    // Else it is the end of a longer name.
    if ((bytes.readUInt16BE(at - 2) & LENGTH_BITS) === length) return true;
  }
  return false;
}
