import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Authentication } from '../../../src/service/authentication.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import {
  addressHolds,
  holdsPrivateKey,
  holdsSecret,
  maskPrivateKeys,
  maskSecrets,
} from '../../../src/service/masking.ts';
import { Secret } from '../../../src/service/secret.ts';
import type { Service } from '../../../src/service/service.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { formsIn, writtenDown } from './canaries.ts';
import {
  clientOn,
  credentials,
  failureOf,
  fakeNetwork,
  ibm,
  never,
  oauth,
  seed,
} from './fixtures.ts';

const block = (name: string, body = 'MIIEvQIBADAN\nBgkqhkiG9w0B') =>
  `-----BEGIN ${name}-----\n${body}\n-----END ${name}-----`;

describe('private key masking', () => {
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
    it(`finds and masks ${name} blocks, even next to other text`, () => {
      assert.equal(holdsPrivateKey(`a${block(name)}b`), true);
      assert.equal(maskPrivateKeys(`a ${block(name)}\nb`), 'a [redacted]\nb');
      const inLine = JSON.stringify({ key: `${block(name)}\n`, next: 1 });
      assert.equal(maskPrivateKeys(inLine), '{"key":"[redacted]\\n","next":1}');
    });
  }

  it('masks each key separately, plus everything from the start of an incomplete key onward', () => {
    const [one, two] = [block('PRIVATE KEY'), block('EC PRIVATE KEY')];
    assert.equal(maskPrivateKeys(`${one}\n\n${two} c`), '[redacted]\n\n[redacted] c');
    const truncatedKey = '-----BEGIN RSA PRIVATE KEY-----\nMII\nExplain this.';
    assert.equal(maskPrivateKeys(`a ${one} b ${truncatedKey}`), 'a [redacted] b [redacted]');
  });

  it('ignores certificates, public keys, and text about private keys', () => {
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

  it(`masks all private keys in random text (seed ${seed})`, () => {
    const part = fc.constantFrom(
      '-----',
      'BEGIN ',
      'END ',
      'PRIVATE KEY',
      'a',
      ' b:',
      '\n',
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

const zen = serviceFor('zen') ?? assert.fail();
const bearer = { ...zen, authentication: { kind: 'apiKey', header: '' } } as const;

describe('secret masking', () => {
  const others = ['key-of-the-unit-tests-2', 'another-short-key'];
  const otherKeys = others.map((apiKey) => ({ service: ibm, apiKey }));
  const { fetch } = fakeNetwork(() => ({}));
  const start = () => clientOn({ fetch }, { credentials: { ...credentials, otherKeys } }).client;

  it('reports each kind of secret only once', async () => {
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

  it('masks secrets without changing the rest of the text', async () => {
    const client = start();
    await client.generateText('Hi', {});
    const code = 'api_key = "not-one-of-ours"; Authorization: Bearer abcdefgh12345';
    const text = `${code}\nA=${others[0]}\nB=${credentials.apiKey}\nC=token-of-the-unit-tests\n`;
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

  it("doesn't mistake the beginning of a token for a secret", () => {
    const token = `eyJraWQiOiIyMDI0${'x'.repeat(60)}`;
    const text = `${token.slice(0, 20)} of somebody else`;
    assert.equal(holdsSecret(text, [token]), false);
    assert.equal(maskSecrets(text, [token]), text);
  });

  it('E16: finds a URL-encoded or lowercase key in an address', () => {
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

  it('ignores keys with fewer than 8 characters', () => {
    for (const apiKey of ['a', 'test', '0123456']) {
      const { client } = clientOn({ fetch }, { credentials: { ...credentials, apiKey } });
      assert.deepEqual(client.secretKindsIn(`${apiKey} is a word: ${apiKey}`), []);
      assert.equal(client.mask(`a ${apiKey}`), `a ${apiKey}`);
    }
    const apiKey = '01234567';
    const { client } = clientOn({ fetch }, { credentials: { ...credentials, apiKey } });
    assert.deepEqual(client.secretKindsIn(`KEY=${apiKey}`), ['apiKey']);
    assert.equal(client.mask(`KEY=${apiKey}`), 'KEY=[redacted]');
  });

  it('finds and masks the value of each credential header', () => {
    /**
     * The values of all headers that contain a key or a value derived from it, unless the header
     * contains only the key. Empty for a method without such a header.
     */
    const headers: Readonly<
      Record<
        Authentication['kind'],
        readonly (readonly [service: Service, apiKey: string, header: string])[]
      >
    > = {
      clientCredentials: [
        [oauth, 'odd secret', `Basic ${btoa('a%3Aclient:odd+secret')}`],
        [oauth, 'sh', `Basic ${btoa('a%3Aclient:sh')}`],
      ],
      zenApiKey: [
        [zen, 'a-key-of-zen', 'ZenApiKey a-key-of-zen'],
        [zen, 'sk-1234', 'ZenApiKey sk-1234'],
      ],
      apiKey: [[bearer, 'sk-1234', 'Bearer sk-1234']],
      apiKeyGrant: [],
      cloudPak: [],
      none: [],
      command: [],
    };
    for (const [service, apiKey, header] of Object.values(headers).flat()) {
      const used = { ...credentials, service, account: 'a:client', apiKey };
      for (const inPrompt of [used, { ...credentials, otherKeys: [used] }]) {
        const { client } = clientOn({ fetch }, { credentials: inPrompt });
        assert.deepEqual(client.secretKindsIn(`Authorization: ${header}`), ['apiKey'], header);
        assert.equal(client.mask(`Authorization: ${header}`), 'Authorization: [redacted]');
      }
    }
  });

  it('finds and masks a key that is URL-encoded with lowercase hex digits', () => {
    const key = 'abcd/efgh=ijkl mnop';
    for (const text of ['abcd%2fefgh%3dijkl%20mnop', 'abcd%2fefgh%3dijkl+mnop']) {
      assert.equal(holdsSecret(text, [key]), true, text);
      assert.equal(maskSecrets(`k=${text}&`, [key]), 'k=[redacted]&');
    }
  });

  it('masks overlapping secrets completely', () => {
    const secrets = ['AAAAAAAABBBBBBBB', 'BBBBBBBBCCCCCCCC'];
    assert.equal(maskSecrets('a AAAAAAAABBBBBBBBCCCCCCCC b', secrets), 'a [redacted] b');
    assert.equal(maskSecrets('a ABABABAB b', ['ABABAB']), 'a [redacted] b');
    assert.equal(maskSecrets('a AAAAAAAABBBBBBBB', secrets), 'a [redacted]');
  });

  it('masks adjacent secrets separately', () => {
    const secrets = ['first-key', 'second-key'];
    assert.equal(maskSecrets('first-keysecond-key', secrets), '[redacted][redacted]');
  });

  it("doesn't mask “[redacted]” again if a secret is the word “redacted”", () => {
    const secrets = ['other-key-123456', 'redacted'];
    assert.equal(maskSecrets('redacted, other-key-123456', secrets), '[redacted], [redacted]');
  });

  it('ignores empty secrets and empty text', () => {
    assert.equal(maskSecrets('a text', ['']), 'a text');
    assert.equal(start().mask(''), '');
  });
});

describe('the service runtime', () => {
  const runtimeOn = (json: unknown) =>
    new ServiceRuntime({ http: { fetch: fakeNetwork(() => ({ json })).fetch } });

  it('E07: finds the value of a Basic `Authorization` header in text', async () => {
    const runtime = runtimeOn({ access_token: 'token-of-the-unit-tests', expires_in: 3_600 });
    const used = { ...credentials, service: oauth, account: 'client' };
    await runtime.tokenService(used).refresh(never);
    const basic = btoa(`client:${credentials.apiKey}`);
    assert.equal(runtime.leaksInto(`a ${basic} b`, [], 0), true);
    assert.equal(runtime.leaksInto('a b', [], 0), false);
    runtime.dispose();
  });

  it('E07: finds the Basic header values of accounts that share a key', async () => {
    const runtime = runtimeOn({ access_token: 'token-of-the-unit-tests', expires_in: 3_600 });
    const accounts = ['client', 'another-client'];
    for (const account of accounts) {
      await runtime.tokenService({ ...credentials, service: oauth, account }).refresh(never);
    }
    for (const account of accounts) {
      const basic = btoa(`${account}:${credentials.apiKey}`);
      assert.equal(runtime.leaksInto(`a ${basic} b`, [], 0), true, account);
    }
    runtime.dispose();
  });

  it('omits models whose labels contain the Basic header value of an unused service', async () => {
    const other = { service: oauth, account: 'client', apiKey: 'secret-of-the-client' };
    const basic = btoa(`${other.account}:${other.apiKey}`);
    const resources = ['m/free', basic].map((label) => ({ model_id: 'm/any', label }));
    const runtime = runtimeOn({ resources });
    const { service, serviceUrl } = credentials;
    const otherKeys = new Secret([other]);
    const from = { service, serviceUrl, operation: 'chat' as const, otherKeys };
    const { models } = await runtime.listModels(from, 'm/any', never);
    assert.deepEqual(
      models.map(({ label }) => label),
      ['m/free'],
    );
    runtime.dispose();
  });

  it('omits models whose labels contain the API key', async () => {
    const resources = ['m/free', credentials.apiKey].map((label) => ({ model_id: 'm/any', label }));
    const runtime = runtimeOn({ resources });
    const used = { ...credentials, service: zen };
    const { service, serviceUrl } = used;
    const from = { service, serviceUrl, operation: 'chat' as const };
    const { models } = await runtime.listModels(from, 'm/any', never, used);
    assert.deepEqual(
      models.map(({ label }) => label),
      ['m/free'],
    );
    runtime.dispose();
  });
});

describe('a failed request', () => {
  it('is reported without the host if the host contains the key in lowercase', async () => {
    const apiKey = 'Key-Of-The-Unit-Tests';
    const serviceUrl = `https://${apiKey}.example`;
    const approved = { ...credentials.approved, service: new URL(serviceUrl).origin };
    const { fetch, sent } = fakeNetwork(() => ({}));
    const used = { ...credentials, apiKey, serviceUrl, approved };
    const { client } = clientOn({ fetch }, { credentials: used });
    const { message, details } = await failureOf(client.generateText('Hi', {}));
    assert.equal(message, 'setting-holds-secret');
    assert.deepEqual(details, { attempts: 0 });
    assert.deepEqual(sent, []);
  });
});
