import assert from 'node:assert/strict';
import type { GenerateOptions } from '../../../src/service/client.ts';
import type { ServiceError } from '../../../src/service/errors.ts';
import { formsIn, textsOfError } from '../../unit/service/canaries.ts';
import { FakeTime } from '../../unit/service/fixtures.ts';
import { chatStream, echoes, key, token } from './echoes.ts';
import { assertOnlyFacts } from './facts.ts';
import { endWorlds, failureOf, startWorld, tokenPath } from './world.ts';

/** The extension's deadline for response headers, in milliseconds. */
const START_MS = 180_000;
const oddKey = 'C4nary+Key/"with\\odd=';

describe(`service errors (${Object.keys(echoes).length} scenarios)`, () => {
  let time: FakeTime | undefined;
  afterEach(async () => {
    time?.end();
    await endWorlds();
  });

  for (const [name, { path, fault }] of Object.entries(echoes)) {
    it(`E02 E04: contain neither the key nor the token after the failure “${name}”`, async () => {
      for (const apiKey of [key, oddKey]) {
        time = fault(apiKey).neverAnswers ? new FakeTime() : undefined;
        const world = await startWorld({ ...(time && { clock: time }), credentials: { apiKey } });
        world.emulator.faults.next(path, fault(apiKey), 9);
        world.emulator.faults.always(tokenPath, { json: { access_token: token } });
        const errors: ServiceError[] = [];
        const generateOptions: GenerateOptions = {
          onRetry: ({ error }) => errors.push(error),
          ...(path === chatStream && { onText: () => {} }),
        };
        const failure = failureOf(world.generate(generateOptions));
        if (time) {
          await world.emulator.requestCount(path, 1);
          await time.pass(START_MS);
        }
        errors.push(await failure);
        time?.end();
        if (world.tokenService.state.kind === 'rejected')
          errors.push(world.tokenService.state.error);
        for (const error of errors) {
          assertOnlyFacts(error);
          const texts = textsOfError(error);
          const forms = [...formsIn(texts, apiKey), ...formsIn(texts, token)];
          assert.deepEqual(forms, [], texts);
          assert.doesNotMatch(texts, /c4nary/i);
        }
        assert.ok(world.emulator.count(path) > 0, 'the scenario took place');
      }
    });
  }
});
