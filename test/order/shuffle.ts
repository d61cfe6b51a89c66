import type { Context, RootHookObject, Suite } from 'mocha';
import { randomOf } from '../random.ts';

/**
 * For `mocha --require`: shuffles the suites, and the tests within each suite, with the seed in
 * HOSTED_MODEL_ORDER. Mocha has no option for this.
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

/** Shuffles in place (Fisher–Yates), because mocha iterates over these arrays. */
function shuffle<Item>(items: Item[], random: () => number): void {
  for (let left = items.length; left > 1; left -= 1) {
    const [drawn] = items.splice(Math.floor(random() * left), 1);
    if (drawn !== undefined) items.push(drawn);
  }
}
