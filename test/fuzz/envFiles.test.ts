import assert from 'node:assert/strict';
import fc from 'fast-check';
import { envFixes } from '../../src/dotenv/envFix.ts';
import { decodeEnvFile, LINE_END } from '../../src/dotenv/envText.ts';
import type { LineRange } from '../../src/dotenv/settingValue.ts';
import { parseServiceUrl } from '../../src/service/serviceUrl.ts';
import { readEnvFile } from '../unit/dotenv/reading.ts';
import { ibm } from '../unit/service/fixtures.ts';
import { nasty, repeat, seed } from './fuzz.ts';

const CANARY = 'c4naryKey-0123456789';
const piece = fc.constantFrom(
  ...['IBM_API_KEY', 'IBM_PROJECT_ID', 'IBM_URL', 'WATSONX_APIKEY', 'VENDOR_API_KEY', 'VENDOR_URL'],
  ...[
    '=',
    ' = ',
    '\n',
    '\r\n',
    '\r',
    ' ',
    '"',
    "'",
    '#',
    'export ',
    'Bearer ',
    '<API_KEY>',
    '\ufeff',
  ],
  ...[CANARY, 'project-1', 'https://eu-de.ml.cloud.ibm.com', 'http://x', '/ml/v1', '__proto__'],
);
const whole = `IBM_API_KEY=${CANARY}\nIBM_PROJECT_ID=project-1\nIBM_URL=https://eu-de.ml.cloud.ibm.com\n`;
const files = fc.oneof(
  fc
    .array(fc.oneof({ weight: 6, arbitrary: piece }, nasty), { maxLength: 30 })
    .map((parts) => Buffer.from(parts.join(''))),
  fc
    .tuple(fc.nat(whole.length), fc.nat(9), fc.oneof(piece, nasty))
    .map(([at, gone, added]) => Buffer.from(whole.slice(0, at) + added + whole.slice(at + gone))),
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.concat([Buffer.from(whole), bytes])),
);

describe('.env files', () => {
  it(`M04: yield only valid values, and only issues whose positions are inside the file (seed ${seed})`, async () => {
    await repeat('.env bytes', [files], (bytes) => {
      const text = decodeEnvFile(bytes);
      if (text === undefined) return;
      const lines = text.split(LINE_END);
      const isInside = ({ line, start, end }: LineRange) =>
        start >= 0 && start <= end && end <= (lines[line]?.length ?? -1);
      const { values, issues, named } = readEnvFile(text, ibm);
      if (values) {
        assert.ok(parseServiceUrl(values.url).ok);
        assert.doesNotMatch(values.apiKey, /\s/);
        const { apiKey, projectId, url } = values;
        for (const value of [apiKey, projectId, url]) {
          assert.ok(value !== '' && text.includes(value));
        }
      }
      for (const { place } of named) assert.ok(place && isInside(place));
      for (const issue of issues) {
        assert.ok(issue.place && isInside(issue.place));
        assert.ok(!JSON.stringify({ ...issue, name: '' }).includes(CANARY));
        for (const edit of envFixes(lines[issue.place.line] ?? '', issue, ibm)) {
          if (edit.kind === 'replace') assert.ok(isInside(edit.place));
          else assert.ok(edit.line < lines.length);
        }
      }
      assert.equal(Object.getPrototypeOf({}), Object.prototype);
    });
  });
});
