import assert from 'node:assert/strict';
import { readVendors, type VendorIssue } from '../../../src/service/addedServices.ts';

const way = { kind: 'clientCredentials', tokenUrl: 'https://login.acme.example/oauth2/token' };
const entry = { word: 'ACME', name: 'ACME gateway', way, dialect: 'openAi', defaultModel: 'm' };

describe('a service of one’s own', () => {
  it('is an entry with its way, its dialect and their data', () => {
    const full = { ...way, scope: 'a b', audience: 'c', authentication: 'client_secret_post' };
    const { own, issues } = readVendors([{ ...entry, way: full, prefix: '/v1' }]);
    const [vendor] = own;
    assert.deepEqual(issues, []);
    assert.ok(vendor);
    const { word, name, authUrl, defaultModelId, dialect } = vendor;
    assert.deepEqual(
      { word, name, authUrl, defaultModelId, dialect, way: vendor.way },
      {
        ...{ word: 'acme', name: 'ACME gateway', defaultModelId: 'm' },
        authUrl: 'https://login.acme.example',
        dialect: { kind: 'openAi', prefix: '/v1' },
        way: {
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
    ['no way', { way: undefined }, 'way'],
    ['a way of its own', { way: { kind: 'toString' } }, 'way'],
    ['no token address', { way: { kind: 'clientCredentials' } }, 'tokenUrl'],
    ['a query', { way: { ...way, tokenUrl: `${way.tokenUrl}?a=b` } }, 'tokenUrl'],
    ['a grant without its type', { way: { ...way, kind: 'apiKeyGrant' } }, 'grantType'],
    [
      'a user in its address',
      { way: { ...way, tokenUrl: 'https://a.example@b.example/t' } },
      'tokenUrl',
    ],
    [
      'an address to be repaired',
      { way: { ...way, tokenUrl: 'https:\\\\a.example/t' } },
      'tokenUrl',
    ],
    ['an unencrypted address', { way: { ...way, tokenUrl: 'http://a.example/t' } }, 'tokenUrl'],
    ['the word of an alias', { word: 'watsonx' }, 'word'],
    ['a prefix that is no path', { prefix: 'v1' }, 'prefix'],
    ['a prefix that leads elsewhere', { prefix: '/v1/../x' }, 'prefix'],
    ['another dialect', { dialect: 'constructor' }, 'dialect'],
    ['no model', { defaultModel: '' }, 'defaultModel'],
    ['a page without encryption', { keyPage: 'http://a.example' }, 'keyPage'],
  ] as const satisfies readonly (readonly [string, object, VendorIssue['field']])[]) {
    it(`is not used with ${what}, and which field it is, is known`, () => {
      const { own, issues } = readVendors([{ ...entry, ...changes }]);
      assert.deepEqual([own.length, issues.map((issue) => issue.field)], [0, [field]]);
    });
  }

  it('has a name in any script', () => {
    assert.equal(readVendors([{ ...entry, name: "Müller & Söhne's" }]).own.length, 1);
  });

  it('is one of few: many take no time', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ ...entry, word: `a${index}` }));
    assert.equal(readVendors(many).own.length, 50);
  });

  it('is not used twice, and nonsense is none', () => {
    const { own, issues } = readVendors([entry, entry, null, 7, 'x', []]);
    assert.equal(own.length, 1);
    assert.equal(issues.length, 5);
  });

  it('is another one once anything of its entry has changed', () => {
    const of = (changes: object) => readVendors([{ ...entry, ...changes }]).own[0]?.definition;
    assert.equal(of({}), of({}));
    assert.notEqual(of({}), of({ way: { ...way, scope: 'x' } }));
  });
});
