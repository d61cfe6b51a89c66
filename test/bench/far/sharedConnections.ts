/** Measures how many connections a window's first generations use when the service is far away. */

import {
  type Contestant,
  contestants,
  type Generation,
  rowsByContestant,
  type Window,
  withContestants,
} from '../editor/stage/contestants.ts';
import type { Question } from '../question.ts';

/**
 * Number of consecutive generations in the first question and number of selections in the second.
 */
const [times, selections] = [20, 10];

const questions: Question[] = [
  {
    title: `Far from the service, ${times} consecutive generations`,
    goal: '1 connection to the service',
    measure: () =>
      withContestants(async (open) => {
        const window = await open('far');
        const used = new Map<Contestant, number>();
        for (const who of contestants) used.set(who, await connectionsInTurn(window, who));
        const rows = rowsByContestant('connections', (who) => used.get(who) ?? Number.NaN);
        return { rows, isMet: used.get('product') === 1 };
      }),
  },
  {
    title: `Far from the service, ${selections} selections at the same time`,
    goal: '≤ 3 connections to the service (the concurrency limit)',
    measure: () =>
      withContestants(async (open) => {
        const window = await open('far');
        const lines = Array.from({ length: selections }, (_, line) => line);
        const text = lines.map((line) => `Write letter ${line}.`).join('\n');
        const value = connectionsOf([await window.generate('product', { text, lines })]);
        return { rows: [{ name: 'Hosted Model', value, unit: 'connections' }], isMet: value <= 3 };
      }),
  },
];
export default questions;

async function connectionsInTurn(window: Window, who: Contestant): Promise<number> {
  const all: Generation[] = [];
  for (let time = 0; time < times; time += 1) {
    all.push(await window.generate(who, { isAtOnce: true }));
  }
  return connectionsOf(all);
}

/** Counts the connections to the inference service that these generations opened or reused. */
function connectionsOf(generations: readonly Generation[]): number {
  const all = generations.flatMap(({ events }) => events);
  const toService = all.filter(({ service }) => service === 'inference');
  return new Set(toService.map(({ connection }) => connection)).size;
}
