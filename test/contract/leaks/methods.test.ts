import assert from 'node:assert/strict';
import { readServices } from '../../../src/service/addedServices.ts';
import { authMethodOf } from '../../../src/service/auth/authMethods.ts';
import type { Authentication } from '../../../src/service/authentication.ts';
import type { Fault } from '../../emulator/faults.ts';
import { oauthPath } from '../../emulator/otherAuthMethods.ts';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import type { EmulatorSettings } from '../../emulator/settings.ts';
import { printTable } from '../../table.ts';
import { formsIn } from '../../unit/service/canaries.ts';
import { tokenPath } from '../service/world.ts';
import { bytesOf, SINKS, SinkEditor } from './sinkEditor.ts';
import { useService } from './useService.ts';
import { type Windows, windows } from './window.ts';

/** Tests, for each authentication method, that an added service's secrets don't leak. */

const key = 'C4nary-Key_0123456789';
const token = 'c4nary-token_0123456789';
const teamKey = 'C4nary-team-key_0123456789';
const secrets = [key, token, teamKey];
/** A token response that contains the token in each field that an identity service might use. */
const tokenAnswer = { access_token: token, token };

const gateway = {
  ...{ word: 'acme', api: 'openai', prefix: '/v1' },
  defaultModel: 'ibm/granite-4-h-small',
};

interface Method {
  readonly authentication: (url: string) => object;
  readonly record?: object;
  readonly emulator?: Partial<EmulatorSettings>;
  /**
   * The secrets that are sent to the service. If the service gets a value derived from the key,
   * list that value so that the tests search for it too.
   */
  readonly sent: readonly string[];
}

const printed = (line: string) => ({
  authentication: () => ({ kind: 'command', command: [process.execPath, '-e', line] }),
  record: { apiKey: '', program: process.execPath },
});
/**
 * Returns a JavaScript expression for this text. The expression contains the text only in hex, so
 * that the search for secrets doesn't find the text in the command's arguments.
 */
const hidden = (text: string) => `Buffer.from('${Buffer.from(text).toString('hex')}','hex')`;
const print = (text: string) => `process.stdout.write(${hidden(text)})`;

const methods: Readonly<Record<Authentication['kind'], Readonly<Record<string, Method>>>> = {
  apiKey: {
    'a bearer key': {
      ...{ authentication: () => ({ kind: 'apiKey' }), sent: [key, teamKey] },
      emulator: { keyHeader: 'authorization' },
    },
    'a key in a header': {
      ...{ authentication: () => ({ kind: 'apiKey', header: 'api-key' }), sent: [key, teamKey] },
      emulator: { keyHeader: 'api-key' },
    },
  },
  zenApiKey: {
    'a Zen API key': { authentication: () => ({ kind: 'zenApiKey' }), sent: [key, teamKey] },
  },
  none: {
    'no key': {
      ...{ authentication: () => ({ kind: 'none' }), record: { apiKey: '' }, sent: [teamKey] },
      emulator: { isOpen: true },
    },
  },
  apiKeyGrant: {
    'an API key grant': {
      authentication: (url) => ({
        ...{ kind: 'apiKeyGrant', tokenUrl: url + tokenPath },
        grantType: 'urn:ibm:params:oauth:grant-type:apikey',
      }),
      sent: [token, teamKey],
    },
  },
  clientCredentials: {
    'client credentials': {
      authentication: (url) => ({ kind: 'clientCredentials', tokenUrl: url + oauthPath }),
      ...{ record: { account: 'a client' }, sent: [token, teamKey] },
    },
  },
  cloudPak: {
    'Cloud Pak for Data': {
      authentication: () => ({ kind: 'cloudPak' }),
      ...{ record: { account: 'a user' }, sent: [token, teamKey] },
    },
  },
  command: {
    'a token command': { ...printed(print(token)), sent: [token, teamKey] },
  },
};

/** Returns the path of a method's token endpoint. Undefined if there's no exchange. */
function tokenPathOf({ authentication }: Method): string | undefined {
  const entry = { ...gateway, authentication: authentication('https://llm.acme.example') };
  const [service = assert.fail()] = readServices([entry]).own;
  return authMethodOf(service).exchange?.path;
}

const COMMANDS = [
  'generateFromSelection',
  'refreshToken',
  'selectModel',
  'diagnose',
  'showMenu',
  'showLastResponse',
  'setUp',
] as const;

/**
 * Returns the responses to test, by name. `undefined` stands for the normal response. All other
 * responses repeat the request's secrets.
 */
function faultsFor(sent: readonly string[]): Readonly<Record<string, Fault | undefined>> {
  const all = sent.join(' ');
  const [code = ''] = sent;
  const error = { code, type: sent.at(-1), message: all };
  return {
    'normal responses': undefined,
    'status 400': { status: 400, json: { error } },
    'status 401': { status: 401, json: { error } },
    'status 403 from a gateway': { status: 403, body: all },
    'status 404': { status: 404, json: { error: { ...error, code: teamKey } } },
    'status 431': { status: 431, headers: { 'x-request-id': teamKey }, body: all },
    'status 503, four times': { status: 503, body: all },
    'models that repeat the secrets': {
      json: { data: [...sent, 'm/free'].map((id) => ({ id, owned_by: all })) },
    },
    'an event that repeats the secrets': {
      headers: { 'content-type': 'text/event-stream' },
      body: `data: ${JSON.stringify({ error })}\n\n`,
    },
  };
}

const hitsIn = (text: string, sent: readonly string[]) => [
  ...[...new Set([...secrets, ...sent])].flatMap((secret) => formsIn(text, secret)),
  ...(/c4nary/i.exec(text) ?? []),
];

describe(`the secrets of each authentication method (searched for in ${SINKS.length} sinks)`, () => {
  let opened: Windows;
  let [runs, bytes, hits] = [0, 0, 0];
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => {
    opened.end();
    printTable({
      figure: 'methodLeaks',
      title: 'Search for keys, tokens, secret headers, and the output of token commands',
      heads: ['scenarios', 'sinks', 'MB searched', 'hits'],
      rows: [[String(runs), SINKS.length, (bytes / 1_000_000).toFixed(1), hits]],
    });
  });

  async function play(method: Method, inference: Fault | undefined) {
    const { authentication, record, emulator } = method;
    const { editor, requests } = await useService(
      opened,
      {
        ...{ key, source: 'secret storage' },
        answers: { identity: { json: tokenAnswer }, ...(inference && { inference }) },
        emulator: { acceptsToken: (one) => one === token, ...emulator },
        added: (url) => ({
          entry: {
            ...{ ...gateway, url, authentication: authentication(url) },
            headers: { 'X-Team': { secret: 'team key' } },
          },
          record: {
            ...{ apiKey: key, authUrl: url, serviceUrl: url },
            ...{ headerSecrets: { 'team key': teamKey }, ...record },
          },
        }),
      },
      COMMANDS,
    );
    runs += 1;
    for (const sink of SINKS) {
      const text = editor.textOf(sink);
      bytes += bytesOf(text);
      const found = hitsIn(text, method.sent);
      hits += found.length;
      assert.deepEqual(found, [], `${sink}: ${text}`);
    }
    return { editor, requests };
  }

  const isOfService = ({ path }: ReceivedRequest) => path.startsWith('/v1/');

  for (const [name, method] of Object.values(methods).flatMap(Object.entries<Method>)) {
    for (const [what, fault] of Object.entries(faultsFor(method.sent))) {
      it(`E01: don't leak if the service uses ${name} and returns ${what}`, async () => {
        const { editor, requests } = await play(method, fault);
        const headers = requests.filter(isOfService).flatMap(({ rawHeaders }) => rawHeaders);
        for (const secret of method.sent) {
          assert.ok(
            headers.some((value) => value.includes(secret)),
            'the secret was sent',
          );
        }
        const texts = requests.map(({ path, query, text }) => `${path}?${query} ${text}`);
        const grantPath = tokenPathOf(method);
        const isGrant = ({ path }: ReceivedRequest) => path === grantPath;
        const others = texts.filter((_, index) => !isGrant(requests[index] as ReceivedRequest));
        assert.deepEqual(hitsIn(others.join('\n'), method.sent), []);
        const shown = editor.textOf(fault ? 'notification' : 'document');
        assert.match(shown, fault ? /Show Log/ : /^Hello from/m);
      });
    }
  }

  const failing: Readonly<Record<string, string>> = {
    'prints a sentence': print(`Log in first: ${token}`),
    'prints two tokens': print(`${token}\n${token}`),
    'prints binary data': print('c4nary\u0000\u001b[31m'),
    'prints 1 MB': `process.stdout.write(${hidden('c4nary')}.toString().repeat(180_000))`,
    'exits with code 1': `${print(token)};console.error(${hidden('c4nary')}.toString());process.exitCode=1`,
    'throws an error': `throw new Error(${hidden('c4nary')}.toString())`,
  };
  for (const [what, line] of Object.entries(failing)) {
    it(`E01: don't leak if the token command ${what}`, async () => {
      const { editor, requests } = await play({ ...printed(line), sent: [] }, undefined);
      assert.match(editor.textOf('notification'), /The token command/);
      assert.ok(!requests.some(({ headers }) => headers.authorization));
    });
  }
});
