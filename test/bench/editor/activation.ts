/**
 * Compares how long four extensions take to activate in a real extension host: the shipped
 * extension, an empty extension, and two that register the same items as the shipped extension but
 * have empty handlers. One of those two is a CommonJS module.
 */

import { extensionId } from '../../extensionId.ts';
import type { Question } from '../question.ts';
import { compared, median } from './stage/figures.ts';
import { emptyId, sameRegistrationsCommonJsId, sameRegistrationsId } from './stage/install.ts';
import { onStage } from './stage/stage.ts';

/** Number of extension hosts. Each host activates all four extensions, in rotating order. */
const rounds = 12;
/**
 * ID of a fifth extension, which is activated first and isn't part of the comparison. The first
 * activation in a host takes longer, because it also loads code that all extensions share.
 */
const firstId = 'bench.fetchAndEdit';

const question: Question = {
  title: 'Activation in a real extension host',
  goal: 'none',
  measure: () =>
    onStage(async ({ start }) => {
      const ids = [extensionId, emptyId, sameRegistrationsId, sameRegistrationsCommonJsId];
      const times = new Map(ids.map((id) => [id, [] as number[]]));
      for (let round = 0; round < rounds; round += 1) {
        const driver = await start();
        const first = round % ids.length;
        const order = [...ids.slice(first), ...ids.slice(0, first)];
        const taken = await driver.do('activate', [firstId, ...order]);
        for (const id of ids) times.get(id)?.push(taken[id] ?? Number.NaN);
      }
      const middle = (id: string) => median(times.get(id) ?? []);
      return {
        rows: compared(
          'ms',
          ['Hosted Model', middle(extensionId)],
          ['an empty extension', middle(emptyId)],
          ['the same registrations, with empty handlers', middle(sameRegistrationsId)],
          ['the same registrations, in CommonJS', middle(sameRegistrationsCommonJsId)],
        ),
      };
    }),
};
export default question;
