import assert from 'node:assert/strict';
import { readCommandOutput } from '../../../src/service/auth/commandOutput.ts';
import { type TokenResponse, tokenLifetime } from '../../../src/service/auth/token.ts';
import { type CommandProblem, ServiceError } from '../../../src/service/errors.ts';
import { textsOfError } from './canaries.ts';

/**
 * Output of token commands: samples from the vendors' documentation, and output without a usable
 * token.
 */

const NOW = Date.UTC(2026, 10, 26, 12);
const IN_AN_HOUR = NOW / 1_000 + 3_600;
const value = 'ya29.a0AfB_by-c4naryToken';

const jwt = (claims: object) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'c4nary-signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

const read = (output: string | Buffer) => readCommandOutput({ output: Buffer.from(output) }, NOW);

/** Returns a token's lifetime in seconds. */
const lifeOf = (response: TokenResponse) => Math.round(tokenLifetime(response, 0).lifeMs / 1_000);

/** Formats a time as the Azure CLI does: in local time, without a time zone. */
function localTime(seconds: number): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const text = new Date(seconds * 1_000).toLocaleString('sv-SE', { timeZone });
  return `${text}.000000`;
}

const az = {
  accessToken: value,
  expiresOn: localTime(IN_AN_HOUR),
  subscription: '00000000-0000-0000-0000-000000000000',
  tenant: '00000000-0000-0000-0000-000000000001',
  tokenType: 'Bearer',
};
const execCredential = {
  kind: 'ExecCredential',
  apiVersion: 'client.authentication.k8s.io/v1beta1',
  spec: {},
  status: { expirationTimestamp: '2026-11-26T12:14:00Z', token: 'k8s-aws-v1.c4naryToken' },
};
const configHelper = {
  configuration: {
    active_configuration: 'default',
    properties: { core: { account: 'user@example.com', project: 'example-project' } },
  },
  credential: {
    access_token: value,
    id_token: jwt({ exp: NOW / 1_000 + 60 }),
    token_expiry: '2026-11-26T13:00:00Z',
  },
  sentinels: { config_sentinel: '/Users/example/.config/gcloud/config_sentinel' },
};
const databricks = {
  access_token: value,
  token_type: 'Bearer',
  refresh_token: 'c4nary-refresh-token',
  expiry: '2026-11-26T05:00:00.123456789-08:00',
};

const accepted: Readonly<Record<string, readonly [output: string, value: string, life: number]>> = {
  'a bare token': [value, value, 300],
  'a bare token with line breaks around it': [`\r\n${value}\r\n`, value, 300],
  'a JSON string': [JSON.stringify(value), value, 300],
  'a JWT with `exp`': [jwt({ exp: NOW / 1_000 + 1_200 }), jwt({ exp: NOW / 1_000 + 1_200 }), 1_200],
  'a JWT without `exp`': [jwt({ sub: 'x' }), jwt({ sub: 'x' }), 300],
  'ibmcloud iam oauth-tokens': [`IAM token:  Bearer ${value}\n`, value, 300],
  'ibmcloud iam oauth-tokens, older, with a second token': [
    `IAM token:  Bearer ${value}\n    UAA token:  Bearer ${'u'.repeat(40)}\n`,
    value,
    300,
  ],
  'az account get-access-token': [
    JSON.stringify({ ...az, expires_on: IN_AN_HOUR, expiresOn: '2026-11-26 12:01:00.000000' }),
    value,
    3_600,
  ],
  'az account get-access-token, with the time as a string': [
    JSON.stringify({ ...az, expires_on: String(IN_AN_HOUR) }),
    value,
    3_600,
  ],
  'az account get-access-token before 2.54, in local time': [JSON.stringify(az), value, 3_600],
  'gcloud config config-helper --format=json': [JSON.stringify(configHelper), value, 3_600],
  'aws eks get-token --output json': [
    JSON.stringify(execCredential),
    execCredential.status.token,
    840,
  ],
  'databricks auth token, with an offset': [JSON.stringify(databricks), value, 3_600],
  'an OAuth 2.0 response': [JSON.stringify({ access_token: value, expires_in: 900 }), value, 900],
  'numbers as strings': [JSON.stringify({ token: value, expires_in: '900' }), value, 900],
  '`expiration` in seconds': [
    JSON.stringify({ token: value, expiration: IN_AN_HOUR }),
    value,
    3_600,
  ],
  'an ID token only': [JSON.stringify({ id_token: value, expires_in: 60 }), value, 60],
  'two expiry times, the earlier of which counts': [
    JSON.stringify({ access_token: value, expires_in: 3_600, expiry: '2026-11-26T12:10:00Z' }),
    value,
    600,
  ],
  'a JWT with `exp` in JSON without an expiry': [
    JSON.stringify({ access_token: jwt({ exp: NOW / 1_000 + 1_200 }) }),
    jwt({ exp: NOW / 1_000 + 1_200 }),
    1_200,
  ],
  'an expired JWT in JSON with `expires_in`': [
    JSON.stringify({ access_token: jwt({ exp: NOW / 1_000 - 60 }), expires_in: 900 }),
    jwt({ exp: NOW / 1_000 - 60 }),
    900,
  ],
  'a `status` that is a string': [
    JSON.stringify({ status: 'success', token: value, expires_in: 900 }),
    value,
    900,
  ],
  'a `credential` that is a string': [
    JSON.stringify({ credential: 'user@example.com', token: value }),
    value,
    300,
  ],
  'a token with an invalid expiry time': [
    JSON.stringify({ token: value, expiry: 'tomorrow' }),
    value,
    300,
  ],
  'a `token` after an `access_token` that is an object': [
    JSON.stringify({ access_token: { of: 'another kind' }, token: value }),
    value,
    300,
  ],
  'indented JSON': [JSON.stringify(databricks, undefined, 2), value, 3_600],
};

const rejected: Readonly<
  Record<string, readonly [output: string | Buffer, problem: CommandProblem]>
> = {
  nothing: ['', 'nothing'],
  'line breaks only': [' \r\n\n', 'nothing'],
  'two lines': [`${value}\n${value}`, 'no-token'],
  'a sentence': ['Please log in: c4naryToken', 'no-token'],
  'a header': [`Authorization: Bearer ${value}`, 'no-token'],
  'a short word': ['c4nary', 'no-token'],
  'a token of 8,193 characters': ['c'.repeat(8_193), 'no-token'],
  "bytes that aren't text": [Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x1b, 0x5b, 0x33]), 'no-token'],
  'a terminal sequence before the token': [`\u001b[32m${value}`, 'no-token'],
  'JSON without a token': [JSON.stringify({ secret: value }), 'no-token'],
  'a token with a line break in JSON': [JSON.stringify({ token: `${value}\n` }), 'no-token'],
  'JSON null': ['null', 'no-token'],
  'a JSON list': [JSON.stringify([value]), 'no-token'],
  'a number': ['1234567890.5', 'no-token'],
  'broken JSON': [`{"token":"${value}"`, 'no-token'],
  'an expired JWT': [jwt({ exp: NOW / 1_000 }), 'expired'],
  'an expired JWT in JSON': [JSON.stringify({ token: jwt({ exp: 1 }) }), 'expired'],
  'an expired JWT without a signature': [
    jwt({ exp: 1 }).split('.').slice(0, 2).join('.'),
    'expired',
  ],
  'an expiry time in the past': [
    JSON.stringify({
      ...execCredential,
      status: { ...execCredential.status, expirationTimestamp: '2026-11-26T12:00:00Z' },
    }),
    'expired',
  ],
  'no seconds left': [JSON.stringify({ token: value, expires_in: 0 }), 'expired'],
};

describe('the output of a token command', () => {
  for (const [what, [output, found, life]] of Object.entries(accepted)) {
    it(`is accepted: ${what}`, () => {
      const response = read(output);
      assert.deepEqual([response.value, lifeOf(response)], [found, life]);
    });
  }

  it('is reduced to the token and its expiration', () => {
    const response = read(JSON.stringify(databricks));
    const fields = ['value', 'expiresIn', 'expiration', 'serverNow'];
    assert.deepEqual(Object.keys(response), fields);
  });

  for (const [what, [output, problem]] of Object.entries(rejected)) {
    it(`is rejected as ${problem} and omitted from the error: ${what}`, () => {
      assert.throws(
        () => read(output),
        (error) => {
          assert.ok(error instanceof ServiceError);
          assert.deepEqual([error.kind, error.details], ['command-failed', { problem }]);
          assert.doesNotMatch(textsOfError(error), /c4nary/i);
          return true;
        },
      );
    });
  }

  for (const [exitCode, details] of [
    [1, { problem: 'exit', exitCode: 1 }],
    [127, { problem: 'exit', exitCode: 127 }],
    [null, { problem: 'stopped' }],
  ] as const) {
    it(`isn't used if the exit code is ${exitCode}`, () => {
      assert.throws(() => readCommandOutput({ exitCode }, NOW), {
        kind: 'command-failed',
        details,
      });
    });
  }
});
