import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ACTION_LABELS, type Action } from '../../../src/messages/actions.ts';
import type { MessageContext } from '../../../src/messages/failureContext.ts';
import { attemptText, messageFor } from '../../../src/messages/messages.ts';
import { missingText } from '../../../src/messages/settingLabels.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import { parameterProblem } from '../../../src/service/api/parameterChecks.ts';
import type { Operation } from '../../../src/service/apiCapabilities.ts';
import type { Authentication } from '../../../src/service/authentication.ts';
import { serviceFor, services } from '../../../src/service/builtInServices.ts';
import type { SourceId } from '../../../src/service/credentials.ts';
import {
  ERROR_KINDS,
  type ErrorDetails,
  type ErrorKind,
  type SecretKind,
  ServiceError,
} from '../../../src/service/errors.ts';
import { MAX_PAUSE_MS } from '../../../src/service/http/requestPace.ts';
import { modelProblem } from '../../../src/service/models/modelLimitRules.ts';
import { AUTH_FIELDS } from '../service/authFields.ts';
import { modelOf } from '../service/modelFixtures.ts';

const kinds = Object.keys(ERROR_KINDS) as ErrorKind[];

const full = {
  status: 429,
  code: 'ECONNREFUSED',
  host: 'model.example',
  attempts: 4,
  retryAfterMs: 90_000,
  names: ['stop_sequences'],
  limit: 4,
  actual: 5,
  phase: 'start',
} as const;

describe('the buttons in messages', () => {
  it("run the extension's commands, with seven exceptions", () => {
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8'));
    const names: readonly string[] = contributes.commands.map(
      ({ command }: { readonly command: string }) => command.replace('hostedModel.', ''),
    );
    const others = Object.keys(ACTION_LABELS).filter((action) => !names.includes(action));
    assert.deepEqual(others, [
      'changeKey',
      'changeProject',
      'openSettings',
      'openEnvFile',
      'retry',
      'approve',
      'useOtherSources',
    ]);
  });
});

describe('the text of a message', () => {
  it('is tested with more than 30 error kinds', () => assert.ok(kinds.length > 30));

  for (const kind of kinds.filter((one) => one !== 'cancelled')) {
    it(`is short and plain, and comes with at most two buttons: ${kind}`, () => {
      for (const error of [new ServiceError(kind), new ServiceError(kind, full)]) {
        const message = messageFor(error);
        assert.ok(message);
        assert.match(message.text, /^[A-Za-z0-9].*\.$/);
        assert.ok(message.text.length <= 200, `${message.text.length}: ${message.text}`);
        assert.ok(message.actions.length <= 2);
        assert.doesNotMatch(message.text, /\[|\]\(|\bunauthorized\b|axios/i);
      }
      const { text } = messageFor(new ServiceError(kind, full)) ?? { text: '' };
      assert.doesNotMatch(text, /undefined|NaN/);
    });
  }

  it('I26: shows only the attempt number and status or error code for a retry', () => {
    const error = new ServiceError('rate-limited', { status: 429, requestId: 'C4nary' });
    assert.equal(attemptText({ retry: 2, waitMs: 7_600, error }), 'attempt 3 of 4, 429');
    const unreachable = new ServiceError('unreachable', { code: 'ECONNREFUSED', host: 'C4nary' });
    const unsent = attemptText({ retry: 1, waitMs: 20, error: unreachable });
    assert.equal(unsent, 'attempt 2 of 4, ECONNREFUSED');
  });

  const DAY_MS = 86_400_000;
  const BUT = 'but requests are paused for at most 180 seconds.';
  for (const [what, retryAfterMs, words] of [
    ['seconds', 90_000, 'a pause of 90 seconds before the next attempt.'],
    ['the maximum', MAX_PAUSE_MS, 'a pause of 180 seconds before the next attempt.'],
    ['minutes', 3_600_000, `a pause of 60 minutes, ${BUT}`],
    ['a day', DAY_MS, `a pause of 1440 minutes, ${BUT}`],
    ['more than a day', DAY_MS + 1, `a pause of more than a day, ${BUT}`],
    ['until the year 9999', 251_606_966_940_000, `a pause of more than a day, ${BUT}`],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER, `a pause of more than a day, ${BUT}`],
  ] as const) {
    it(`shows the wait time that the service requested: ${what}`, () => {
      for (const kind of ['rate-limited', 'capacity-full', 'server-failed'] as const) {
        const text = messageFor(new ServiceError(kind, { retryAfterMs }))?.text ?? '';
        assert.ok(text.includes(words), text);
      }
    });
  }

  it('names a parameter that the service mentions when it rejects the request', () => {
    const error = new ServiceError('bad-request', { status: 400, names: ['top_p'] });
    const { text, actions } = messageFor(error) ?? {};
    assert.equal(
      text,
      'The service rejected the request (400). Its response mentions top_p. It may help to change this parameter or to select another model.',
    );
    assert.deepEqual(actions, ['openSettings', 'selectModel']);
  });

  it('mentions parameters after a 400 only if any are set', () => {
    const error = new ServiceError('bad-request', { status: 400 });
    const messages = [true, false].map((setsParameters) => messageFor(error, { setsParameters }));
    assert.deepEqual(
      messages.map((message) => [/parameter/.test(message?.text ?? ''), message?.actions]),
      [
        [true, ['openSettings', 'retry']],
        [false, ['openSettings', 'selectModel']],
      ],
    );
  });

  it('shows the full length of a long pause that the identity service requests', () => {
    for (const kind of ['rate-limited', 'server-failed'] as const) {
      const error = new ServiceError(kind, { host: 'id.example', retryAfterMs: 3_600_000 });
      const text = messageFor(error, { authHost: 'id.example' })?.text ?? '';
      assert.match(text, /a pause of 60 minutes before the next attempt\.$/);
    }
  });

  it('advises sending fewer concurrent requests unless the service specifies a wait time', () => {
    assert.deepEqual(messageFor(new ServiceError('rate-limited')), {
      text: 'Too many requests. The service rejected the request. Try again later. If this happens often, lower the limit on concurrent requests, or increase the minimum interval between requests.',
      actions: ['retry', 'openSettings'],
      setting: 'hostedModel.maxConcurrentRequests',
    });
    assert.deepEqual(messageFor(new ServiceError('rate-limited', { retryAfterMs: 120_000 })), {
      text: 'Too many requests. The service rejected the request. It requested a pause of 120 seconds before the next attempt.',
      actions: ['retry'],
    });
  });

  it('is undefined if the user canceled', () => {
    assert.equal(messageFor(new ServiceError('cancelled')), undefined);
  });

  it('warns after a timeout that the service may have processed the request', () => {
    const sent = messageFor(new ServiceError('timeout', { phase: 'total', attempts: 2 }));
    assert.match(sent?.text ?? '', /took too long\. The service may have processed the request/);
  });

  it('points to where the user can correct an invalid value', () => {
    const of = (kind: ErrorKind, source: SourceId, host?: string) =>
      messageFor(new ServiceError(kind, host === undefined ? {} : { host, code: 'ENOTFOUND' }), {
        source,
        authHost: 'identity.example',
      });
    for (const kind of ['key-rejected', 'unauthorized', 'forbidden', 'project-unknown'] as const) {
      assert.equal(of(kind, 'envFile')?.actions[0], 'openEnvFile');
      assert.equal(of(kind, 'environment')?.actions[0], 'setUp');
      assert.doesNotMatch(of(kind, 'environment')?.text ?? '', /settings|here/);
    }
    const service = of('unreachable', 'envFile', 'model.example');
    assert.deepEqual(service?.actions, ['openEnvFile', 'retry']);
    assert.match(service?.text ?? '', /the address in the \.env file/);
    const identity = of('unreachable', 'envFile', 'identity.example');
    assert.deepEqual(identity?.actions, ['openSettings', 'retry']);
    assert.match(identity?.text ?? '', /the address in the settings/);
    assert.equal(
      of('bad-request', 'envFile')?.actions[0],
      'openSettings',
      'parameters are always in the settings',
    );
  });

  it('mentions a possible outage only if the service refused the connection', () => {
    const textFor = (code: string) =>
      messageFor(new ServiceError('unreachable', { host: 'model.example', code }))?.text ?? '';
    assert.match(
      textFor('ECONNREFUSED'),
      /The service may be down\. Otherwise, check your network/,
    );
    assert.doesNotMatch(textFor('ENETUNREACH'), /may be down/);
  });

  it('advises sending less text if the request is too large', () => {
    const message = messageFor(new ServiceError('bad-request', { status: 413 }));
    assert.match(message?.text ?? '', /Send less text, lower max_new_tokens/);
    assert.deepEqual(message?.actions, ['openSettings', 'selectModel']);
    assert.equal(message?.setting, 'hostedModel.parameters');
  });

  it("points to the address that was redirected, not to the redirect's target", () => {
    const of = (host: string, redirectHost = 'login.example') =>
      messageFor(new ServiceError('redirected', { host, redirectHost }), {
        source: 'envFile',
        authHost: 'identity.example',
      });
    assert.equal(of('identity.example')?.actions[0], 'openSettings');
    assert.match(of('identity.example')?.text ?? '', /address in the settings/);
    for (const host of ['login.example', 'identity.example', 'iam.cloud.ibm.com']) {
      assert.equal(of('model.example', host)?.actions[0], 'openEnvFile');
      assert.match(of('model.example', host)?.text ?? '', /address in the \.env file/);
    }
    assert.doesNotMatch(of('iam.cloud.ibm.com')?.text ?? '', /address in/);
  });

  it("mentions “another address” if a redirect's target is unknown", () => {
    const message = messageFor(new ServiceError('redirected', { host: 'model.example' }));
    assert.match(message?.text ?? '', /redirected the request to another address/);
  });

  it("doesn't blame the user's settings if a built-in address can't be reached", () => {
    for (const code of ['ENOTFOUND', 'ECONNREFUSED']) {
      const error = new ServiceError('unreachable', { code, host: 'iam.cloud.ibm.com' });
      assert.doesNotMatch(messageFor(error)?.text ?? '', /misspelled|address/);
      assert.equal(messageFor(error)?.actions[0], 'retry');
    }
  });

  it("doesn't warn that a request may have been processed if it was never sent or was only a check", () => {
    const unsent = new ServiceError('unreachable', { phase: 'connect', code: 'ECONNRESET' });
    assert.match(messageFor(unsent)?.text ?? '', /nothing was sent/);
    for (const kind of ['timeout', 'connection-lost'] as const) {
      const text = messageFor(new ServiceError(kind), { isCheck: true })?.text ?? '';
      assert.doesNotMatch(text, /may have processed/);
      assert.match(text, /firewall or proxy/);
    }
  });

  it('names an invalid parameter, and specifies which values are allowed', () => {
    const of = (operation: Operation, parameters: object) =>
      messageFor(parameterProblem(operation, { ...parameters }))?.text;
    const cases: readonly [object, string][] = [
      [{ temperature: 3 }, 'temperature is 3, but must be at most 2'],
      [{ top_p: 2 }, 'top_p is 2, but must be at most 1'],
      [{ random_seed: 2.5 }, 'random_seed is 2.5, but must be a whole number'],
      [{ random_seed: '7' }, 'random_seed must be a whole number'],
      [{ temperature: '1' }, 'temperature must be a number'],
      [{ time_limit: -1e300 }, 'time_limit is -1e+300, but must be at least 1'],
      [{ max_new_tokens: 0 }, 'max_new_tokens is 0, but the chat operation requires at least 1'],
      [
        { stop_sequences: ['1', '2', '3', '4', '5'] },
        'stop_sequences has 5 entries, but the chat operation allows at most 4',
      ],
      [{ stop_sequences: ['1', '1'] }, 'stop_sequences must be a list of unique strings'],
      [{ decoding_method: 'best' }, 'decoding_method must be greedy or sample'],
    ];
    const ofGeneration: typeof cases = [
      [{ top_p: 0 }, 'top_p is 0, but the generation operation requires more than 0'],
      [{ random_seed: 0 }, 'random_seed is 0, but the generation operation requires at least 1'],
      [{ top_k: 101 }, 'top_k is 101, but must be at most 100'],
      [{ include_stop_sequence: 1 }, 'include_stop_sequence must be true or false'],
      [
        { length_penalty: { decay_factor: 1 } },
        'length_penalty.decay_factor is 1, but must be more than 1',
      ],
      [
        { length_penalty: { factor: 2 } },
        'length_penalty must be an object with no fields other than decay_factor and start_index',
      ],
    ];
    for (const [operation, sets] of [
      ['chat', cases],
      ['generation', ofGeneration],
    ] as const) {
      for (const [parameters, flaw] of sets) {
        const text = `Nothing was sent: ${flaw}. Change it in the settings.`;
        assert.equal(of(operation, parameters), text);
        assert.ok(text.length <= 200, text);
      }
    }
    assert.match(of('generation', { stop_sequences: [...'1234567'] }) ?? '', /can have at most 6/);
    assert.match(
      of('generation', { min_new_tokens: 2_000, max_new_tokens: 1_024 }) ?? '',
      /min_new_tokens is 2,000, but must be at most 1,024, the value of max_new_tokens/,
    );
  });

  it("suggests changing the template's model if the template sets one", () => {
    const template = { name: 'Review', modelId: 'old-model' };
    for (const error of [
      new ServiceError('model-unknown'),
      new ServiceError('operation-unsupported'),
      new ServiceError('prompt-too-long'),
      new ServiceError('bad-request', { status: 413 }),
      new ServiceError('capacity-full'),
    ]) {
      const [selected, ofTemplate] = [messageFor(error), messageFor(error, { template })];
      assert.match(selected?.text ?? '', /select another model/i);
      assert.ok(selected?.actions.includes('selectModel'));
      assert.match(ofTemplate?.text ?? '', /change the model in the template “Review”/i);
      assert.ok(!ofTemplate?.actions.includes('selectModel'));
    }
  });

  it('names the template that sets an invalid parameter', () => {
    const template = { name: 'Review', parameters: { length_penalty: { decay_factor: 1 } } };
    const of = (parameters: object) =>
      messageFor(parameterProblem('generation', { ...parameters }), { template });
    assert.deepEqual(of(template.parameters), {
      text: 'Nothing was sent: length_penalty.decay_factor is 1, but must be more than 1. Change it in the template “Review”.',
      actions: [],
    });
    assert.match(of({ temperature: 3 })?.text ?? '', /Change it in the settings\.$/);
    const unnamed = new ServiceError('parameter-rejected', { status: 400 });
    assert.match(messageFor(unnamed, { template })?.text ?? '', /Change it in the settings\.$/);
  });

  it("mentions the model if a parameter's limit depends on the model", () => {
    const problem = modelProblem(modelOf({ maxOutputTokens: 1_500 }), { max_new_tokens: 1_501 });
    assert.equal(
      messageFor(problem?.with({ status: 400 }))?.text,
      'The service rejected the request: max_new_tokens is 1,501, but the model allows at most 1,500. Change it in the settings.',
    );
  });

  it("shows the prompt's length and the model's limit if the service reports both", () => {
    const of = (details: ErrorDetails) =>
      messageFor(new ServiceError('prompt-too-long', details))?.text;
    assert.equal(
      of({ limit: 2_000, actual: 5_000 }),
      'The text is too long for the model: 5,000 tokens, but the limit is 2,000. Send less text, or select another model.',
    );
    assert.equal(
      of({}),
      'The text is too long for the model. Send less text, or select another model.',
    );
  });

  it('names the kinds of secrets in a prompt, but not the secrets themselves', () => {
    const of = (...secretKinds: SecretKind[]) =>
      messageFor(new ServiceError('prompt-holds-secret', { secretKinds }))?.text;
    assert.equal(
      of('apiKey'),
      'Nothing was sent, because the text or a parameter contains your key. Remove it.',
    );
    assert.equal(
      of('apiKey', 'token', 'privateKey'),
      'Nothing was sent, because the text or a parameter contains your key, one of your tokens, and a private key. Remove them.',
    );
  });

  it("doesn't contain text from an unknown error", () => {
    const message = messageFor(new Error('apikey=hunter2-hunter2'));
    assert.doesNotMatch(message?.text ?? '', /hunter2/);
  });

  it('lists exactly the missing settings', () => {
    const rest = 'Nothing was sent.';
    assert.equal(missingText(['apiKey']), `Hosted Model needs an API key. ${rest}`);
    assert.equal(
      missingText(['projectId', 'url']),
      `Hosted Model needs a project ID and a service URL. ${rest}`,
    );
    assert.equal(
      missingText(['apiKey', 'projectId', 'url']),
      `Hosted Model needs an API key, a project ID, and a service URL. ${rest}`,
    );
  });
});

describe('the message about a rejected token request', () => {
  for (const [code, pattern] of [
    ['invalid_client', /ID or secret is unknown/],
    ['invalid_request', /“clientAuthentication”/],
    ['invalid_grant', /no longer accepts .* grant/],
    ['unauthorized_client', /“audience”/],
    ['unsupported_grant_type', /“tokenUrl”/],
    ['invalid_scope', /“scope”/],
    ['invalid_target', /“audience” and “scope”/],
    ['invalid_resource', /“audience” and “scope”/],
    ['access_denied', /“audience” and “scope”/],
  ] as const) {
    it(`explains ${code}`, () => {
      const kind = code === 'invalid_client' ? 'key-rejected' : 'token-request-rejected';
      assert.match(messageFor(new ServiceError(kind, { code }))?.text ?? '', pattern);
    });
  }
});

describe('a message about a service', () => {
  const [cloud] = services;
  const onPremises = serviceFor('cpd');
  const [gateway] = readServices([
    {
      word: 'gateway',
      authentication: { kind: 'clientCredentials', tokenUrl: 'https://id.example/token' },
      api: 'openai',
      defaultModel: 'm',
    },
  ]).own;
  assert.ok(onPremises && gateway);
  const messageText = (kind: ErrorKind, context: MessageContext) =>
    messageFor(new ServiceError(kind, {}), context)?.text ?? '';

  for (const [what, context, pattern] of [
    [
      'a cloud service',
      { service: cloud },
      /API key, project ID, and service URL .* Check all three/,
    ],
    [
      'a space in a cloud service',
      { service: cloud, resource: 'space' },
      /API key, space ID, and service URL/,
    ],
    ['an on-premises service', { service: onPremises }, /user name, API key, .* Check all four/],
    ['a gateway', { service: gateway }, /client ID, client secret, and service URL/],
  ] as const) {
    it(`names the values that the user should check for ${what}`, () => {
      assert.match(messageText('unauthorized', context), pattern);
    });
  }

  it('names the deployment, space, or project only if requests contain its ID', () => {
    assert.match(
      messageText('project-unknown', { service: cloud, resource: 'deployment' }),
      /^The deployment doesn’t exist .* Check the deployment ID/,
    );
    assert.match(
      messageText('forbidden', { service: cloud, resource: 'space' }),
      /use the space\. /,
    );
    assert.doesNotMatch(messageText('forbidden', { service: gateway }), /project/);
  });

  it('names the address setting, and mentions the region only if the service has several regions', () => {
    const worldwide = { ...cloud, regions: cloud.regions.slice(0, 1) };
    for (const kind of ['model-unknown', 'unauthorized', 'project-unknown'] as const) {
      assert.match(messageText(kind, { service: cloud }), /region/);
    }
    for (const kind of kinds.filter((one) => one !== 'cancelled')) {
      assert.doesNotMatch(messageText(kind, { service: gateway }), /region/);
      assert.doesNotMatch(messageText(kind, { service: worldwide }), /region/);
    }
    for (const kind of ['token-unusable', 'token-request-rejected'] as const) {
      assert.match(
        messageText(kind, { service: cloud }),
        /the identity service URL in the settings/,
      );
      assert.match(messageText(kind, { service: onPremises }), /Check the service URL/);
      assert.match(messageText(kind, { service: gateway }), /“tokenUrl” in the service’s entry/);
    }
  });

  it('names the credentials that the authentication method uses', () => {
    assert.match(
      messageText('key-rejected', { service: onPremises }),
      /rejected the user name and API key/,
    );
    assert.match(messageText('key-rejected', { service: cloud }), /rejected the API key/);
    assert.match(messageText('host-not-approved', { service: gateway }), /for your client secret/);
    const zen = serviceFor('zen') ?? assert.fail();
    assert.match(messageText('key-rejected', { service: zen }), /^The service rejected the key/);
    assert.doesNotMatch(messageText('key-rejected', { service: zen }), /not tried again/);
  });

  const serviceUsing = (kind: string) => {
    const authentication = { kind, ...AUTH_FIELDS[kind as Authentication['kind']] };
    const added = { word: 'acme', authentication, api: 'openai', defaultModel: 'm' };
    return readServices([added]).own[0] ?? assert.fail(`AUTH_FIELDS.${kind} isn't valid`);
  };

  it('has at most 200 characters if a key is rejected during setup', () => {
    for (const kind of Object.keys(AUTH_FIELDS)) {
      const context = { service: serviceUsing(kind), source: 'answers' } as const;
      const { text = '' } = messageFor(new ServiceError('key-rejected'), context) ?? {};
      assert.ok(text !== '' && text.length <= 200, `${kind}: ${text.length}: ${text}`);
    }
  });

  it('offers a token refresh only if the service uses tokens', () => {
    const actions: Readonly<Record<Authentication['kind'], Action>> = {
      apiKeyGrant: 'refreshToken',
      clientCredentials: 'refreshToken',
      cloudPak: 'refreshToken',
      zenApiKey: 'retry',
      apiKey: 'retry',
      none: 'retry',
      command: 'refreshToken',
    };
    for (const [kind, action] of Object.entries(actions)) {
      const service = serviceUsing(kind);
      const message = messageFor(new ServiceError('key-rejected'), { service });
      assert.deepEqual(message?.actions.slice(1), [action], kind);
    }
  });
});
