import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseServiceUrl, type UrlProblem } from '../../../src/service/credentials.ts';
import { seed } from './fixtures.ts';

const accepted: readonly [string, string, string, boolean][] = [
  // text, URL, origin, cut
  ['https://good.example', 'https://good.example', 'https://good.example', false],
  ['https://good.example/', 'https://good.example', 'https://good.example', false],
  [' https://good.example\n', 'https://good.example', 'https://good.example', false],
  ['"https://good.example"', 'https://good.example', 'https://good.example', false],
  ['HTTPS://GOOD.example', 'https://good.example', 'https://good.example', false],
  ['https://good.example:443/', 'https://good.example', 'https://good.example', false],
  ['https://good.example:8443', 'https://good.example:8443', 'https://good.example:8443', false],
  ['https://good.example/a/b/', 'https://good.example/a/b', 'https://good.example', false],
  ['https://good.example.', 'https://good.example.', 'https://good.example.', false],
  ['https://іbm.example', 'https://xn--bm-goc.example', 'https://xn--bm-goc.example', false],
  [
    'https://bücher.example',
    'https://xn--bcher-kva.example',
    'https://xn--bcher-kva.example',
    false,
  ],
  ['https://0x7f.1', 'https://127.0.0.1', 'https://127.0.0.1', false],
  ['https://2130706433', 'https://127.0.0.1', 'https://127.0.0.1', false],
  ['https://[2001:db8::1]', 'https://[2001:db8::1]', 'https://[2001:db8::1]', false],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080', false],
  ['http://127.9.9.9', 'http://127.9.9.9', 'http://127.9.9.9', false],
  ['http://[::1]:8080/p', 'http://[::1]:8080/p', 'http://[::1]:8080', false],
  ['https://good.example/ml/v1', 'https://good.example', 'https://good.example', true],
  ['https://good.example/ml/gateway/v1', 'https://good.example', 'https://good.example', true],
  ['https://good.example/identity/token', 'https://good.example', 'https://good.example', true],
  [
    'https://good.example/p/ml/v1/text/generation?version=2023-05-29',
    'https://good.example/p',
    'https://good.example',
    true,
  ],
];

const rejected: readonly [string, UrlProblem][] = [
  ['', 'not-a-url'],
  ['<URL>', 'not-a-url'],
  ['good.example', 'not-a-url'],
  ['//good.example', 'not-a-url'],
  ['https:good.example', 'not-a-url'],
  ['https:/good.example', 'not-a-url'],
  ['https:///good.example', 'not-a-url'],
  ['https:\\\\evil.example\\x', 'not-a-url'],
  ['https://good.example\\@evil.example', 'not-a-url'],
  ['https://\\evil.example', 'not-a-url'],
  ['https://go od.example', 'not-a-url'],
  ['https://good\t.example', 'not-a-url'],
  ['https://good\n.example', 'not-a-url'],
  ['ht\ttps://good.example', 'not-a-url'],
  ['https://good\u200b.example', 'not-a-url'],
  ['https://good\u202e.example', 'not-a-url'],
  ['https://good.example/<x>', 'not-a-url'],
  ['https://good.example/"x', 'not-a-url'],
  ['https://{host}/', 'not-a-url'],
  ['https://good.example:99999', 'not-a-url'],
  ['https://[::1', 'not-a-url'],
  ['https://good.example:443x', 'not-a-url'],
  ['https://999.999.999.999', 'not-a-url'],
  ['ftp://good.example', 'not-a-url'],
  ['file:///etc/passwd', 'not-a-url'],
  ['javascript:alert(1)', 'not-a-url'],
  ['data:text/plain,x', 'not-a-url'],
  ['ws://good.example', 'not-a-url'],
  ['https://good.example@evil.example', 'has-user'],
  ['https://user:pass@evil.example', 'has-user'],
  ['https://@evil.example', 'has-user'],
  ['https://:@evil.example', 'has-user'],
  ['https://good.example%40evil.example', 'not-a-url'],
  ['https://good.example%2fevil.example', 'not-a-url'],
  ['http://good.example', 'not-https'],
  ['http://localhost:8080', 'not-https'],
  ['http://127.0.0.1.evil.example', 'not-https'],
  ['http://0.0.0.0', 'not-https'],
  ['http://[::ffff:127.0.0.1]', 'not-https'],
  ['http://10.0.0.1', 'not-https'],
  ['http://0x7f.1', 'not-https'],
  ['http://2130706433', 'not-https'],
  ['http://127.1', 'not-https'],
  ['https://good.example?x=1', 'has-query'],
  ['https://good.example/?', 'has-query'],
  ['https://good.example/#evil', 'has-query'],
  ['https://good.example#@evil.example', 'has-user'],
  ['https://under_score.example', 'bad-host'],
  ['https://a!b.example', 'bad-host'],
  ['https://.../', 'bad-host'],
  ['https://good..example', 'bad-host'],
  ['https://good.example/a/../b', 'bad-path'],
  ['https://good.example/..', 'bad-path'],
  ['https://good.example/./a', 'bad-path'],
  ['https://good.example/%2e%2e/b', 'bad-path'],
  ['https://good.example/a%2fb', 'bad-path'],
  ['https://good.example/é', 'bad-path'],
  ['https://good.example/a//b', 'bad-path'],
  ['https://good.example/a;b', 'bad-path'],
  ['https://good.example//evil.example/', 'bad-path'],
  ['https://good.example/../ml/v1', 'bad-path'],
];

describe('a service URL', () => {
  for (const [text, url, origin, cut] of accepted) {
    it(`${JSON.stringify(text)} is ${url}${cut ? ', cut' : ''}`, () => {
      const expected = { ok: true, url, origin, host: new URL(origin).host, cut };
      assert.deepEqual(parseServiceUrl(text), expected);
    });
  }

  for (const [text, problem] of rejected) {
    it(`${JSON.stringify(text)} is refused: ${problem}`, () => {
      assert.deepEqual(parseServiceUrl(text), { ok: false, problem });
    });
  }

  it(`is refused, or on the origin that its text names (seed ${seed})`, () => {
    const part = fc.constantFrom(
      ...['https://', 'http://', 'https:', '//', '/', '\\', '@', ':', ':443', ':8080', '?', '#'],
      ...['good.example', 'evil.example', '127.0.0.1', '0x7f.1', '[::1]', 'localhost', 'і', 'é'],
      ...['..', '%2e', '%40', ' ', '\t', '\u200b', '.', 'user', '/ml/v1', '"', "'"],
    );
    const text = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.array(part, { maxLength: 6 }).map((parts) => `https://${parts.join('')}`),
      fc.string(),
    );
    const check = (candidate: string) => {
      const parsed = parseServiceUrl(candidate);
      if (!parsed.ok) return;
      const [, scheme = '', authority = ''] =
        /^\W*(https?):\/\/([^/?#]*)/i.exec(candidate.trim()) ?? [];
      const independent = new URL(`${scheme}://${authority.replace(/["'`]$/, '')}`);
      assert.equal(parsed.origin, independent.origin);
      assert.ok(!authority.includes('@'));
      assert.ok(scheme.toLowerCase() === 'https' || /^(127\.|\[::1\])/.test(authority));
      assert.ok(parsed.url === parsed.origin || parsed.url.startsWith(`${parsed.origin}/`));
      assert.ok(!/[?#%\\]|\/$/.test(parsed.url.slice(parsed.origin.length)));
    };
    fc.assert(fc.property(text, check), { seed, numRuns: 3_000 });
  });
});
