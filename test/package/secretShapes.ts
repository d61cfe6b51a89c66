import { gunzipSync, inflateSync } from 'node:zlib';
import { holdsPrivateKey, SECRET_SHAPES } from '../../src/service/masking.ts';

/** Keys of popular services, recognized by their prefixes. */
const PREFIXED =
  /\b(?:A[KS]IA[0-9A-Z]{16}|AIza[\w-]{35}|gh[opsur]_[A-Za-z0-9]{36}|github_pat_\w{22,}|glpat-[\w-]{20}|hf_[A-Za-z0-9]{30}|npm_[A-Za-z0-9]{36}|sk-[\w-]{20,}|xox[abeoprs]-[\w-]{10,})/g;

/** An IBM Cloud API key: 44 characters of URL-safe Base64. */
const VENDOR_KEY = /(?<![\w-])[\w-]{44}(?![\w-])/g;

/** A run of printable ASCII characters encoded as UTF-16, in either byte order. */
const UTF_16 = /(?:[\x20-\x7e]\0){8,}[\x20-\x7e]?/g;

/**
 * Maximum size of a file's decompressed data, in bytes. No shipped file contains this much data.
 */
const MOST_BYTES = 67_108_864;

/**
 * Searches a file for text that looks like a key or token. Also searches UTF-16 text and compressed
 * data, such as the text chunks of images. Image pixels aren't searched.
 * @returns the name of each kind of key that was found, without any part of the key
 * @throws {Error} if the file contains compressed data that expands to more than `MOST_BYTES`
 */
export function secretShapesIn(file: Buffer): string[] {
  const texts = [file, ...chunksOf(file)]
    .flatMap((part) => [part, ...unpackedIn(part)])
    .map((bytes) => bytes.toString('latin1'))
    .flatMap((text) => [
      text,
      ...(text.match(UTF_16) ?? []).map((wide) => wide.replaceAll('\0', '')),
    ]);
  return Object.entries(SHAPES)
    .filter(([, isIn]) => texts.some(isIn))
    .map(([name]) => name);
}

const SHAPES: Readonly<Record<string, (text: string) => boolean>> = {
  'a private key': holdsPrivateKey,
  'a key or token': (text) =>
    SECRET_SHAPES.some((shape) => Array.from(text.matchAll(shape)).some(([it]) => isMade(it))),
  'an API key of IBM Cloud': (text) =>
    Array.from(text.matchAll(VENDOR_KEY)).some(
      ([key]) => /\d/.test(key) && /[a-z]/.test(key) && /[A-Z]/.test(key),
    ),
  'a key of another service': (text) => text.search(PREFIXED) >= 0,
};

/**
 * True if the text looks generated: it starts with at least 11 characters that include letters and
 * digits. A property such as `other.apiKey` has no digits.
 */
function isMade(found: string): boolean {
  const [word = ''] = /^[\w.~+/=-]*/.exec(found) ?? [];
  return word.length >= 11 && /\d/.test(word) && /[a-z]/i.test(word);
}

/**
 * Returns the content of each chunk of a PNG or WebP. Each chunk is searched separately, because a
 * chunk name or checksum next to a key could keep a pattern from matching.
 */
function chunksOf(file: Buffer): Buffer[] {
  const isPng = file.toString('latin1', 1, 4) === 'PNG';
  if (!isPng && file.toString('latin1', 0, 4) !== 'RIFF') return [];
  const chunks: Buffer[] = [];
  for (let at = isPng ? 8 : 12; at + 8 <= file.length; ) {
    const length = isPng ? file.readUInt32BE(at) : file.readUInt32LE(at + 4);
    chunks.push(file.subarray(at + 8, at + 8 + length));
    at += 8 + length + (isPng ? 4 : length % 2);
  }
  return chunks;
}

/** Decompresses the data at each offset where zlib or gzip data could start. */
function unpackedIn(file: Buffer): Buffer[] {
  const unpacked: Buffer[] = [];
  for (let at = 0; at + 1 < file.length; at += 1) {
    const start = file.readUInt16BE(at);
    const isZlib = (start & 0x8f20) === 0x0800 && start % 31 === 0;
    if (!isZlib && start !== 0x1f8b) continue;
    try {
      const unpack = isZlib ? inflateSync : gunzipSync;
      unpacked.push(unpack(file.subarray(at), { maxOutputLength: MOST_BYTES }));
    } catch (error) {
      if (Object(error).code === 'ERR_BUFFER_TOO_LARGE') throw error;
    }
  }
  return unpacked;
}
