import assert from 'node:assert/strict';
import type { ErrorKind } from '../../../src/service/errors.ts';
import { explain, explainModel } from '../../../src/service/explain.ts';
import { messageFor } from '../../../src/ui/messages.ts';
import type { Emulator } from '../../emulator/emulator.ts';
import { endExaminations, settings, startExamination } from './diagnoseWorld.ts';
import { failureOf, pathOf, tokenPath } from './world.ts';

const chat = pathOf('chat', false);
const accessPath = '/ml/v1/text/tokenization';
const refusal = (status: number, code: string) => ({
  status,
  json: { errors: [{ code, message: '' }], trace: 'abc', status_code: status },
});
const expired = refusal(401, 'authentication_token_expired');
const notValid = refusal(401, 'authentication_token_not_valid');

interface Case {
  readonly cause: string;
  readonly plant: (emulator: Emulator) => void;
  readonly refused: ErrorKind;
  readonly explained: ErrorKind;
  readonly says: RegExp;
}

const onBoth = ({ faults }: Emulator, fault: typeof expired) => {
  for (const path of [chat, accessPath]) faults.always(path, fault);
};
const onChat = ({ faults }: Emulator, fault: typeof expired) => faults.always(chat, fault);

const cases: readonly Case[] = [
  {
    cause: 'every token is called expired',
    plant: (emulator) => onBoth(emulator, expired),
    refused: 'unauthorized',
    explained: 'unauthorized',
    says: /called a new token expired/,
  },
  {
    cause: 'the key is of another account',
    plant: (emulator) => onBoth(emulator, notValid),
    refused: 'unauthorized',
    explained: 'unauthorized',
    says: /not of one account and region/,
  },
  {
    cause: 'the project is wrong',
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.settings.projectIds = ['another'];
    },
    refused: 'unauthorized',
    explained: 'project-unknown',
    says: /project was not found in this region/,
  },
  {
    cause: 'the project is of another region',
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.faults.always(accessPath, refusal(404, 'container_not_found'));
    },
    refused: 'unauthorized',
    explained: 'project-unknown',
    says: /not found in this region/,
  },
  {
    cause: 'the key is refused by now',
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.faults.next(
        tokenPath,
        {
          json: { access_token: 'c4nary-token_0123456789', expires_in: 3_600 },
        },
        2,
      );
      emulator.settings.apiKeys = ['another'];
    },
    refused: 'unauthorized',
    explained: 'key-refused',
    says: /unknown, expired or disabled/,
  },
  {
    cause: 'the quota is used up',
    plant: (emulator) => {
      onChat(emulator, refusal(403, 'x'));
      emulator.settings.quotaReached = true;
    },
    refused: 'forbidden',
    explained: 'quota-used-up',
    says: /quota of the plan is used up/,
  },
  {
    cause: 'the checks are kept from looking',
    plant: (emulator) => {
      onChat(emulator, notValid);
      emulator.faults.always(accessPath, { status: 503 });
    },
    refused: 'unauthorized',
    explained: 'unauthorized',
    says: /refused a new token.*Its cause could not be checked now\.$/,
  },
  {
    cause: 'the service is too busy for the checks',
    plant: (emulator) => {
      onChat(emulator, refusal(403, 'x'));
      emulator.faults.always(accessPath, refusal(429, 'rate_limit_reached_requests'));
    },
    refused: 'forbidden',
    explained: 'forbidden',
    says: /does not allow this.*could not be checked now\.$/,
  },
  {
    cause: 'it has passed',
    plant: (emulator) => onChat(emulator, notValid),
    refused: 'unauthorized',
    explained: 'refused-once',
    says: /all checks pass now/,
  },
  {
    cause: 'only the right to generate is missing',
    plant: (emulator) => onChat(emulator, refusal(403, 'user_authorization_failed')),
    refused: 'forbidden',
    explained: 'forbidden',
    says: /no rights in the project/,
  },
];

describe('a refused generation is explained', () => {
  afterEach(endExaminations);

  for (const { cause, plant, refused, explained, says } of cases) {
    it(`where ${cause}`, async () => {
      const { emulator, session, credentials, examine } = await startExamination();
      plant(emulator);
      const client = session.client(credentials, settings);
      const refusalOfChat = await failureOf(client.generateText('Hi', {}));
      assert.equal(refusalOfChat.kind, refused);
      const replays = refused === 'unauthorized' ? 2 : 1;
      assert.equal(emulator.count(chat), replays);
      const { diagnosis } = await examine();
      const cause = explain(refusalOfChat, diagnosis.failure);
      assert.equal(cause.kind, explained);
      assert.match(messageFor(cause)?.text ?? '', says);
      assert.doesNotMatch(messageFor(cause)?.text ?? '', /unauthorized/i);
      assert.equal(emulator.count(chat), replays, 'nothing more is generated');
    });
  }
});

describe('a model that is refused', () => {
  afterEach(endExaminations);
  const modelId = 'ibm/granite-3-3-8b-instruct';
  const never = new AbortController().signal;

  async function refused() {
    const { emulator, session, credentials } = await startExamination();
    emulator.settings.clockOffsetSeconds = (Date.parse('2027-01-16') - Date.now()) / 1_000;
    const client = session.client(credentials, { ...settings, modelId });
    const refusalOfChat = await failureOf(client.generateText('Hi', {}));
    const from = { ...credentials, operation: 'chat', modelId } as const;
    return { emulator, refusalOfChat, http: session.http, from };
  }

  it('is explained by what the service says became of it', async () => {
    const { refusalOfChat, http, from } = await refused();
    assert.deepEqual(
      [refusalOfChat.kind, refusalOfChat.details.successors],
      ['model-unknown', undefined],
    );
    const { text } = messageFor(await explainModel(refusalOfChat, http, from, never)) ?? {};
    assert.equal(
      text,
      'The service withdrew the model in the settings on 2027-01-15 and names ibm/granite-4-h-small in its place. Select another one.',
    );
  });

  it('stays refused for no known reason where the list knows nothing of it or fails', async () => {
    const { emulator, refusalOfChat, http, from } = await refused();
    const other = { ...from, modelId: 'my-deployment' };
    assert.equal(await explainModel(refusalOfChat, http, other, never), refusalOfChat);
    emulator.faults.always('/ml/v1/foundation_model_specs', { status: 400 });
    assert.equal(await explainModel(refusalOfChat, http, from, never), refusalOfChat);
  });
});
