/** Activation of the shipped extension in a real extension host, beside that of an empty one. */

import { extensionId } from '../../extensionId.ts';
import type { Question } from '../question.ts';
import { compared, median } from './stage/figures.ts';
import { emptyId } from './stage/install.ts';
import { onStage } from './stage/stage.ts';

/** Extension hosts; each activates both, and the other one first in turn. */
const rounds = 10;
/** Activated before both, since the first of a host waits for what all of them need. */
const firstId = 'bench.fetchAndEdit';

const question: Question = {
  title: 'Activation in a real extension host',
  goal: 'reported',
  measure: () =>
    onStage(async ({ start }) => {
      const product: number[] = [];
      const empty: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const driver = await start();
        const order = round % 2 === 0 ? [extensionId, emptyId] : [emptyId, extensionId];
        const taken = await driver.do('activate', [firstId, ...order]);
        product.push(taken[extensionId] ?? Number.NaN);
        empty.push(taken[emptyId] ?? Number.NaN);
      }
      return {
        rows: compared(
          'ms',
          ['Hosted Model', median(product)],
          ['an empty extension', median(empty)],
        ),
      };
    }),
};
export default question;
