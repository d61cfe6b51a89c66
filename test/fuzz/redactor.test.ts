import assert from 'node:assert/strict';
import fc from 'fast-check';
import { redact } from '../../src/service/masking.ts';
import { formsIn, writtenDown } from '../unit/service/canaries.ts';
import { nasty, repeat, seed } from './fuzz.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
const canary = fc
  .string({ unit: fc.constantFrom(...letters), minLength: 8, maxLength: 44 })
  .map((text) => `C4${text}`);
const oddCanary = fc
  .tuple(canary, fc.constantFrom('+', '/', '=', '"', '\\A', '%', '&', 'é'))
  .map(([text, sign]) => text.slice(0, 5) + sign + text.slice(5));
const form = fc.constantFrom(...Object.keys(writtenDown));
const words = fc.array(
  fc.constantFrom(
    'the',
    'service',
    'failed',
    '(503)',
    'on',
    'all',
    '4',
    'attempts',
    'at',
    'us-south.ml.cloud.ibm.com',
    'é',
    '日本',
    '\n',
    '{"a":1}',
    'ECONNRESET',
  ),
  { maxLength: 12 },
);

describe('the redactor', () => {
  it(`M05 E04: masks a secret in any form and in any text (seed ${seed})`, async () => {
    await repeat(
      'redactor, with a secret',
      [fc.oneof(canary, oddCanary), form, nasty, nasty],
      (secret, how, before, after) => {
        const write = writtenDown[how];
        assert.ok(write);
        const text = before + write(secret) + after;
        assert.ok(formsIn(text, secret).length > 0, 'the text contains the secret');
        const clean = redact(text, [secret]);
        assert.deepEqual(
          formsIn(clean, secret),
          [],
          `${JSON.stringify(text)} is ${JSON.stringify(clean)}`,
        );
      },
    );
  });

  it(`M05: doesn't change text that contains no secret (seed ${seed})`, async () => {
    await repeat('redactor, without a secret', [words, canary], (parts, secret) => {
      const text = parts.join(' ');
      assert.equal(redact(text, [secret]), text);
    });
  });
});
