import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isKind, isUnreachable, plainWord, ServiceError } from '../../../src/service/errors.ts';
import { redact, withoutSecrets } from '../../../src/service/masking.ts';
import { seed } from './fixtures.ts';

const key = 'S3cret-Key_of+the/user=';
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJpYXQiOjF9.c2lnbmF0dXJl';

describe('a service error', () => {
  it('has a message with only its kind and details, in a fixed order', () => {
    const details = { requestId: 'r-1', attempts: 4, status: 503, host: 'h.example', code: 'C' };
    const error = new ServiceError('server-failed', details);
    const message = 'server-failed (status 503, C, 4 sent, host h.example, request r-1)';
    assert.equal(error.message, message);
    assert.equal(String(error), `ServiceError: ${message}`);
    assert.equal(new ServiceError('cancelled').message, 'cancelled');
    assert.equal(error.cause, undefined);
  });

  it('keeps its details when more details are added', () => {
    const error = new ServiceError('rate-limited', { status: 429 }).with({ attempts: 2 });
    assert.deepEqual([error.kind, error.details], ['rate-limited', { status: 429, attempts: 2 }]);
  });

  it('drops details that contain a secret or a long part of one', () => {
    const of = (code: string) => new ServiceError('bad-request', { status: 400, code });
    const without = (code: string) =>
      withoutSecrets(of(code), ['S3cret-Key', 'b', '']).details.code;
    for (const code of [
      'S3cret-Key',
      's3cret-key',
      'X-S3cret-Key-Y',
      'S3cret',
      '3cret-Ke',
      'UzNjcmV0LUtleQ',
    ]) {
      assert.equal(without(code), undefined, code);
    }
    for (const code of ['BXNIM0415E', 'Key', 'cret', 'any']) assert.equal(without(code), code);
    assert.equal(
      withoutSecrets(of('S3cret-Key'), ['S3cret-Key']).message,
      'bad-request (status 400)',
    );
  });

  it('keeps a detail that contains only the scheme of a credential header', () => {
    const secrets = ['a-key-of-zen-0123', 'ZenApiKey a-key-of-zen-0123'];
    const without = (code: string) =>
      withoutSecrets(new ServiceError('bad-request', { code }), secrets).details.code;
    for (const code of ['apiKey', 'ZenApiKey']) assert.equal(without(code), code);
    for (const code of ['a-key-of-zen', 'ApiKey a-key', 'ZenApiKey a-key-of-zen-0123']) {
      assert.equal(without(code), undefined, code);
    }
  });

  it('is identified by its kind', () => {
    const error: unknown = new ServiceError('timeout');
    assert.ok(isKind(error, 'cancelled', 'timeout'));
    assert.ok(!isKind(error, 'cancelled'));
    assert.ok(!isKind(new Error('timeout'), 'timeout'));
  });
});

describe('isUnreachable', () => {
  const rows: readonly [string, ServiceError, boolean][] = [
    ['a failed connection', new ServiceError('unreachable'), true],
    ['a proxy that requires a login', new ServiceError('proxy', { status: 407 }), true],
    ['a lost connection', new ServiceError('connection-lost'), true],
    ['a lost response', new ServiceError('connection-lost', { status: 200 }), false],
    ['no response in time', new ServiceError('timeout', { phase: 'start' }), true],
    ['a stalled response', new ServiceError('timeout', { phase: 'idle', status: 200 }), false],
    ['a rejection', new ServiceError('forbidden', { status: 403 }), false],
  ];
  for (const [what, error, isSo] of rows) {
    it(`returns ${isSo} for ${what}`, () => assert.equal(isUnreachable(error), isSo));
  }
});

describe('plainWord', () => {
  for (const word of ['BXNIM0415E', 'rate_limit_reached', 'a.b-c', 'x'.repeat(64)]) {
    it(`accepts ${word}`, () => assert.equal(plainWord(word), word));
  }
  for (const word of ['', 'x'.repeat(65), 'a b', '[a](b)', 'a\n', '<b>', 'é', 5, null, undefined]) {
    it(`rejects ${JSON.stringify(word)}`, () => {
      assert.equal(plainWord(word), undefined);
    });
  }
});

describe('redact', () => {
  const masked: readonly [string, string][] = [
    [`key ${key}!`, 'key [redacted]!'],
    [`${key}${key}`, '[redacted][redacted]'],
    [encodeURIComponent(key), '[redacted]'],
    [new URLSearchParams({ a: key }).toString(), 'a=[redacted]'],
    [Buffer.from(key).toString('base64'), '[redacted]='],
    [`token ${jwt} end`, 'token [redacted] end'],
    [`Authorization: Bearer ${jwt}`, 'Authorization: Bearer [redacted]'],
    ['authorization: bearer abcdefgh1234', 'authorization: bearer [redacted]'],
    ['apikey=abcdefgh&x=1', 'apikey=[redacted]&x=1'],
    ['{"api_key": "abcdefgh"}', '{"api_key": "[redacted]"}'],
    ['API_KEY = abcdefgh', 'API_KEY = [redacted]'],
  ];
  for (const [text, expected] of masked) {
    it(`masks all secrets in "${text.slice(0, 60)}"`, () => {
      assert.equal(redact(text, [key]).replace('[redacted]==', '[redacted]='), expected);
    });
  }

  it('masks a secret that is escaped in JSON', () => {
    const odd = 'a"b\\c\nd-secret';
    assert.equal(redact(JSON.stringify({ odd }), [odd]), '{"odd":"[redacted]"}');
  });

  it('masks the longer of two secrets that share a prefix', () => {
    assert.equal(redact('secret-1-and-more', ['secret-1', 'secret-1-and-more']), '[redacted]');
  });

  const kept = [
    'Failed to authenticate the request due to no Bearer token in the request header',
    'rate-limited (status 429, 4 sent, host good.example)',
    'the API key page',
    'keys and tokens',
    '',
  ];
  for (const text of kept) {
    it(`leaves "${text}" unchanged`, () => assert.equal(redact(text, [key, '', 'abc']), text));
  }

  it(`masks a secret regardless of the surrounding text (seed ${seed})`, () => {
    const secret = fc.string({ minLength: 8, maxLength: 60, unit: 'binary-ascii' });
    const check = (before: string, value: string, after: string) => {
      const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
      for (const form of forms) {
        const clean = redact(`${before}${form}${after}`, [value]);
        assert.ok(!clean.includes(value) || `${before}${after}[redacted]`.includes(value));
      }
    };
    const text = fc.string({ maxLength: 20 });
    fc.assert(fc.property(text, secret, text, check), { seed, numRuns: 1_000 });
  });
});
