import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { run } from '../vscode/command.ts';
import { makeWorkingCopy } from '../workingCopy.ts';
import { secretShapesIn } from './secretShapes.ts';
import { entriesOf } from './vsix.ts';

/**
 * Returns a made-up key. Keys are assembled at run time so that no file in the repository contains
 * a key.
 */
const fakeKey = (length: number) => 'aB3dE6gH9'.repeat(10).slice(0, length);
const serviceKey = fakeKey(44);
const keys: Readonly<Record<string, readonly string[]>> = {
  'an API key of IBM Cloud': [serviceKey, `x="${fakeKey(20)}_-${fakeKey(22)}"`],
  'a key or token': [
    `eyJ${fakeKey(20)}.${fakeKey(30)}.${fakeKey(20)}`,
    `authorization: Bearer ${fakeKey(16)}`,
    `API_KEY=${fakeKey(12)}`,
    `{"apiKey":"${fakeKey(16)}"}`,
  ],
  'a private key': [`${'-'.repeat(5)}BEGIN RSA PRIVATE KEY${'-'.repeat(5)}\n${fakeKey(64)}\n`],
  'a key of another service': [
    `AKIA${fakeKey(16).toUpperCase()}`,
    `ghp_${fakeKey(36)}`,
    `sk-${fakeKey(40)}`,
  ],
};

function pngWith(type: string, data: Buffer): Buffer {
  const chunk = (name: string, content: Buffer) => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    const named = Buffer.concat([Buffer.from(name), content]);
    length.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const icon = readFileSync('media/icon.png');
  // Inserts the chunk after the signature and the first chunk, which contains the image size.
  return Buffer.concat([icon.subarray(0, 33), chunk(type, data), icon.subarray(33)]);
}

function webpWith(type: string, data: Buffer): Buffer {
  const picture = readFileSync('media/walkthrough/menu-dark.webp');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  const chunk = Buffer.concat([Buffer.from(type), length, data, Buffer.alloc(data.length % 2)]);
  // The next chunk's name directly follows the data. A key at the end of the data must still be
  // found.
  const empty = Buffer.from('NEXT\0\0\0\0');
  const all = Buffer.concat([picture, chunk, empty]);
  all.writeUInt32LE(all.length - 8, 4);
  return all;
}

const text = (value: string) => Buffer.from(`Comment\0${value}`);
const pictures: Readonly<Record<string, (value: string) => Buffer>> = {
  'tEXt of a PNG': (value) => pngWith('tEXt', text(value)),
  'zTXt of a PNG': (value) =>
    pngWith('zTXt', Buffer.concat([text('\0'), deflateSync(Buffer.from(value))])),
  'iTXt of a PNG': (value) => pngWith('iTXt', text(`\0\0en\0\0${value}`)),
  'compressed iTXt of a PNG': (value) =>
    pngWith('iTXt', Buffer.concat([text('\u0001\0en\0\0'), deflateSync(Buffer.from(value))])),
  'eXIf of a PNG, in UTF-16': (value) => pngWith('eXIf', Buffer.from(value, 'utf16le')),
  'EXIF of a WebP': (value) => webpWith('EXIF', Buffer.from(value)),
  'XMP of a WebP': (value) => webpWith('XMP ', Buffer.from(`<x:xmpmeta>${value}</x:xmpmeta>`)),
  'compressed chunk of a WebP': (value) => webpWith('EXIF', deflateSync(Buffer.from(value))),
  'gzipped chunk of a WebP': (value) => webpWith('ANY ', gzipSync(Buffer.from(value))),
};

describe('text that looks like a key or token', () => {
  for (const [shape, values] of Object.entries(keys)) {
    for (const [index, value] of values.entries()) {
      it(`is found in source code: ${shape}, ${index + 1}`, () => {
        assert.deepEqual(secretShapesIn(Buffer.from(`const a = 1;\n${value};\n`)), [shape]);
      });
    }
  }

  for (const [place, picture] of Object.entries(pictures)) {
    it(`is found in an image: ${place}`, () => {
      for (const [shape, [value = '']] of Object.entries(keys)) {
        assert.deepEqual(secretShapesIn(picture(value)), [shape]);
      }
      assert.deepEqual(secretShapesIn(picture('a comment')), []);
    });
  }

  const others = [
    'this.apiKey=options.apiKey;headers={authorization:"Bearer "+e.token}',
    'API_KEY=your-api-key, apiKey: "API key", bearer authentication',
    // None of these is a key: a hash, 44 letters without a digit, and strings of more than 44
    // characters.
    `sha256-${fakeKey(43)}=`,
    'x'.repeat(44),
    'aFunctionWhoseNameHasExactlyFortyFourLetters',
    fakeKey(45),
    fakeKey(88),
  ];
  for (const other of others) {
    it(`isn't found in ${other}`, () => {
      assert.deepEqual(secretShapesIn(Buffer.from(other)), []);
    });
  }

  it("doesn't appear in any file in the package", () => {
    const entries = entriesOf(readFileSync('hosted-model.vsix'));
    assert.ok(entries.some(({ name }) => name === 'extension/media/icon.png'));
    for (const { name, bytes } of entries) assert.deepEqual(secretShapesIn(bytes), [], name);
  });

  it('causes packaging to fail if it appears in a source file or an image @nightly', async () => {
    const copy = makeWorkingCopy();
    try {
      appendFileSync(join(copy, 'src/extension.ts'), `\nexport const planted = '${serviceKey}';\n`);
      writeFileSync(join(copy, 'media/icon.png'), pictures['zTXt of a PNG']?.(serviceKey) ?? '');
      const packaging = run(['npm', 'run', '--silent', 'package'], copy);
      const { message } = await packaging.then(
        () => assert.fail('This was packaged.'),
        (error: Error) => error,
      );
      for (const name of ['extension/dist/extension.js', 'extension/media/icon.png']) {
        assert.ok(message.includes(`${name} contains text that looks like an API key`), message);
      }
      assert.ok(!message.includes(serviceKey));
      assert.equal(existsSync(join(copy, 'hosted-model.vsix')), false);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});
