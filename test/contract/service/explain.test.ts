import assert from 'node:assert/strict';
import { messageFor } from '../../../src/messages/messages.ts';
import { ERROR_KINDS, type ErrorKind, ServiceError } from '../../../src/service/errors.ts';
import { explain } from '../../../src/service/models/rejectionCause.ts';
import type { Emulator } from '../../emulator/emulator.ts';
import { recordedModels } from '../../emulator/models.ts';
import {
  accessPath,
  type ExaminationOptions,
  endExaminations,
  gatewayAccessPath,
  gatewayChatPath,
  gatewayRejection,
  modelsPath,
  onGateway,
  rejection,
  settings,
  startExamination,
} from './diagnoseWorld.ts';
import { failureOf, modelId, pathOf, tokenPath } from './world.ts';

const chat = pathOf('chat', false);
const expired = rejection(401, 'authentication_token_expired');
const notValid = rejection(401, 'authentication_token_not_valid');

interface Case {
  readonly cause: string;
  /** See `onGateway` for a failure that only an OpenAI-compatible service reports. */
  readonly options?: ExaminationOptions;
  /** The path of the generation request. Defaults to watsonx.ai's path. */
  readonly chatPath?: string;
  readonly plant: (emulator: Emulator) => void;
  readonly rejected: ErrorKind;
  readonly explained: ErrorKind;
  readonly message: RegExp;
}

const onBoth = ({ faults }: Emulator, fault: typeof expired) => {
  for (const path of [chat, accessPath]) faults.always(path, fault);
};
const onChat = ({ faults }: Emulator, fault: typeof expired) => faults.always(chat, fault);

const acceptTwoTokens = ({ faults }: Emulator) => {
  const json = { access_token: 'c4nary-token_0123456789', expires_in: 3_600 };
  faults.next(tokenPath, { json }, 2);
};

const cases: readonly Case[] = [
  {
    cause: 'the service reports every token as expired',
    plant: (emulator) => onBoth(emulator, expired),
    rejected: 'unauthorized',
    explained: 'unauthorized',
    message: /the new token has already expired/,
  },
  {
    cause: 'the key belongs to another account',
    plant: (emulator) => onBoth(emulator, notValid),
    rejected: 'unauthorized',
    explained: 'unauthorized',
    message: /may belong to different accounts or regions/,
  },
  {
    cause: 'the project is wrong',
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.settings.projectIds = ['another'];
    },
    rejected: 'unauthorized',
    explained: 'project-unknown',
    message: /project doesn’t exist in this region/,
  },
  {
    cause: 'the project is in another region',
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.faults.always(accessPath, rejection(404, 'container_not_found'));
    },
    rejected: 'unauthorized',
    explained: 'project-unknown',
    message: /doesn’t exist in this region/,
  },
  {
    cause: 'the key is now rejected',
    plant: (emulator) => {
      onChat(emulator, notValid);
      acceptTwoTokens(emulator);
      emulator.settings.apiKeys = ['another'];
    },
    rejected: 'unauthorized',
    explained: 'key-rejected',
    message: /unknown, expired, or disabled/,
  },
  {
    cause: 'the token request is now rejected',
    plant: (emulator) => {
      onChat(emulator, notValid);
      acceptTwoTokens(emulator);
      const json = { errorCode: 'BXNIM0106E', errorMessage: 'text' };
      emulator.faults.always(tokenPath, { status: 400, json });
    },
    rejected: 'unauthorized',
    explained: 'token-request-rejected',
    message: /identity service rejected the token request/,
  },
  {
    cause: 'the project is missing',
    plant: (emulator) => {
      onChat(emulator, notValid);
      const missing = 'Missing either space_id or project_id';
      emulator.faults.always(accessPath, rejection(400, 'invalid_request_entity', missing));
    },
    rejected: 'unauthorized',
    explained: 'project-missing',
    message: /the request has no project ID/,
  },
  {
    cause: 'the project has no runtime',
    plant: (emulator) => {
      onChat(emulator, notValid);
      const code = 'no_associated_service_instance_error';
      emulator.faults.always(accessPath, rejection(403, code));
    },
    rejected: 'unauthorized',
    explained: 'project-without-runtime',
    message: /no runtime service/,
  },
  {
    cause: 'the model is unknown',
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.faults.always(accessPath, rejection(404, 'model_not_supported'));
    },
    rejected: 'unauthorized',
    explained: 'model-unknown',
    message: /doesn’t offer the selected model/,
  },
  {
    cause: "the model doesn't support the operation",
    plant: (emulator) => {
      onChat(emulator, rejection(403, 'x'));
      const functions = [{ id: 'text_generation' }];
      emulator.settings.models = [{ ...recordedModels[0], model_id: modelId, functions }];
    },
    rejected: 'forbidden',
    explained: 'operation-unsupported',
    message: /doesn’t support the selected operation/,
  },
  {
    cause: 'the quota of a gateway is used up',
    ...{ options: onGateway, chatPath: gatewayChatPath },
    plant: ({ faults }) => {
      faults.always(gatewayChatPath, gatewayRejection(403, 'x'));
      faults.always(gatewayAccessPath, gatewayRejection(429, 'insufficient_quota'));
    },
    rejected: 'forbidden',
    explained: 'quota-used-up',
    message: /plan’s quota is used up/,
  },
  {
    cause: 'the quota is used up',
    plant: (emulator) => {
      onChat(emulator, rejection(403, 'x'));
      emulator.settings.quotaReached = true;
    },
    rejected: 'forbidden',
    explained: 'quota-used-up',
    message: /plan’s quota is used up/,
  },
  {
    cause: "the checks can't find the cause",
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.faults.always(accessPath, { status: 503 });
    },
    rejected: 'unauthorized',
    explained: 'unauthorized',
    message: /rejected the new token.*The exact cause couldn’t be determined\.$/,
  },
  {
    cause: 'the service is too busy for the checks',
    plant: (emulator) => {
      onChat(emulator, rejection(403, 'x'));
      emulator.faults.always(accessPath, rejection(429, 'rate_limit_reached_requests'));
    },
    rejected: 'forbidden',
    explained: 'forbidden',
    message: /doesn’t allow this.*couldn’t be determined\.$/,
  },
  {
    cause: 'the cause is gone',
    plant: (emulator) => onChat(emulator, notValid),
    rejected: 'unauthorized',
    explained: 'rejected-once',
    message: /all checks pass now/,
  },
  {
    cause: 'only the permission to generate is missing',
    plant: (emulator) => onChat(emulator, rejection(403, 'user_authorization_failed')),
    rejected: 'forbidden',
    explained: 'forbidden',
    message: /not have permission to use the project/,
  },
];

describe('a rejected generation', () => {
  afterEach(endExaminations);

  it('has a test for every error kind that can explain it', () => {
    const kinds = Object.keys(ERROR_KINDS) as ErrorKind[];
    const explaining = kinds.filter((kind) => new ServiceError(kind).handling.explainsRejection);
    const tested = cases.map(({ explained }) => explained);
    const untested = explaining.filter((kind) => !tested.includes(kind));
    assert.deepEqual(untested, [], 'add a case for each of these kinds');
  });

  for (const { cause, options, chatPath = chat, plant, rejected, explained, message } of cases) {
    it(`is explained as ${explained} if ${cause}`, async () => {
      const { emulator, runtime, credentials, examine } = await startExamination(options);
      plant(emulator);
      const client = runtime.client(credentials, settings);
      const rejectionOfChat = await failureOf(client.generateText('Hi', {}));
      assert.equal(rejectionOfChat.kind, rejected);
      const replays = rejected === 'unauthorized' ? 2 : 1;
      assert.equal(emulator.count(chatPath), replays);
      const { diagnosis } = await examine();
      const cause = explain(rejectionOfChat, diagnosis.failure);
      assert.equal(cause.kind, explained);
      assert.match(messageFor(cause)?.text ?? '', message);
      assert.doesNotMatch(messageFor(cause)?.text ?? '', /unauthorized/i);
      assert.equal(emulator.count(chatPath), replays, 'nothing else is generated');
    });
  }
});

describe('a rejection that may be due to the model', () => {
  afterEach(endExaminations);
  const old = 'ibm/granite-3-3-8b-instruct';

  async function rejected(modelId: string, parameters = {}, prompt = 'Hi') {
    const { emulator, runtime, credentials } = await startExamination({
      emulator: { now: () => Date.parse('2027-01-16') },
    });
    const client = runtime.client(credentials, { ...settings, modelId });
    const failure = () => failureOf(client.generateText(prompt, parameters));
    return { emulator, failure };
  }

  it("is attributed to the model's withdrawal if the service has withdrawn the model", async () => {
    const { failure } = await rejected(old);
    assert.equal(
      messageFor(await failure())?.text,
      'The service withdrew the selected model on 2027-01-15 and suggests ibm/granite-4-h-small instead. Select another model.',
    );
  });

  const narrow = { max_sequence_length: 4_096, max_output_tokens: 512 };
  const bad = { errors: [{ code: 'invalid_input_argument', message: 'Invalid input argument' }] };
  it("is attributed to the model's output token limit if the request exceeded it", async () => {
    const { emulator, failure } = await rejected('maker/narrow', { max_new_tokens: 600 });
    const entry = { model_id: 'maker/narrow', model_limits: narrow };
    emulator.faults.always(modelsPath, { json: { resources: [entry] } });
    emulator.faults.next('/ml/v1/text/chat', { status: 400, json: bad });
    const error = await failure();
    assert.match(messageFor(error)?.text ?? '', /max_new_tokens.*512/);
    assert.deepEqual([error.details.status, error.details.attempts], [400, 1]);
  });

  it("isn't blamed on the model if the prompt might be too long", async () => {
    const { emulator, failure } = await rejected('maker/narrow', {}, 'word '.repeat(9_000));
    const entry = { model_id: 'maker/narrow', model_limits: narrow };
    emulator.faults.always(modelsPath, { json: { resources: [entry] } });
    emulator.faults.next('/ml/v1/text/chat', { status: 400, json: bad });
    assert.equal((await failure()).kind, 'bad-request');
  });

  it("is attributed to the model's withdrawal only if the model list confirms it", async () => {
    const unknown = await rejected('my-deployment');
    assert.equal((await unknown.failure()).kind, 'model-unknown');
    const silent = await rejected(old);
    silent.emulator.faults.always(modelsPath, { status: 400 });
    assert.equal((await silent.failure()).details.successors, undefined);
  });
});
