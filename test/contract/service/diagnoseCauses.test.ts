import assert from 'node:assert/strict';
import type { CheckName } from '../../../src/service/checks/connectionChecks.ts';
import type { ErrorDetails, ErrorKind } from '../../../src/service/errors.ts';
import type { Emulator } from '../../emulator/emulator.ts';
import { recordedModels } from '../../emulator/models.ts';
import type { CauseName } from '../../unit/causes.ts';
import {
  accessPath,
  assertNamed,
  counts,
  type ExaminationOptions,
  endExaminations,
  gatewayAccessPath,
  gatewayRejection,
  modelsPath,
  onGateway,
  rejection,
  startExamination,
} from './diagnoseWorld.ts';
import { modelId, tokenPath } from './world.ts';

interface Planted {
  readonly cause: string;
  /**
   * The name of the cause in docs/troubleshooting.md. If a cause's messages differ only in values
   * such as hosts or limits, extend `shapeOf` in `test/unit/causes.ts`.
   */
  readonly named?: CauseName;
  readonly options?: ExaminationOptions;
  readonly plant?: (emulator: Emulator) => void;
  readonly check: CheckName;
  readonly kind: ErrorKind;
  readonly details?: ErrorDetails;
  /**
   * The number of requests that each check sends, in the same order as `counts`. After a check
   * fails, no more requests are sent. If the service isn't watsonx.ai, the last number also counts
   * the requests that check the host.
   */
  readonly sent: readonly number[];
}

const page = { status: 200, body: '<html>log in</html>', headers: { 'content-type': 'text/html' } };
const withdrawn = (alternatives: readonly string[]) => ({
  ...recordedModels[0],
  model_id: modelId,
  functions: [{ id: 'text_chat' }],
  lifecycle: [
    { id: 'available', start_date: '2025-01-01' },
    { id: 'withdrawn', start_date: '2026-09-01', alternative_model_ids: alternatives },
  ],
});

const planted: readonly Planted[] = [
  {
    cause: 'the key is unknown, expired, or disabled',
    named: 'rejected key',
    options: { emulator: { apiKeys: ['another'] } },
    check: 'token',
    kind: 'key-rejected',
    details: { status: 400, code: 'BXNIM0415E' },
    sent: [1, 1, 1, 0],
  },
  {
    cause: "the service's address is set as the identity address",
    named: 'wrong identity service URL',
    options: { credentials: (url) => ({ authUrl: `${url}/ml` }) },
    check: 'token',
    kind: 'unexpected-answer',
    sent: [0, 1, 0, 0],
  },
  {
    cause: 'the identity service fails',
    named: 'server error',
    plant: ({ faults }) => faults.always(tokenPath, { status: 503 }),
    check: 'token',
    kind: 'server-failed',
    details: { status: 503, attempts: 4 },
    sent: [1, 1, 4, 0],
  },
  {
    cause: "the project doesn't exist, or belongs to another account",
    named: 'wrong project or region',
    options: { emulator: { projectIds: ['another'] } },
    check: 'access',
    kind: 'project-unknown',
    details: { status: 403 },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the project is in another region',
    named: 'wrong project or region',
    plant: ({ faults }) => faults.always(accessPath, rejection(404, 'container_not_found')),
    check: 'access',
    kind: 'project-unknown',
    details: { status: 404, code: 'container_not_found' },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the key was entered as the project ID',
    named: 'key pasted into the wrong field',
    options: { credentials: { projectId: 'C4nary-Key_0123456789' } },
    check: 'access',
    kind: 'setting-holds-secret',
    sent: [1, 1, 1, 0],
  },
  {
    cause: "a 404 that isn't from the service mentions a missing project",
    plant: ({ faults }) => faults.always(accessPath, { status: 404, body: 'no such project' }),
    check: 'access',
    kind: 'unexpected-answer',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the project has no runtime',
    named: 'project without a runtime',
    options: {
      emulator: { projectIdsWithoutRuntime: ['c4nary-project-0123'] },
    },
    check: 'access',
    kind: 'project-without-runtime',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the quota is used up (403)',
    named: 'quota used up',
    options: { emulator: { quotaReached: true } },
    check: 'access',
    kind: 'quota-used-up',
    details: { status: 403 },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the quota is used up (429)',
    named: 'quota used up',
    plant: ({ faults }) => faults.always(accessPath, rejection(429, 'token_quota_reached')),
    check: 'access',
    kind: 'quota-used-up',
    details: { status: 429 },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the quota of a gateway is used up',
    named: 'quota used up',
    options: onGateway,
    plant: ({ faults }) =>
      faults.always(gatewayAccessPath, gatewayRejection(429, 'insufficient_quota')),
    check: 'access',
    kind: 'quota-used-up',
    details: { status: 429 },
    sent: [1, 0, 1, 2],
  },
  {
    cause: 'the account has no permissions',
    named: 'missing permissions',
    plant: ({ faults }) => faults.always(accessPath, rejection(403, 'user_authorization_failed')),
    check: 'access',
    kind: 'forbidden',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'a firewall responds instead of the service (403)',
    named: 'request rejected by a firewall or gateway',
    plant: ({ faults }) => faults.always(accessPath, { status: 403, body: '<html>blocked</html>' }),
    check: 'access',
    kind: 'intercepted',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'a gateway responds instead of the service (401)',
    plant: ({ faults }) => faults.always(accessPath, { status: 401, body: '<html>log in</html>' }),
    check: 'access',
    kind: 'intercepted',
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'the token is removed on the way',
    named: 'token removed by a proxy or gateway',
    plant: ({ faults }) => faults.always(accessPath, rejection(401, 'authentication_no_token')),
    check: 'access',
    kind: 'unauthorized',
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'the network requires a login, so no key is sent',
    named: 'network login page',
    plant: ({ faults }) => faults.always(tokenPath, page),
    check: 'identity-host',
    kind: 'unexpected-answer',
    sent: [1, 0, 0, 0],
  },
  {
    cause: 'the public model list is an HTML page',
    plant: ({ faults }) => faults.always(modelsPath, page),
    check: 'service-host',
    kind: 'unexpected-answer',
    sent: [1, 1, 0, 0],
  },
  {
    cause: 'the identity service gets too many token requests',
    named: 'too many token requests',
    plant: ({ faults }) => faults.always(tokenPath, { status: 429 }),
    check: 'token',
    kind: 'rate-limited',
    sent: [1, 1, 4, 0],
  },
  {
    cause: "the model doesn't support the operation",
    named: 'unsupported operation',
    options: {
      emulator: {
        models: [
          { ...recordedModels[0], model_id: modelId, functions: [{ id: 'text_generation' }] },
        ],
      },
    },
    check: 'access',
    kind: 'operation-unsupported',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the service reports every token as expired',
    named: 'expired token',
    plant: ({ faults }) =>
      faults.always(accessPath, rejection(401, 'authentication_token_expired')),
    check: 'access',
    kind: 'unauthorized',
    details: { code: 'authentication_token_expired' },
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'the service reports every token as invalid, as it does for a key from another account',
    named: 'key from a different account',
    plant: ({ faults }) =>
      faults.always(accessPath, rejection(401, 'authentication_token_not_valid')),
    check: 'access',
    kind: 'unauthorized',
    details: { code: 'authentication_token_not_valid' },
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'the model is unknown',
    named: 'unknown model',
    options: { modelId: 'ibm/no-such-model' },
    check: 'access',
    kind: 'model-unknown',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the model is withdrawn',
    named: 'withdrawn model',
    options: { emulator: { models: [withdrawn(['ibm/next', '[x](command:y)'])] } },
    check: 'access',
    kind: 'model-unknown',
    details: { since: '2026-09-01', successors: ['ibm/next'] },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the service redirects',
    named: 'redirect from an added service',
    plant: ({ faults, url }) => faults.always(modelsPath, { redirectTo: `${url}/elsewhere` }),
    check: 'service-host',
    kind: 'redirected',
    sent: [1, 1, 0, 0],
  },
  {
    cause: 'the identity service redirects',
    named: 'redirect from the identity service',
    plant: ({ faults, url }) => {
      faults.next(tokenPath, { status: 400 });
      faults.always(tokenPath, { redirectTo: `${url}/elsewhere` });
    },
    check: 'token',
    kind: 'redirected',
    sent: [1, 1, 1, 0],
  },
  {
    cause: 'a proxy requires authentication',
    named: 'proxy authentication required',
    plant: ({ faults }) => faults.always(tokenPath, { status: 407 }),
    check: 'identity-host',
    kind: 'proxy',
    details: { status: 407 },
    sent: [1, 0, 0, 0],
  },
  {
    cause: "the host isn't approved",
    options: {
      credentials: (url) => ({ approved: { auth: 'https://other.example', service: url } }),
    },
    check: 'identity-host',
    kind: 'host-not-approved',
    sent: [0, 0, 0, 0],
  },
];

describe('a failed diagnosis', () => {
  afterEach(endExaminations);

  for (const { cause, named, options, plant, check, kind, details, sent } of planted) {
    it(`names the cause: ${cause}`, async () => {
      const examination = await startExamination(options);
      plant?.(examination.emulator);
      const { diagnosis, states } = await examination.examine();
      assert.equal(diagnosis.failure?.kind, kind);
      const actual: Record<string, unknown> = { ...diagnosis.failure?.details };
      for (const [name, value] of Object.entries(details ?? {})) {
        assert.deepEqual(actual[name], value, name);
      }
      if (named) assertNamed(diagnosis, named);
      assert.deepEqual(
        states.filter((state) => state.endsWith(' failed')),
        [`${check} failed`],
      );
      const after = states.slice(states.indexOf(`${check} failed`) + 1);
      assert.ok(after.every((state) => state.endsWith(' not-run')));
      assert.deepEqual(counts(examination), sent);
    });
  }
});
