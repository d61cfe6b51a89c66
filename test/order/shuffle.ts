import type { Context, RootHookObject, Suite } from 'mocha';
import { randomOf } from '../random.ts';

/**
 * For `mocha --require`: puts suites and tests into an order that its seed decides on, each suite
 * within its own. Mocha has no such option.
 */
export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    const suite = this.test?.parent;
    if (suite) shuffleAll(suite, randomOf(Number(process.env['HOSTED_MODEL_ORDER'])));
  },
};

function shuffleAll(suite: Suite, random: () => number): void {
  shuffle(suite.suites, random);
  shuffle(suite.tests, random);
  for (const inner of suite.suites) shuffleAll(inner, random);
}

/** In place, since mocha goes through these very lists (Fisher and Yates). */
function shuffle<Item>(items: Item[], random: () => number): void {
  for (let left = items.length; left > 1; left -= 1) {
    const [drawn] = items.splice(Math.floor(random() * left), 1);
    if (drawn !== undefined) items.push(drawn);
  }
}
