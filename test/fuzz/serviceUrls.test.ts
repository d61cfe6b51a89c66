import assert from 'node:assert/strict';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { parseServiceUrl } from '../../src/service/serviceUrl.ts';
import { accepted, rejected } from '../unit/service/serviceUrls.ts';
import { nasty, repeat, seed } from './fuzz.ts';

const part = fc.constantFrom(
  ...['https://', 'http://', 'https:', 'HTTPS://', '//', '/', '\\', '@', ':', ':443', ':8080', '?'],
  ...['good.example', 'evil.example', '127.0.0.1', '0x7f.1', '2130706433', '[::1]', 'localhost'],
  ...['..', '%2e', '%40', ' ', '\t', '\u200b', '.', 'user', '/ml/v1', '/identity/token', '"', "'"],
  ...['і', 'é', '。', '\u00ad', '#', ';', '%00', '\0', '169.254.169.254', '::ffff:7f00:1', ':0'],
);
const known = fc.constantFrom(...[...accepted, ...rejected].map(([text]) => text));
const urls = fc.oneof(
  fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(part, { maxLength: 6 }).map((parts) => `https://${parts.join('')}`),
  fc
    .tuple(known, fc.nat(60), part)
    .map(([text, at, more]) => text.slice(0, at) + more + text.slice(at)),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  nasty,
);

/**
 * Returns the origin of the URL that a string contains. To keep the result independent of the code
 * under test, uses the URL parser only to normalize IPv6 addresses.
 */
function originIn(text: string): string {
  const [, scheme = '', authority = ''] = /^\W*(https?):\/\/([^/?#]*)/i.exec(text.trim()) ?? [];
  const [, host = '', port = ''] =
    /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority.replace(/[\s"'`]+$/, '')) ?? [];
  const name = host.startsWith('[') ? new URL(`https://${host}`).hostname : domainToASCII(host);
  const usual = scheme.toLowerCase() === 'https' ? 443 : 80;
  const number = port === '' ? usual : Number(port);
  return `${scheme.toLowerCase()}://${name}${number === usual ? '' : `:${number}`}`;
}

describe('service URLs', () => {
  it(`M03 C06: keep their origin, and are accepted only with HTTPS or a loopback host (seed ${seed})`, async () => {
    await repeat('service URLs', [urls], (text) => {
      const parsed = parseServiceUrl(text);
      if (!parsed.ok) return;
      assert.equal(parsed.origin, originIn(text));
      const { protocol, hostname, username, password, host, origin } = new URL(parsed.url);
      assert.deepEqual([username, password, host, origin], ['', '', parsed.host, parsed.origin]);
      assert.ok(
        protocol === 'https:' ||
          (protocol === 'http:' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname)),
      );
      assert.ok(parsed.url === parsed.origin || parsed.url.startsWith(`${parsed.origin}/`));
      assert.ok(!/[?#%\\]|\/$/.test(parsed.url.slice(parsed.origin.length)));
    });
  });
});
