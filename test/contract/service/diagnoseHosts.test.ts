import assert from 'node:assert/strict';
import type { Emulator } from '../../emulator/emulator.ts';
import { assertUntouched, startUnapproved } from '../../emulator/unapproved.ts';
import { counts, endExaminations, modelsPath, startExamination } from './diagnoseWorld.ts';
import { tokenPath } from './world.ts';

describe('a diagnosis', () => {
  afterEach(endExaminations);

  const redirects: readonly [
    string,
    (emulator: Emulator, redirectTo: string) => void,
    readonly number[],
  ][] = [
    [
      'an identity request without a key',
      ({ faults }, redirectTo) => faults.always(tokenPath, { redirectTo }),
      [1, 0, 0, 0],
    ],
    [
      'a token request',
      ({ faults }, redirectTo) => {
        faults.next(tokenPath, { status: 400 });
        faults.always(tokenPath, { redirectTo });
      },
      [1, 1, 1, 0],
    ],
    [
      'a request for the model list',
      ({ faults }, redirectTo) => faults.always(modelsPath, { redirectTo }),
      [1, 1, 0, 0],
    ],
  ];
  for (const [what, plant, sent] of redirects) {
    it(`doesn't follow a redirect to an unapproved host in response to ${what}`, async () => {
      const elsewhere = await startUnapproved();
      const examination = await startExamination();
      plant(examination.emulator, `${elsewhere.url}/elsewhere`);
      const { failure } = (await examination.examine()).diagnosis;
      assert.deepEqual(
        [failure?.kind, failure?.details.redirectHost],
        ['redirected', elsewhere.host],
      );
      assert.deepEqual(counts(examination), sent);
      assertUntouched(elsewhere);
    });
  }

  for (const address of ['authUrl', 'serviceUrl'] as const) {
    it(`doesn't contact an unapproved host that ${address} points to`, async () => {
      const elsewhere = await startUnapproved();
      const { examine } = await startExamination({
        credentials: (url) => ({
          [address]: elsewhere.url,
          approved: { auth: url, service: url },
        }),
      });
      const { failure } = (await examine()).diagnosis;
      assert.deepEqual(
        [failure?.kind, failure?.details.host],
        ['host-not-approved', elsewhere.host],
      );
      assertUntouched(elsewhere);
    });
  }
});
