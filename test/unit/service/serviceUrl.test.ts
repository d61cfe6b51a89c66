import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseServiceUrl } from '../../../src/service/serviceUrl.ts';
import { seed } from './fixtures.ts';
import { accepted, rejected } from './serviceUrls.ts';

describe('a service URL', () => {
  it('is tested with at least 60 fixtures', () =>
    assert.ok(accepted.length + rejected.length >= 60));

  for (const [text, url, origin, hadEndpoint] of accepted) {
    it(`C06: is parsed as ${url}${hadEndpoint ? ', without its endpoint path' : ''}: ${JSON.stringify(text)}`, () => {
      const expected = { ok: true, url, origin, host: new URL(origin).host, hadEndpoint };
      assert.deepEqual(parseServiceUrl(text), expected);
    });
  }

  for (const [text, problem] of rejected) {
    it(`C06${problem === 'has-user' ? ' C09' : ''}: is rejected as ${problem}: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseServiceUrl(text), { ok: false, problem });
    });
  }

  it("C04: can't use http unless the host is 127.0.0.1, [::1], or localhost", () => {
    const plain = rejected.filter(([, problem]) => problem === 'not-https');
    assert.ok(plain.length >= 8);
    for (const [text] of plain) assert.ok(!('url' in parseServiceUrl(text)));
  });

  it("C18: can't use http with an unusual loopback host, such as 127.0.0.2", () => {
    for (let last = 0; last < 256; last += 1) {
      assert.equal(parseServiceUrl(`http://127.0.0.${last}:1`).ok, last === 1);
    }
    for (const host of ['localhost.', 'sub.localhost', '[::ffff:127.0.0.1]']) {
      assert.ok(!parseServiceUrl(`http://${host}:1`).ok, host);
    }
  });

  it('C05: can use http if the host is 127.0.0.1, [::1], or localhost', () => {
    for (const text of [
      'http://127.0.0.1:1',
      'http://[::1]:1',
      'http://localhost:1',
      'http://localhost',
    ]) {
      assert.ok(parseServiceUrl(text).ok);
    }
  });

  it(`is either rejected or parsed as the origin that it names (seed ${seed})`, () => {
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
      const [, scheme = '', named = ''] =
        /^\W*(https?):\/\/([^/?#]*)/i.exec(candidate.trim()) ?? [];
      const authority = named.replace(/[\s"'`]+$/, '');
      const independent = new URL(`${scheme}://${authority}`);
      assert.equal(parsed.origin, independent.origin);
      assert.ok(!authority.includes('@'));
      assert.ok(
        scheme.toLowerCase() === 'https' ||
          /^(127\.0\.0\.1|\[::1\]|localhost)(:|$)/i.test(authority),
      );
      assert.ok(parsed.url === parsed.origin || parsed.url.startsWith(`${parsed.origin}/`));
      assert.ok(!/[?#%\\]|\/$/.test(parsed.url.slice(parsed.origin.length)));
    };
    fc.assert(fc.property(text, check), { seed, numRuns: 3_000 });
  });
});
