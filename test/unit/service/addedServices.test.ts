import assert from 'node:assert/strict';
import { parseDestination } from '../../../src/connection/approvedDestination.ts';
import { readServices, type ServiceIssue } from '../../../src/service/addedServices.ts';
import { authMethodOf } from '../../../src/service/auth/authMethods.ts';
import type { Authentication } from '../../../src/service/authentication.ts';
import { AUTH_INPUTS } from '../../../src/service/authInputs.ts';
import { services } from '../../../src/service/builtInServices.ts';
import { commandOf, headerSecretsOf, mayBeUnencrypted } from '../../../src/service/service.ts';
import { AUTH_FIELDS } from './authFields.ts';

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

const badHeader = (what: string, headers: unknown) => [what, { headers }, 'headers'] as const;

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}`);

describe('an added service', () => {
  it('is read together with the fields for its authentication method and API', () => {
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
    ['a built-in word', { word: 'ibm' }, 'word'],
    ['the reserved word Vendor', { word: 'Vendor' }, 'word'],
    ['a word that starts with a digit', { word: '1a' }, 'word'],
    ['a word with a space', { word: 'a b' }, 'word'],
    ['markup in its name', { name: '[x](command:y)' }, 'name'],
    ['no authentication method', { authentication: undefined }, 'authentication'],
    [
      'an unknown authentication method',
      { authentication: { kind: 'toString' } },
      'authentication',
    ],
    ['no token address', { authentication: { kind: 'clientCredentials' } }, 'tokenUrl'],
    [
      'a query in its token address',
      { authentication: { ...authentication, tokenUrl: `${authentication.tokenUrl}?a=b` } },
      'tokenUrl',
    ],
    [
      'a grant without a type',
      { authentication: { ...authentication, kind: 'apiKeyGrant' } },
      'grantType',
    ],
    [
      'a user name in its token address',
      { authentication: { ...authentication, tokenUrl: 'https://a.example@b.example/t' } },
      'tokenUrl',
    ],
    [
      'backslashes in its token address',
      { authentication: { ...authentication, tokenUrl: 'https:\\\\a.example/t' } },
      'tokenUrl',
    ],
    [
      'an unencrypted token address',
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
    ...['x-team ', '', 'Host', 'COOKIE', 'Authorization', 'Content-Length', 'Content-Type'].map(
      (name) => badHeader(`the fixed header “${name}”`, { [name]: 'a' }),
    ),
    ...['Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'].map((name) =>
      badHeader(`the hop-by-hop header ${name}`, { [name]: 'a' }),
    ),
    ...['Proxy-Authorization', 'Sec-Fetch-Mode', 'Accept', 'User-Agent', 'x:y', 'é', 'x\ny'].map(
      (name) => badHeader(`the fixed header ${JSON.stringify(name)}`, { [name]: 'a' }),
    ),
    badHeader('a line break in a header value', { 'X-Team': 'a\r\nX-Other: b' }),
    badHeader('a line break at the end of a header value', { 'X-Team': 'a\n' }),
    badHeader('a non-ASCII letter in a header value', { 'X-Team': 'Müller' }),
    badHeader('a space before a header value', { 'X-Team': ' a' }),
    badHeader('an empty header value', { 'X-Team': '' }),
    badHeader('a header value of 1,025 characters', { 'X-Team': 'a'.repeat(1_025) }),
    badHeader('a number as a header value', { 'X-Team': 7 }),
    badHeader('no label for a secret header', { 'X-Team': { secret: '' } }),
    badHeader('markup in the label of a secret header', { 'X-Team': { secret: '[x](y)' } }),
    badHeader('a label of 65 characters', { 'X-Team': { secret: 'a'.repeat(65) } }),
    badHeader('the same header twice', { 'X-Team': 'a', 'x-team': 'b' }),
    badHeader('21 headers', Object.fromEntries(numbered(21).map((name) => [name, 'a']))),
    badHeader('a list as headers', [['X-Team', 'a']]),
    badHeader('a string as headers', 'X-Team: a'),
    badHeader('null as headers', null),
    [
      'a fixed header that is also the key header',
      { authentication: { kind: 'apiKey', header: 'API-Key' }, headers: { 'api-key': 'a' } },
      'headers',
    ],
    ...[
      undefined,
      'az account get-access-token',
      [],
      [''],
      [' ', 'a'],
      ['az', 7],
      ['az', 'a\nb'],
      ['az', '\0'],
      ['az', 'a'.repeat(1_001)],
      Array.from({ length: 51 }, () => 'a'),
      { 0: 'az', length: 1 },
    ].map(
      (command) =>
        [
          `the command ${JSON.stringify(command)?.slice(0, 40)}`,
          { authentication: { kind: 'command', command } },
          'command',
        ] as const,
    ),
    ...[
      'https://user:secret@llm.acme.example',
      'https://user@llm.acme.example',
      'https://llm.acme.example/v1?key=a',
      'https://llm.acme.example/v1#a',
      'https://llm.acme.example/a/../b',
      'https://llm.acme.example/%2e%2e/b',
      'ftp://llm.acme.example',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'llm.acme.example',
    ].map((url) => [`the address ${url}`, { url }, 'url'] as const),
    ['an alias as its word', { word: 'watsonx' }, 'word'],
    ["a prefix that isn't a path", { prefix: 'v1' }, 'prefix'],
    ['a prefix with dot segments', { prefix: '/v1/../x' }, 'prefix'],
    ['an unknown API', { api: 'constructor' }, 'api'],
    ['an empty default model', { defaultModel: '' }, 'defaultModel'],
    ['F06: a link as the default model', { defaultModel: '[x](command:y)' }, 'defaultModel'],
    [
      'neither a default model nor listed models',
      { defaultModel: undefined, models: [] },
      'defaultModel',
    ],
    ['an unencrypted key page', { keyPage: 'http://a.example' }, 'keyPage'],
  ] as const satisfies readonly (readonly [string, object, ServiceIssue['field']])[]) {
    const [, id = '', flaw = what] = /^([A-M]\d\d: )?(.*)$/s.exec(what) ?? [];
    it(`${id}is rejected if it has ${flaw}`, () => {
      const { own, issues } = readServices([{ ...entry, ...changes }]);
      assert.deepEqual([own.length, issues.map((issue) => issue.field)], [0, [field]]);
    });
  }

  for (const [kind, { hasAddress, required, read }] of Object.entries(AUTH_INPUTS)) {
    const fields = AUTH_FIELDS[kind as Authentication['kind']];
    const fieldOf = (used: object) => {
      const { issues } = readServices([{ ...entry, authentication: { kind, ...used } }]);
      return issues[0]?.field;
    };

    it(`can have any of the fields of ${kind}, and must have the required ones`, () => {
      const textFields = new Set<string>();
      const text = (field: string) => {
        textFields.add(field);
        return '';
      };
      read('', text, []);
      for (const field of textFields) {
        assert.ok(Object.hasOwn(fields, field), `add ${field} to AUTH_FIELDS.${kind}`);
      }
      assert.equal(fieldOf(fields), undefined);
      for (const field of [required, hasAddress && 'tokenUrl']) {
        if (field) assert.equal(fieldOf({ ...fields, [field]: undefined }), field);
      }
    });

    it(`can't set the authentication header as a fixed header: ${kind}`, () => {
      const own = { ...entry, authentication: { kind, ...fields } };
      const [service = assert.fail('invalid fields')] = readServices([own]).own;
      const { header = 'Authorization' } = authMethodOf(service);
      const { issues } = readServices([{ ...own, headers: { [header]: 'a' } }]);
      const what = `pass the header of ${kind} to headersIn`;
      assert.equal(issues[0]?.field, 'headers', what);
    });
  }

  it('can list 200 models, and uses the first one by default', () => {
    const full = {
      ...{ id: 'team/one:1', name: 'Größe 1 (EU)', context: 8_192, output: 512 },
      ...{ tools: true, images: false },
    };
    const models = [{ ...full, another: 'field' }, { id: 'two' }];
    const read = (changes: object) => readServices([{ ...entry, models, ...changes }]).own[0];
    assert.deepEqual(read({})?.models[0], full);
    assert.deepEqual(read({})?.models[1]?.id, 'two');
    assert.equal(read({})?.defaultModelId, 'm');
    assert.equal(read({ defaultModel: undefined })?.defaultModelId, 'team/one:1');
    assert.deepEqual(read({ models: undefined })?.models, []);
    const many = Array.from({ length: 200 }, (_, index) => ({ id: `m${index}` }));
    assert.equal(read({ models: many })?.models.length, 200);
  });

  const manyModels = Array.from({ length: 201 }, (_, index) => ({ id: `m${index}` }));
  for (const [what, models] of [
    ['not a list', { id: 'a' }],
    ['null', null],
    ['201 models', manyModels],
    ['a model listed twice', [{ id: 'a' }, { id: 'a' }]],
    ['an ID instead of an object', ['a']],
    ['no ID', [{ name: 'a' }]],
    ['an ID of 10 KB', [{ id: 'x'.repeat(10_240) }]],
    ['a link as an ID', [{ id: 'https://a.example' }]],
    ['markup in an ID', [{ id: '[x](command:y)' }]],
    ['markup in a name', [{ id: 'a', name: '[x](command:y)' }]],
    ['emphasis in a name', [{ id: 'a', name: '**a**' }]],
    ['an empty name', [{ id: 'a', name: '' }]],
    ['a number as a name', [{ id: 'a', name: 7 }]],
    ['zero tokens', [{ id: 'a', context: 0 }]],
    ['negative tokens', [{ id: 'a', output: -1 }]],
    ['half a token', [{ id: 'a', context: 0.5 }]],
    ['tokens as a string', [{ id: 'a', context: '8192' }]],
    ['more tokens than can be counted', [{ id: 'a', output: 1e300 }]],
    ['a string for a boolean', [{ id: 'a', tools: 'yes' }]],
    ['null for a boolean', [{ id: 'a', images: null }]],
  ] as const) {
    it(`is rejected if its models are invalid: ${what}`, () => {
      const { own, issues } = readServices([{ ...entry, models }]);
      assert.deepEqual([own.length, issues.map(({ field }) => field)], [0, ['models']]);
    });
  }

  it('can have a custom header for its key', () => {
    for (const header of ['', 'api-key', 'x-api-key', 'Ocp-Apim-Subscription-Key']) {
      const { own } = readServices([{ ...entry, authentication: { kind: 'apiKey', header } }]);
      const [service] = own;
      assert.deepEqual(
        [service?.authentication, service?.authUrl],
        [{ kind: 'apiKey', header }, ''],
      );
    }
  });

  it('can have 20 headers, including one with a secret value', () => {
    const headers = Object.fromEntries(numbered(19).map((name) => [name, 'a b=c; d']));
    const all = { ...headers, 'Ocp-Apim-Trace': { secret: 'trace key' } };
    const { own, issues } = readServices([{ ...entry, headers: all }]);
    assert.deepEqual(issues, []);
    assert.equal(own[0]?.headers.length, 20);
    assert.deepEqual(own[0]?.headers.at(-1), { name: 'Ocp-Apim-Trace', secret: 'trace key' });
    assert.deepEqual(own[0] && headerSecretsOf(own[0]), ['trace key']);
    assert.deepEqual(readServices([entry]).own[0]?.headers, []);
  });

  it('can have a command with 50 parts', () => {
    const command = ['C:\\Program Files\\az.cmd', ...Array.from({ length: 49 }, () => 'a "b" $c')];
    const { own } = readServices([{ ...entry, authentication: { kind: 'command', command } }]);
    assert.deepEqual(own[0] && commandOf(own[0]), command);
  });

  it('has the endpoint path removed from its address', () => {
    for (const [url, wanted] of [
      ['https://llm.acme.example/v1/', 'https://llm.acme.example/v1'],
      ['https://llm.acme.example/v1/chat/completions', 'https://llm.acme.example/v1'],
      [undefined, ''],
    ]) {
      assert.equal(readServices([{ ...entry, url }]).own[0]?.url, wanted);
    }
  });

  const plain = 'http://llm.acme.example:8080/v1';
  /** False for a method that exchanges a secret for a token at the service's own address. */
  const unencrypted: Readonly<
    Record<Authentication['kind'], readonly [what: string, isAllowed: boolean]>
  > = {
    none: ['no key', true],
    apiKey: ['an API key', true],
    zenApiKey: ['a Zen API key', true],
    command: ['a command', true],
    clientCredentials: ['client credentials at another address', true],
    apiKeyGrant: ['a grant at another address', true],
    cloudPak: ['an identity service at the same address', false],
  };
  for (const [kind, [what, isAllowed]] of Object.entries(unencrypted)) {
    const own = { kind, ...AUTH_FIELDS[kind as Authentication['kind']] };
    it(`${isAllowed ? 'can' : "can't"} have a remote http address with ${what}`, () => {
      const { own: found, issues } = readServices([{ ...entry, authentication: own, url: plain }]);
      const [service] = found;
      assert.equal(service?.url, isAllowed ? plain : undefined);
      assert.deepEqual(
        issues.map(({ field }) => field),
        isAllowed ? [] : ['url'],
      );
      assert.ok(!service || mayBeUnencrypted(service));
      // The identity service always needs an HTTPS address.
      const identity = service && parseDestination('http://login.acme.example', plain, service);
      if (service?.authUrl) assert.ok(identity && 'setting' in identity);
    });
  }

  it('can have a name with non-ASCII letters', () => {
    assert.equal(readServices([{ ...entry, name: "Müller & Söhne's" }]).own.length, 1);
  });

  it('is read only once if its entry is repeated', () => {
    const { own, issues } = readServices([entry, entry, null, 7, 'x', []]);
    assert.equal(own.length, 1);
    assert.equal(issues.length, 5);
  });

  it('has a different definition after its entry changes', () => {
    const of = (changes: object) => readServices([{ ...entry, ...changes }]).own[0]?.definition;
    assert.equal(of({}), of({}));
    assert.notEqual(of({}), of({ authentication: { ...authentication, scope: 'x' } }));
  });
});

describe('a built-in service', () => {
  it("can't have a remote http address", () => {
    for (const service of services) {
      assert.equal(mayBeUnencrypted(service), false, service.word);
      const found = parseDestination(service.authUrl, 'http://llm.acme.example:8080/v1', service);
      assert.ok('problem' in found && found.problem === 'not-https');
    }
  });
});
