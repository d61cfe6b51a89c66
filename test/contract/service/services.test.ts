import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readServices } from '../../../src/service/addedServices.ts';
import type { Conversation } from '../../../src/service/api/conversation.ts';
import { APIS, type ResourceKind } from '../../../src/service/apiCapabilities.ts';
import { fetchToken } from '../../../src/service/auth/identityService.ts';
import { secretsOf } from '../../../src/service/auth/keySecrets.ts';
import type { Authentication } from '../../../src/service/authentication.ts';
import { AUTH_INPUTS } from '../../../src/service/authInputs.ts';
import { serviceFor, services } from '../../../src/service/builtInServices.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import type { ErrorKind } from '../../../src/service/errors.ts';
import type { Service } from '../../../src/service/service.ts';
import { oauthPath, platformPath } from '../../emulator/otherAuthMethods.ts';
import { defaultAccount, defaultApiKey, type EmulatorSettings } from '../../emulator/settings.ts';
import { fullOrShort } from '../../soak/fullOrShort.ts';
import { isQuoted, markdownOf, printTable, type Table } from '../../table.ts';
import { deletePrograms, makeTokenProgram } from './tokenProgram.ts';
import {
  endWorlds,
  failureOf,
  kindOf,
  SetClock,
  startWorld,
  tokenPath,
  type World,
} from './world.ts';

/** Tests each authentication method with each API against an emulated service. */

const never = new AbortController().signal;
const secret = `${defaultApiKey}+/%`;
/** The value of a secret header. */
const teamKey = 'C4nary-team-key_0123456789';
const MINUTE = 60_000;
const oauth = { scope: 'models read', audience: 'https://gw.example' };

interface AuthCase {
  /**
   * The header that contains the key, if the service expects the key instead of a token. If the
   * header contains another value, add an emulator setting, and check the value in `keyIn`.
   */
  readonly keyHeader?: string;
  readonly authentication: Readonly<Record<string, string>>;
  /**
   * The path of the token endpoint. Undefined if there's no exchange. The emulator supports the
   * paths in `answersByPath` (`test/emulator/otherAuthMethods.ts`).
   */
  readonly path: string | undefined;
  /** True if the user doesn't enter a key. */
  readonly hasNoKey?: true;
  /**
   * The failure kind when the key is rejected, whether the extension or the program sends the key.
   * Defaults to `key-rejected`.
   */
  readonly rejection?: ErrorKind;
  readonly emulator?: Partial<EmulatorSettings>;
}

const clientAuth = {
  kind: 'clientCredentials',
  tokenUrl: `https://a.example${oauthPath}`,
  ...oauth,
};
/** The cases for each authentication method, keyed by the titles that docs/services.md shows. */
const casesByMethod: Readonly<Record<Authentication['kind'], Readonly<Record<string, AuthCase>>>> =
  {
    apiKeyGrant: {
      'API key': {
        authentication: {
          kind: 'apiKeyGrant',
          tokenUrl: `https://a.example${tokenPath}`,
          grantType: 'urn:ibm:params:oauth:grant-type:apikey',
        },
        path: tokenPath,
      },
    },
    clientCredentials: {
      'client credentials, basic': { authentication: clientAuth, path: oauthPath },
      'client credentials, post': {
        authentication: { ...clientAuth, clientAuthentication: 'client_secret_post' },
        path: oauthPath,
      },
    },
    cloudPak: {
      'Cloud Pak for Data': { authentication: { kind: 'cloudPak' }, path: platformPath },
    },
    zenApiKey: {
      'Zen API key': { authentication: { kind: 'zenApiKey' }, path: undefined },
    },
    apiKey: {
      'bearer key': {
        ...{ authentication: { kind: 'apiKey' }, path: undefined },
        keyHeader: 'authorization',
      },
      'key in a header': {
        ...{ authentication: { kind: 'apiKey', header: 'API-Key' }, path: undefined },
        keyHeader: 'api-key',
      },
    },
    none: {
      'no key': {
        ...{ authentication: { kind: 'none' }, path: undefined, hasNoKey: true },
        emulator: { isOpen: true },
      },
    },
    command: {
      command: {
        ...{ authentication: { kind: 'command' }, path: tokenPath, hasNoKey: true },
        rejection: 'command-failed',
      },
    },
  };
const authCases: Readonly<Record<string, AuthCase>> = Object.fromEntries(
  Object.values(casesByMethod).flatMap((cases) => Object.entries(cases)),
);

interface ApiCase {
  readonly api: keyof typeof APIS;
  readonly prefix?: string;
  readonly resource?: ResourceKind;
  readonly projectId: string;
  readonly path: string;
}

const apis: Readonly<Record<string, ApiCase>> = {
  'watsonx, project': { api: 'watsonx', projectId: 'emulator-project', path: '/ml/v1/text/' },
  'watsonx, space': {
    ...{ api: 'watsonx', resource: 'space', projectId: 'emulator-space' },
    path: '/ml/v1/text/',
  },
  'watsonx, deployment': {
    ...{ api: 'watsonx', resource: 'deployment', projectId: 'emulator/deployment' },
    path: '/ml/v1/deployments/emulator%2Fdeployment/text/',
  },
  'chat completions': {
    ...{ api: 'openai', prefix: '/v1', projectId: '' },
    path: '/v1/chat/completions',
  },
};

const conversationWith = (text: string, more: Conversation['messages'] = []): Conversation => ({
  messages: [
    { role: 'system', content: [{ text: 'Be brief.' }] },
    { role: 'user', content: [{ text }] },
    ...more,
  ],
  tools: [{ name: 'read', description: 'Reads.', inputSchema: undefined }],
  toolChoice: 'auto',
});

/** Creates a service. `command` is added to its authentication, and `headers` to its entry. */
function serviceOf(
  { authentication }: AuthCase,
  { api, prefix = '' }: ApiCase,
  { command, headers }: { readonly command?: readonly string[]; readonly headers?: object } = {},
): Service {
  const entry = {
    word: 'acme',
    authentication: { ...authentication, command },
    headers,
    api,
    prefix,
    defaultModel: 'ibm/granite-4-h-small',
  };
  const { own, issues } = readServices([entry]);
  assert.deepEqual(issues, []);
  assert.ok(own[0]);
  return own[0];
}

interface MethodWorld extends World {
  readonly clock: SetClock;
  /**
   * Returns the number of token requests or, for a token command, the number of times it has run.
   */
  readonly tokenCount: () => number;
}

async function startOf(
  authentication: AuthCase,
  api: ApiCase,
  emulator: Partial<EmulatorSettings> = {},
): Promise<MethodWorld> {
  const { projectId, resource } = api;
  const { keyHeader = '', path, hasNoKey } = authentication;
  const clock = new SetClock();
  const program = makeTokenProgram();
  const isCommand = authentication.authentication['kind'] === 'command';
  const credentials = (url: string): Partial<Credentials> => ({
    service: serviceOf(authentication, api, {
      ...(isCommand && { command: program.command(url, secret) }),
      headers: { 'X-Team': { secret: 'team key' } },
    }),
    headerSecrets: { 'team key': teamKey },
    ...(isCommand && { program: process.execPath }),
    ...{ account: defaultAccount, apiKey: hasNoKey ? '' : secret, projectId, resource },
  });
  const limits = { limit: 8, queue: 1_000 };
  const known = { apiKeys: [secret], oauth, keyHeader, ...authentication.emulator, ...emulator };
  const demandedHeaders = { 'x-team': teamKey };
  const world = await startWorld({
    ...{ clock, credentials, limits },
    emulator: { now: clock.now, demandedHeaders, ...known },
  });
  const requests = () => (path ? world.emulator.count(path) : 0);
  return { ...world, clock, tokenCount: isCommand ? program.runs : requests };
}

/** Ends all of a test's worlds, and deletes its programs. Call this function in `afterEach`. */
async function endAll(): Promise<void> {
  await endWorlds();
  deletePrograms();
}

/** Returns the time from the start of the test to the token's expiration, in milliseconds. */
function lifeOf({ tokenService: { state } }: World): number {
  assert.ok(state.kind === 'valid');
  return state.expiresAt - new SetClock().now();
}

const CASES = [
  'Text',
  'Stream',
  'Tool loop',
  'Token revoked',
  '401',
  '403',
  'Credentials revoked',
] as const;
type Outcomes = { readonly [Case in (typeof CASES)[number]]?: string };
/** Short runs make only 100 calls per method, because 1,000 calls per method take ten seconds. */
const CALLS = fullOrShort(1_000, 100);
const SEPARATOR = ' in ';
const API_NAMES = new Intl.ListFormat('en').format(
  Object.keys(apis).map((name) => name.replace(', ', ' with a ')),
);
/** Shown if the outcomes no longer match the table in docs/services.md. */
const UPDATE_FIGURES = `The outcomes have changed. To update the figures in the docs, run:
HOSTED_MODEL_FIGURES=1 npm run test:services
HOSTED_MODEL_FIGURES=1 npx mocha --exit test/contract/leaks/methods.test.ts
npm run pages`;
const COMBINATIONS = Object.keys(authCases).length * Object.keys(apis).length;

/** Returns the table of all outcomes. APIs with the same outcomes share a row. */
function tableOf(found: ReadonlyMap<string, Outcomes>): Table {
  const rows = Object.keys(authCases).flatMap((method) => {
    const ofMethod = [...found].filter(([key]) => key.startsWith(`${method}${SEPARATOR}`));
    const texts = ofMethod.map(([key, outcomes]) => ({
      api: key.slice(method.length + SEPARATOR.length),
      outcomes: CASES.map((one) => outcomes[one] ?? ''),
    }));
    const groups = Map.groupBy(texts, ({ outcomes }) => outcomes.join('|'));
    return [...groups.values()].map((group) => {
      const names = group.map(({ api }) => api);
      const which = names.length === Object.keys(apis).length ? 'all' : names.join('; ');
      return [method, which, ...(group[0]?.outcomes ?? [])];
    });
  });
  return {
    figure: 'services',
    title: `Each authentication method is tested against ${API_NAMES}. That makes ${found.size} combinations.`,
    heads: ['Authentication method', 'API', ...CASES],
    rows,
  };
}

/**
 * The emulator's settings for each built-in service. Take paths and other values from the service's
 * documentation, because the test compares them with `builtInServices.ts`. For a key without an
 * exchange, set `keyHeader`.
 */
const documented: Readonly<Record<string, Partial<EmulatorSettings>>> = {
  ibm: {},
  ibm_gateway: { openaiPrefix: '/ml/gateway/v1' },
  cpd: {},
  zen: {},
};

describe('each built-in service', () => {
  afterEach(endWorlds);

  for (const service of services) {
    it(`generates text with its own authentication and API: ${service.word}`, async () => {
      const { generate } = await startWorld({
        credentials: { service, account: defaultAccount },
        emulator: documented[service.word] ?? assert.fail('add the service to `documented`'),
      });
      assert.match((await generate()).text, /Hello/);
    });
  }
});

describe('a connection with', () => {
  const found = new Map<string, Outcomes>();
  const note = (method: string, api: string, outcomes: Outcomes) => {
    const key = [method, api].join(SEPARATOR);
    found.set(key, { ...found.get(key), ...outcomes });
  };
  afterEach(endAll);
  after(() => {
    const table = tableOf(found);
    printTable(table);
    const isWhole = [...found.values()].every((one) => Object.keys(one).length === CASES.length);
    if (isQuoted || found.size < COMBINATIONS || !isWhole) return;
    assert.equal(
      readFileSync('test/figures/services.md', 'utf8'),
      `${markdownOf(table)}\n`,
      UPDATE_FIGURES,
    );
  });

  for (const [methodName, authentication] of Object.entries(authCases)) {
    const { rejection = 'key-rejected' } = authentication;
    for (const [apiName, api] of Object.entries(apis)) {
      it(`“${methodName}” and “${apiName}” generates and streams text, even with tools and after tokens are revoked`, async () => {
        const world = await startOf(authentication, api);
        const { emulator, client, clock, tokenCount } = world;
        const whole = await world.generate();
        let streamed = '';
        const { usage } = await world.generate({ onText: (text) => (streamed += text) });
        assert.match(whole.text, /Hello/);
        assert.equal(streamed, whole.text);
        assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0, 'usage of a stream');

        emulator.settings.step = ({ messages }) =>
          JSON.stringify(messages).includes('"tool"')
            ? { text: 'It says 42.' }
            : { reasoning: 'Hm.', toolCalls: [{ name: 'read', arguments: '{"path":"a"}' }] };
        const onText = () => {};
        let reasoning = '';
        const onReasoning = (text: string) => (reasoning += text);
        const asked = await client.chat(
          conversationWith('What is in a?'),
          {},
          { signal: never, onText, onReasoning },
        );
        assert.equal(reasoning, 'Hm.');
        const [call] = asked.toolCalls;
        assert.ok(call);
        assert.deepEqual([call.name, call.arguments], ['read', '{"path":"a"}']);
        const more = [
          { role: 'assistant', text: '', toolCalls: asked.toolCalls },
          { role: 'tool', callId: call.id, text: '42' },
        ] as const;
        const ended = await client.chat(
          conversationWith('What is in a?', more),
          {},
          { signal: never, onText },
        );
        assert.equal(ended.text, 'It says 42.');
        assert.equal(tokenCount(), authentication.path ? 1 : 0);

        clock.pass(MINUTE);
        emulator.revokeTokens();
        assert.match((await world.generate()).text, /Hello/);
        assert.equal(tokenCount(), authentication.path ? 2 : 0);
        for (const { path } of emulator.requests.slice(-1)) assert.ok(path.startsWith(api.path));
        const renewed = authentication.path ? 'new token' : 'no token';
        const outcomes = { Text: 'yes', Stream: 'yes', 'Tool loop': 'yes' };
        note(methodName, apiName, { ...outcomes, 'Token revoked': renewed });
      });

      it(`“${methodName}” and “${apiName}” reports a 401, a 403, and revoked credentials`, async () => {
        const world = await startOf(authentication, api);
        const { emulator, clock, tokenCount } = world;
        await world.generate();
        const failing = async () => {
          clock.pass(MINUTE);
          const before = tokenCount();
          const kind = await kindOf(world.generate());
          const isRenewed = tokenCount() > before && kind !== rejection;
          const text = kind.replaceAll('-', ' ');
          return { kind, isRenewed, text: isRenewed ? `${text}, even with a new token` : text };
        };
        const failingWith = async (status: number, code: string) => {
          const json = { errors: [{ code, message: '' }], error: { code, message: '' } };
          const isInference = ({ path }: { readonly path: string }) => path.startsWith(api.path);
          const stop = emulator.faults.always(isInference, { status, json });
          const end = await failing();
          stop();
          return end;
        };
        const isCommand = methodName === 'command';
        const unauthorized = await failingWith(401, 'no_code_of_ours');
        assert.equal(unauthorized.isRenewed, authentication.path !== undefined);
        assert.equal(unauthorized.kind, authentication.path ? 'unauthorized' : 'key-rejected');
        const forbidden = await failingWith(403, 'authorization_rejected');
        assert.deepEqual([forbidden.kind, forbidden.isRenewed], ['forbidden', isCommand]);
        note(methodName, apiName, {
          401: unauthorized.text,
          403: forbidden.text,
          'Credentials revoked': '–',
        });
        if (authentication.emulator?.isOpen) return;
        emulator.settings.apiKeys = [];
        emulator.revokeTokens('not valid');
        const revoked = await failing();
        assert.equal(revoked.kind, rejection);
        note(methodName, apiName, { 'Credentials revoked': revoked.text });
      });

      it(`“${methodName}” and “${apiName}” checks access without generating text`, async () => {
        const world = await startOf(authentication, api);
        await world.client.checkAccess(never);
        const bodies = world.emulator.requests.map(({ text }) => text);
        assert.ok(!bodies.some((body) => /"messages":\[\{|generation/.test(body)));
        world.emulator.settings.apiKeys = [];
        if (authentication.emulator?.isOpen) return;
        const other = await startOf(authentication, api, { apiKeys: ['another-key'] });
        assert.equal(await kindOf(other.client.checkAccess(never)), rejection);
      });
    }
  }
});

describe(`${CALLS.toLocaleString('en')} parallel calls`, () => {
  const rows: (readonly (string | number)[])[] = [];
  afterEach(endAll);
  after(() => {
    printTable({
      figure: 'parallelCalls',
      title: `The tests send ${CALLS.toLocaleString('en')} parallel calls in each of three cases: there's no token yet, the service has just revoked the token, and the first token request fails. For each case, a column shows how many token requests were sent, or how many times the command ran.`,
      heads: [
        'Authentication method',
        'No token',
        'Token revoked',
        'Request fails once',
        'Failed calls',
      ],
      rows,
    });
  });
  const all = async (world: World) => {
    const calls = Array.from({ length: CALLS }, () => world.generate());
    const ends = await Promise.allSettled(calls);
    return ends.filter(({ status }) => status === 'rejected').length;
  };

  for (const [name, authentication] of Object.entries(authCases)) {
    const { path } = authentication;
    if (path === undefined) continue;
    it(`with “${name}” make 1 token request, and 1 more after a revocation or a 503`, async () => {
      const api = apis['watsonx, project'] as ApiCase;
      const world = await startOf(authentication, api);
      const failed = [await all(world)];
      const cold = world.tokenCount();
      world.clock.pass(MINUTE);
      world.emulator.revokeTokens();
      failed.push(await all(world));
      const revoked = world.tokenCount() - cold;
      const other = await startOf(authentication, api);
      other.emulator.faults.next(path, { status: 503 });
      failed.push(await all(other));
      rows.push([name, cold, revoked, other.tokenCount(), failed.reduce((sum, one) => sum + one)]);
      assert.deepEqual([cold, revoked, other.tokenCount(), failed], [1, 1, 2, [0, 0, 0]]);
    });
  }
});

describe('authentication with OAuth 2.0 client credentials', () => {
  const authentication = authCases['client credentials, basic'] as AuthCase;
  const api = apis['chat completions'] as ApiCase;
  afterEach(endAll);

  for (const [code, kind, status = 400] of [
    ['invalid_client', 'key-rejected'],
    ['invalid_request', 'token-request-rejected'],
    ['invalid_grant', 'token-request-rejected'],
    ['unauthorized_client', 'token-request-rejected'],
    ['unsupported_grant_type', 'token-request-rejected'],
    ['invalid_scope', 'token-request-rejected'],
    ['invalid_target', 'token-request-rejected'],
    ['invalid_resource', 'token-request-rejected'],
    ['access_denied', 'token-request-rejected', 403],
  ] as const) {
    it(`reports ${code} as ${kind} and includes the code`, async () => {
      const world = await startOf(authentication, api);
      const json = { error: code, error_description: `${secret} ${defaultAccount}` };
      world.emulator.faults.next(oauthPath, { status, json });
      const { kind: found, details, message } = await failureOf(world.generate());
      assert.deepEqual([found, details.code], [kind, code]);
      assert.ok(!message.includes(secret));
    });
  }

  for (const error of ['unauthorized_client', 'access_denied']) {
    it(`treats a 401 as invalid_client, even if the error code is ${error}`, async () => {
      const world = await startOf(authentication, api);
      world.emulator.faults.next(oauthPath, { status: 401, json: { error } });
      const { kind, details } = await failureOf(world.generate());
      assert.deepEqual([kind, details.code], ['key-rejected', 'invalid_client']);
    });
  }

  it('assumes a lifetime of 300 s for a token without `expires_in`', async () => {
    const world = await startOf(authentication, api, { reportsTokenLifetime: false });
    await world.generate();
    assert.equal(lifeOf(world), 300_000);
  });

  it('accepts colons, spaces, and percent signs in the client ID and secret', async () => {
    const [account, apiKey] = ['team one:client+%3A', 'a secret: with +/%20 blanks'];
    for (const name of ['basic', 'post']) {
      const { emulator, http, credentials } = await startOf(
        authCases[`client credentials, ${name}`] as AuthCase,
        api,
        { account, apiKeys: [apiKey] },
      );
      const token = await fetchToken(http, { ...credentials, account, apiKey }, never);
      assert.equal(token.value, emulator.tokensIssued.at(-1));
    }
  });

  it('accepts a token response without `token_type` or with an invalid ID token', async () => {
    const { emulator, http, credentials } = await startOf(authentication, api);
    for (const more of [{}, { token_type: 'Bearer', id_token: 'e30.e30.x' }]) {
      const json = { access_token: 'a'.repeat(32), ...more };
      emulator.faults.next(oauthPath, { json });
      assert.equal((await fetchToken(http, credentials, never)).value, json.access_token);
    }
  });

  it("doesn't encode hyphens and underscores, since some servers don't decode credentials", async () => {
    const [account, apiKey] = ['0f8fad5b-d9cb-469f_a165', 'a_secret-of.a~client'];
    const { emulator, http, credentials } = await startOf(authentication, api, {
      account,
      apiKeys: [apiKey],
    });
    await fetchToken(http, { ...credentials, account, apiKey }, never);
    const [, basic = ''] = emulator.requests.at(-1)?.headers.authorization?.split(' ') ?? [];
    const sent = Buffer.from(basic, 'base64').toString();
    assert.equal(sent, `${account}:a_secret-of.a%7Eclient`);
  });

  for (const [what, change] of [
    ['over HTTP to a remote host', { authUrl: 'http://gateway.example' }],
    ['for a client without an ID', { account: '' }],
  ] as const) {
    it(`doesn't send a request ${what}, and hides the library's error`, async () => {
      const { emulator, http, credentials } = await startOf(authentication, api);
      const { authUrl, approved } = { ...credentials, ...change };
      const used = {
        ...{ ...credentials, ...change, authUrl },
        approved: { ...approved, auth: new URL(authUrl).origin },
      };
      const { kind, details, cause } = await failureOf(fetchToken(http, used, never));
      assert.deepEqual([kind, details, cause], ['token-request-rejected', {}, undefined]);
      assert.equal(emulator.requests.length, 0);
    });
  }

  it('sends the scope and audience whether the credentials are in the header or the body', async () => {
    for (const name of ['basic', 'post']) {
      const world = await startOf(authCases[`client credentials, ${name}`] as AuthCase, api);
      await world.generate();
      const [asked] = world.emulator.requests.filter(({ path }) => path === oauthPath);
      const { scope, audience, client_id, client_secret } = asked?.form ?? {};
      assert.deepEqual({ scope, audience }, oauth);
      const inBody = name === 'post';
      assert.equal(asked?.headers.authorization !== undefined, !inBody);
      assert.deepEqual(
        [client_id, client_secret],
        inBody ? [defaultAccount, secret] : [undefined, undefined],
      );
    }
  });
});

describe('authentication with Cloud Pak for Data', () => {
  const authentication = authCases['Cloud Pak for Data'] as AuthCase;
  const api = apis['watsonx, project'] as ApiCase;
  afterEach(endAll);

  for (const [reportsTokenLifetime, seconds] of [
    [true, 1_200],
    [false, 300],
  ] as const) {
    it(`caches a token for ${seconds} s if the platform ${reportsTokenLifetime ? 'reports' : "doesn't report"} the token's lifetime`, async () => {
      const world = await startOf(authentication, api, {
        reportsTokenLifetime,
        tokenLifeSeconds: 1_200,
      });
      await world.generate();
      assert.equal(lifeOf(world), seconds * 1_000);
    });
  }

  for (const life of [{ expires_in: 0 }, { expires_in: -1, expiration: 1 }]) {
    it(`requests a token's expiration time if the reported lifetime is invalid: ${JSON.stringify(life)}`, async () => {
      const { emulator, http, credentials } = await startOf(authentication, api);
      const end = new SetClock().now() / 1_000 + 120;
      emulator.faults.next(platformPath, { json: { token: 't'.repeat(32), ...life } });
      emulator.faults.next('/usermgmt/v1/user/tokenExpiry', { json: { exp: end } });
      assert.equal((await fetchToken(http, credentials, never)).expiration, end);
    });
  }
});

describe('a Zen API key', () => {
  afterEach(endAll);

  it('is sent directly to the service, without an exchange or a refresh', async () => {
    const world = await startOf(
      authCases['Zen API key'] as AuthCase,
      apis['watsonx, project'] as ApiCase,
    );
    await world.generate();
    assert.equal(world.emulator.requests.length, 1);
    assert.equal(world.emulator.requests.at(-1)?.headers.authorization, `ZenApiKey ${secret}`);
    const { state } = world.tokenService;
    assert.ok(state.kind === 'valid' && state.expiresAt === Number.POSITIVE_INFINITY);
  });
});

describe('a key that is sent without an exchange', () => {
  afterEach(endAll);

  const methods = Object.entries(authCases).filter(([, one]) => !one.path && !one.hasNoKey);
  for (const [name, method] of methods) {
    it(`is treated as rejected after a 401 until the service accepts it: ${name}`, async () => {
      const world = await startOf(method, apis['chat completions'] as ApiCase);
      const { emulator, tokenService } = world;
      await world.generate();
      assert.equal(tokenService.state.kind, 'valid');
      const { apiKeys } = emulator.settings;
      emulator.settings.apiKeys = [];
      for (const sent of [2, 3]) {
        assert.equal(await kindOf(world.generate()), 'key-rejected');
        assert.deepEqual([tokenService.state.kind, emulator.requests.length], ['rejected', sent]);
      }
      emulator.settings.apiKeys = apiKeys;
      await world.generate();
      assert.equal(tokenService.state.kind, 'valid');
    });
  }
});

describe('a secret that the service echoes', () => {
  afterEach(endAll);

  for (const [name, authentication] of Object.entries(authCases)) {
    it(`never appears in an error if the service uses “${name}”`, async () => {
      const { hasNoKey, path } = authentication;
      const basic = `${defaultAccount}:${encodeURIComponent(secret)}`;
      let [searched, hits] = [0, 0];
      for (const api of Object.values(apis)) {
        const world = await startOf(authentication, api);
        await world.generate();
        const tokens = path ? [world.emulator.tokensIssued.at(-1) ?? ''] : [];
        const secrets = [teamKey, ...tokens, ...(hasNoKey ? [] : [secret])];
        const inBase64 = [...secrets, ...(hasNoKey ? [] : [basic])];
        const derived = secretsOf(world.credentials).filter((one) => one !== '');
        const forms = [
          ...new Set([...secrets, ...derived]),
          ...secrets.map(encodeURIComponent),
          ...inBase64.map((text) => Buffer.from(text).toString('base64')),
        ];
        for (const form of forms) {
          for (const json of [
            { errors: [{ code: form, message: form }], trace: form },
            { error: { code: form, message: form, type: form } },
          ]) {
            world.emulator.faults.next(({ path }) => path.startsWith(api.path), {
              status: 400,
              json,
            });
            const { message, details } = await failureOf(world.generate());
            searched += 1;
            if (JSON.stringify([message, details]).includes(form)) hits += 1;
          }
        }
      }
      assert.ok(searched > 0);
      assert.equal(hits, 0);
    });
  }
});

describe('a deployment', () => {
  afterEach(endAll);

  it("that doesn't exist is reported as `project-unknown`", async () => {
    const deployment = apis['watsonx, deployment'] as ApiCase;
    const authentication = authCases['API key'] as AuthCase;
    const world = await startOf(authentication, { ...deployment, projectId: 'misspelt' });
    assert.equal(await kindOf(world.generate()), 'project-unknown');
  });
});

describe('errors from the chat completions API', () => {
  const authentication = authCases['client credentials, basic'] as AuthCase;
  const api = apis['chat completions'] as ApiCase;
  afterEach(endAll);

  it('are reported as an exhausted quota, an overlong prompt, or an unknown model', async () => {
    const quota = await startOf(authentication, api, { quotaReached: true });
    assert.equal(await kindOf(quota.generate()), 'quota-used-up');
    const short = await startOf(authentication, api, { longestPrompt: 5 });
    const { kind, details } = await failureOf(short.generate());
    assert.deepEqual([kind, details.limit, details.actual], ['prompt-too-long', 5, 13]);
    const without = await startOf(authentication, api, { models: [] });
    assert.equal(await kindOf(without.generate()), 'model-unknown');
  });

  it('in a stream are classified by their code', async () => {
    const world = await startOf(authentication, api);
    const error = { message: 'x', code: 'rate_limit_exceeded' };
    world.emulator.faults.next(api.path, {
      headers: { 'content-type': 'text/event-stream' },
      body: `data: ${JSON.stringify({ error })}\n\n`,
    });
    assert.equal(await kindOf(world.generate({ onText: () => {} })), 'rate-limited');
  });
});

describe('the table of authentication methods and APIs', () => {
  it('covers every method and API', () => {
    const tested = new Set(
      Object.values(authCases).map(({ authentication }) => authentication['kind']),
    );
    assert.deepEqual([...tested].sort(), Object.keys(AUTH_INPUTS).sort());
    const spoken = new Set(Object.values(apis).map(({ api }) => api));
    assert.deepEqual([...spoken].sort(), Object.keys(APIS).sort());
    assert.ok(serviceFor('cpd') && serviceFor('zen') && serviceFor('ibm_gateway'));
  });
});

describe('a key that is sent directly to the service', () => {
  afterEach(endAll);

  it('is detected in text as a key, not as a token', async () => {
    const zen = authCases['Zen API key'] as AuthCase;
    const { client } = await startOf(zen, apis['watsonx, project'] as ApiCase);
    assert.deepEqual(client.secretKindsIn(`x ${secret} y`), ['apiKey']);
  });
});
