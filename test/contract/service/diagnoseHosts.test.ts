import assert from 'node:assert/strict';
import type { Emulator } from '../../emulator/emulator.ts';
import { assertUntouched, startUnapproved } from '../../emulator/unapproved.ts';
import { counts, endExaminations, modelsPath, startExamination } from './diagnoseWorld.ts';
import { tokenPath } from './world.ts';

describe('a diagnosis asks no host that nobody approved', () => {
  afterEach(endExaminations);

  const redirects: readonly [
    string,
    (emulator: Emulator, redirectTo: string) => void,
    readonly number[],
  ][] = [
    [
      'identity service without a key',
      ({ faults }, redirectTo) => faults.always(tokenPath, { redirectTo }),
      [1, 0, 0, 0],
    ],
    [
      'identity service with the key',
      ({ faults }, redirectTo) => {
        faults.next(tokenPath, { status: 400 });
        faults.always(tokenPath, { redirectTo });
      },
      [1, 1, 1, 0],
    ],
    [
      'list of models',
      ({ faults }, redirectTo) => faults.always(modelsPath, { redirectTo }),
      [1, 1, 0, 0],
    ],
  ];
  for (const [what, plant, sent] of redirects) {
    it(`where the ${what} redirects to it`, async () => {
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
    it(`where ${address} leads to it`, async () => {
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
