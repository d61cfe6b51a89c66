import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  holdsPrivateKey,
  kindsIn,
  maskPrivateKeys,
  maskWhole,
} from '../../../../src/service/secrets/promptSecrets.ts';
import { addressHolds } from '../../../../src/service/secrets/secretSearch.ts';
import { formsIn, writtenDown } from '../canaries.ts';
import { clientOn, credentials, fakeNetwork, seed } from '../fixtures.ts';

const block = (name: string, body = 'MIIEvQIBADAN\nBgkqhkiG9w0B') =>
  `-----BEGIN ${name}-----\n${body}\n-----END ${name}-----`;

describe('private keys in a text', () => {
  const names = [
    'PRIVATE KEY',
    'RSA PRIVATE KEY',
    'EC PRIVATE KEY',
    'DSA PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ];
  for (const name of names) {
    it(`are found and masked as ${name}, whatever stands around them`, () => {
      assert.equal(holdsPrivateKey(`a${block(name)}b`), true);
      assert.equal(maskPrivateKeys(`a ${block(name)}\nb`), 'a [redacted]\nb');
      const inLine = JSON.stringify({ key: `${block(name)}\n`, next: 1 });
      assert.equal(maskPrivateKeys(inLine), '{"key":"[redacted]\\n","next":1}');
    });
  }

  it('are masked one by one, and up to the first line that is no key where one has no end', () => {
    const [one, two] = [block('PRIVATE KEY'), block('EC PRIVATE KEY')];
    assert.equal(maskPrivateKeys(`${one}\n\n${two} c`), '[redacted]\n\n[redacted] c');
    assert.equal(
      maskPrivateKeys(`${one}-----BEGIN RSA PRIVATE KEY-----\nMII`),
      '[redacted][redacted]',
    );
    const certificate = block('CERTIFICATE');
    assert.equal(
      maskPrivateKeys(`a\n-----BEGIN PRIVATE KEY-----\n${certificate}`),
      `a\n[redacted]\n${certificate}`,
    );
    const code = (marker: string) => `const isKey = /${marker}/.test(text);\nreturn isKey;`;
    assert.equal(maskPrivateKeys(code('-----BEGIN PRIVATE KEY-----')), code('[redacted]'));
    const encrypted = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\nMIIE\n\nExplain this.';
    const begun = `-----BEGIN RSA PRIVATE KEY-----\n${encrypted}`;
    assert.equal(maskPrivateKeys(begun), '[redacted]\n\nExplain this.');
  });

  const long = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDLong';
  const parts: readonly [what: string, text: string, masked: string][] = [
    [
      'selected from its second line on',
      `a b\n${long}\nBgkq=\n-----END PRIVATE KEY-----\nc`,
      'a b\n[redacted]\nc',
    ],
    [
      'with an end of another name within it',
      `-----BEGIN RSA PRIVATE KEY-----\n${long}\n-----END FOO PRIVATE KEY-----\n${long}\n-----END RSA PRIVATE KEY-----`,
      '[redacted]\n[redacted]',
    ],
    [
      'with blanks that do not break',
      `-----BEGIN\u00A0RSA\u00A0PRIVATE\u00A0KEY-----\n${long}`,
      '[redacted]',
    ],
    [
      'of PuTTY',
      `Public-Lines: 1\nAAAA\nPrivate-Lines: 2\n${long}\nBgkq=\nPrivate-MAC: 12`,
      'Public-Lines: 1\nAAAA\n[redacted]\nPrivate-MAC: 12',
    ],
    ['of age', 'key AGE-SECRET-KEY-1QQQSZX3Y2 b', 'key [redacted] b'],
    [
      'in a comment',
      `// -----BEGIN PRIVATE KEY-----\n// ${long}\n// Bgkq\n// a b`,
      '// [redacted]\n// a b',
    ],
    [
      'in parts of a string',
      `a = "-----BEGIN PRIVATE KEY-----\\n" +\n  "${long}\\n" +\n  "-----END PRIVATE KEY-----\\n"`,
      'a = "[redacted]\\n"',
    ],
    [
      'without its end, in a string with more behind it',
      `{"key": "-----BEGIN PRIVATE KEY-----\\n${long}", "next": 1}\nExplain this.`,
      '{"key": "[redacted]\nExplain this.',
    ],
    [
      'on one line',
      `K=-----BEGIN PRIVATE KEY----- ${long} ${long} -----END PRIVATE KEY----- b`,
      'K=[redacted] b',
    ],
  ];
  for (const [what, text, masked] of parts) {
    it(`are found ${what}`, () => {
      assert.equal(holdsPrivateKey(text), true);
      assert.equal(maskPrivateKeys(text), masked);
      assert.equal(holdsPrivateKey(masked), false);
    });
  }

  it('are those of SSH2, too', () => {
    const name = 'SSH2 ENCRYPTED PRIVATE KEY';
    assert.equal(
      maskPrivateKeys(`---- BEGIN ${name} ----\nP2/\n---- END ${name} ----`),
      '[redacted]',
    );
  });

  it('are not what is public, nor words about them', () => {
    for (const text of [
      block('CERTIFICATE'),
      block('PUBLIC KEY'),
      block('PGP PUBLIC KEY BLOCK'),
      'BEGIN PRIVATE KEY',
      'the PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
    ]) {
      assert.equal(holdsPrivateKey(text), false, text);
      assert.equal(maskPrivateKeys(text), text);
    }
  });

  it(`leave nothing behind that would be found again (seed ${seed})`, () => {
    const part = fc.constantFrom(
      '-----',
      'BEGIN ',
      'END ',
      'PRIVATE KEY',
      'a',
      ' b:',
      '\n',
      'Version: 1',
      'A'.repeat(45),
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      '[redacted]',
      block('PRIVATE KEY'),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('');
        const masked = maskPrivateKeys(text);
        assert.equal(holdsPrivateKey(masked), false);
        if (!holdsPrivateKey(text)) assert.equal(masked, text);
      }),
      { seed, numRuns: 1_000 },
    );
  });
});

describe('a client', () => {
  const otherKeys = ['key-of-the-unit-tests-2', 'another-short-key'];
  const { fetch } = fakeNetwork(() => ({}));
  const start = () => clientOn({ fetch }, { credentials: { ...credentials, otherKeys } }).client;

  it('finds keys, tokens and private keys, each kind once', async () => {
    const client = start();
    const token = 'token-of-the-unit-tests';
    assert.deepEqual(client.secretKindsIn(`a text with ${token}`), []);
    await client.generateText('Hi', {});
    assert.deepEqual(client.secretKindsIn('a text'), []);
    assert.deepEqual(client.secretKindsIn('another-short-key another-short-key'), ['apiKey']);
    assert.deepEqual(
      client.secretKindsIn(`${credentials.apiKey} ${token} ${block('PRIVATE KEY')}`),
      ['apiKey', 'token', 'privateKey'],
    );
  });

  it('masks every one of them, and leaves the rest as it is', async () => {
    const client = start();
    await client.generateText('Hi', {});
    const code = 'api_key = "not-one-of-ours"; Authorization: Bearer abcdefgh12345';
    const text = `${code}\nA=${otherKeys[0]}\nB=${credentials.apiKey}\nC=token-of-the-unit-tests\n`;
    const masked = client.mask(text + block('PRIVATE KEY'));
    assert.equal(masked, `${code}\nA=[redacted]\nB=[redacted]\nC=[redacted]\n[redacted]`);
    assert.deepEqual(client.secretKindsIn(masked), []);
  });

  for (const [form, write] of Object.entries(writtenDown)) {
    it(`E12: finds and masks a key and a token ${form}`, async () => {
      const client = start();
      await client.generateText('Hi', {});
      for (const secret of ['key-of-the-unit-tests-2', 'token-of-the-unit-tests']) {
        const text = `before ${write(secret)} after`;
        assert.equal(client.secretKindsIn(text).length, 1);
        const clean = client.mask(text);
        assert.match(clean, /^before .*after$/s);
        assert.deepEqual(formsIn(clean, secret), []);
      }
    });
  }

  it('finds no secret in words that only look like one', () => {
    const token = `eyJraWQiOiIyMDI0${'x'.repeat(60)}`;
    const text = `${token.slice(0, 20)} of somebody else`;
    assert.deepEqual(kindsIn([text], { apiKey: [token] }), []);
    assert.equal(maskWhole(text, [token]), text);
  });

  it('E16: finds a key in an address in any form, even in lowercase as in a host', () => {
    const key = 'A-Key+That/Was=Pasted';
    for (const address of [
      `https://${key.toLowerCase().replaceAll(/\W/g, '-')}.example`,
      `https://service.example/${encodeURIComponent(key)}/x`,
      `https://service.example/?${new URLSearchParams({ model: key })}`,
      key,
    ]) {
      assert.ok(addressHolds(address, [key, key.replaceAll(/\W/g, '-')]), address);
    }
    assert.ok(!addressHolds('https://service.example/a-key', ['a-key', key]));
  });

  it('looks for no key of fewer than 16 characters, which stands in texts by chance', () => {
    for (const apiKey of ['a', 'test', '0123456789abcde']) {
      const { client } = clientOn({ fetch }, { credentials: { ...credentials, apiKey } });
      assert.deepEqual(client.secretKindsIn(`${apiKey} is a word: ${apiKey}`), []);
      assert.equal(client.mask(`a ${apiKey}`), `a ${apiKey}`);
    }
    const apiKey = '0123456789abcdef';
    const { client } = clientOn({ fetch }, { credentials: { ...credentials, apiKey } });
    assert.deepEqual(client.secretKindsIn(`KEY=${apiKey}`), ['apiKey']);
    assert.equal(client.mask(`KEY=${apiKey}`), 'KEY=[redacted]');
  });

  it('masks nothing where there is nothing to mask', () => {
    assert.equal(maskWhole('a text', ['']), 'a text');
    assert.equal(start().mask(''), '');
  });
});
