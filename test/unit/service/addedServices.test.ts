import assert from 'node:assert/strict';
import { readServices, type ServiceIssue } from '../../../src/service/addedServices.ts';

const authentication = {
  kind: 'clientCredentials',
  tokenUrl: 'https://login.acme.example/oauth2/token',
};
const entry = {
  word: 'ACME',
  name: 'ACME gateway',
  authentication,
  api: 'openai',
  defaultModel: 'm',
};

describe('a service of one’s own', () => {
  it('is an entry with its authentication method, its API and their data', () => {
    const full = {
      ...authentication,
      scope: 'a b',
      audience: 'c',
      clientAuthentication: 'client_secret_post',
    };
    const { own, issues } = readServices([{ ...entry, authentication: full, prefix: '/v1' }]);
    const [service] = own;
    assert.deepEqual(issues, []);
    assert.ok(service);
    const { word, name, authUrl, defaultModelId, api } = service;
    assert.deepEqual(
      { word, name, authUrl, defaultModelId, api, authentication: service.authentication },
      {
        ...{ word: 'acme', name: 'ACME gateway', defaultModelId: 'm' },
        authUrl: 'https://login.acme.example',
        api: { kind: 'openai', prefix: '/v1' },
        authentication: {
          ...{ kind: 'clientCredentials', path: '/oauth2/token', inBody: true },
          ...{ scope: 'a b', audience: 'c' },
        },
      },
    );
  });

  for (const [what, changes, field] of [
    ['no word', { word: undefined }, 'word'],
    ['a word that is built in', { word: 'ibm' }, 'word'],
    ['the neutral word', { word: 'Vendor' }, 'word'],
    ['a word that no name can begin with', { word: '1a' }, 'word'],
    ['a word of blanks', { word: 'a b' }, 'word'],
    ['markup in its name', { name: '[x](command:y)' }, 'name'],
    ['no authentication method', { authentication: undefined }, 'authentication'],
    [
      'an unknown authentication method',
      { authentication: { kind: 'toString' } },
      'authentication',
    ],
    ['no token address', { authentication: { kind: 'clientCredentials' } }, 'tokenUrl'],
    [
      'a query',
      { authentication: { ...authentication, tokenUrl: `${authentication.tokenUrl}?a=b` } },
      'tokenUrl',
    ],
    [
      'a grant without its type',
      { authentication: { ...authentication, kind: 'apiKeyGrant' } },
      'grantType',
    ],
    [
      'a user in its address',
      { authentication: { ...authentication, tokenUrl: 'https://a.example@b.example/t' } },
      'tokenUrl',
    ],
    [
      'an address to be repaired',
      { authentication: { ...authentication, tokenUrl: 'https:\\\\a.example/t' } },
      'tokenUrl',
    ],
    [
      'an unencrypted address',
      { authentication: { ...authentication, tokenUrl: 'http://a.example/t' } },
      'tokenUrl',
    ],
    ...['Host', 'cookie', 'Authorization', 'content-type', 'Proxy-Authorization', 'a:b', 'a b'].map(
      (header) =>
        [
          `the header ${header} for its key`,
          { authentication: { kind: 'apiKey', header } },
          'header',
        ] as const,
    ),
    ['the word of an alias', { word: 'watsonx' }, 'word'],
    ['a prefix that is no path', { prefix: 'v1' }, 'prefix'],
    ['a prefix that leads elsewhere', { prefix: '/v1/../x' }, 'prefix'],
    ['another API', { api: 'constructor' }, 'api'],
    ['no model', { defaultModel: '' }, 'defaultModel'],
    ['a page without encryption', { keyPage: 'http://a.example' }, 'keyPage'],
  ] as const satisfies readonly (readonly [string, object, ServiceIssue['field']])[]) {
    it(`is not used with ${what}, and which field it is, is known`, () => {
      const { own, issues } = readServices([{ ...entry, ...changes }]);
      assert.deepEqual([own.length, issues.map((issue) => issue.field)], [0, [field]]);
    });
  }

  it('may have its key in a header of its own, and needs no token address for that', () => {
    for (const header of ['', 'api-key', 'x-api-key', 'Ocp-Apim-Subscription-Key']) {
      const { own } = readServices([{ ...entry, authentication: { kind: 'apiKey', header } }]);
      const [service] = own;
      assert.deepEqual(
        [service?.authentication, service?.authUrl],
        [{ kind: 'apiKey', header }, ''],
      );
    }
  });

  it('has a name in any script', () => {
    assert.equal(readServices([{ ...entry, name: "Müller & Söhne's" }]).own.length, 1);
  });

  it('is one of few: many take no time', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ ...entry, word: `a${index}` }));
    assert.equal(readServices(many).own.length, 50);
  });

  it('is not used twice, and nonsense is none', () => {
    const { own, issues } = readServices([entry, entry, null, 7, 'x', []]);
    assert.equal(own.length, 1);
    assert.equal(issues.length, 5);
  });

  it('is another one once anything of its entry has changed', () => {
    const of = (changes: object) => readServices([{ ...entry, ...changes }]).own[0]?.definition;
    assert.equal(of({}), of({}));
    assert.notEqual(of({}), of({ authentication: { ...authentication, scope: 'x' } }));
  });
});
