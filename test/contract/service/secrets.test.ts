import assert from 'node:assert/strict';
import type { GenerateOptions } from '../../../src/service/client.ts';
import type { ServiceError } from '../../../src/service/errors.ts';
import { formsIn, textsOfError } from '../../unit/service/canaries.ts';
import { chatStream, echoes, key, token } from './echoes.ts';
import { assertOnlyFacts } from './facts.ts';
import { endWorlds, failureOf, startWorld, tokenPath } from './world.ts';

const oddKey = 'C4nary+Key/"with\\odd=';

describe(`neither key nor token is in any error: ${Object.keys(echoes).length} scenarios`, () => {
  afterEach(endWorlds);

  for (const [name, { path, fault, options }] of Object.entries(echoes)) {
    it(`E02 E04: ${name}`, async () => {
      for (const apiKey of [key, oddKey]) {
        const world = await startWorld({ ...options, credentials: { apiKey } });
        world.emulator.faults.next(path, fault(apiKey), 9);
        world.emulator.faults.always(tokenPath, { json: { access_token: token } });
        const errors: ServiceError[] = [];
        const generateOptions: GenerateOptions = {
          onRetry: ({ error }) => errors.push(error),
          ...(path === chatStream && { onText: () => {} }),
        };
        errors.push(await failureOf(world.generate(generateOptions)));
        if (world.tokenService.state.kind === 'refused')
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
