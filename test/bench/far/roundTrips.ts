/**
 * Measures the number of round trips until the first character, in a real VS Code that is far from
 * the service.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Contestant,
  contestants,
  far,
  type Generation,
  rowsByContestant,
  titles,
  type Window,
  withContestants,
} from '../editor/stage/contestants.ts';
import { median } from '../editor/stage/figures.ts';
import { clockMs } from '../editor/stage/protocol.ts';
import type { Question } from '../question.ts';

/** Number of windows at each distance: far from the service and near it. */
const windows = 5;

/**
 * Milliseconds since the previous generation: the maximum for `next`, and the minimum for `later`.
 */
const [soonMs, laterMs] = [2_000, 12_000];

type Moment = 'first' | 'next' | 'later';
type Generations = Record<Moment, Generation>;
type Measured = Record<'far' | 'near', Record<Contestant, Generations>[]>;

const questions: Question[] = [
  question('the first generation in a window', 'first', 4.2),
  question('the next generation within 2 s', 'next', 1.2, 0),
  question('a generation 12 s later', 'later', 3.2),
];
export default questions;

/**
 * @param most the maximum number of extra round trips until the first character, compared with a
 * nearby service
 */
function question(what: string, moment: Moment, most: number, mostOpened?: number): Question {
  return {
    title: `Far from the service, first character of ${what}`,
    goal: `≤ ${most} round trips${mostOpened === undefined ? '' : `, ${mostOpened} new connections`}`,
    measure: async () => {
      const all = await measuredOnce();
      const firstMs = (distance: keyof Measured, who: Contestant) =>
        median(all[distance].map((window) => window[who][moment].firstMs));
      const trips = (who: Contestant) =>
        (firstMs('far', who) - firstMs('near', who)) / far.roundTripMs;
      const opened = (who: Contestant) =>
        median(all.far.map((window) => openedIn(window[who][moment])));
      const connections = contestants.map((who) => {
        return { name: titles[who], value: opened(who), unit: 'new connections' };
      });
      return {
        rows: [...rowsByContestant('round trips', trips), ...connections],
        isMet:
          trips('product') <= most && opened('product') <= (mostOpened ?? Number.POSITIVE_INFINITY),
      };
    },
  };
}

function openedIn({ events }: Generation): number {
  return events.filter(({ kind }) => kind === 'opened').length;
}

let measuring: Promise<Measured> | undefined;

/**
 * Takes the measurements for all three questions on the first call, and returns the same results on
 * later calls.
 */
function measuredOnce(): Promise<Measured> {
  measuring ??= withContestants(async (open) => {
    const all: Measured = { far: [], near: [] };
    for (let round = 0; round < windows; round += 1) {
      // Each round starts with a different contestant so that a window's startup work affects all
      // contestants equally.
      const first = round % contestants.length;
      const rotated = [...contestants.slice(first), ...contestants.slice(0, first)];
      for (const distance of ['far', 'near'] as const) {
        all[distance].push(await generateInTurn(await open(distance), rotated));
      }
    }
    for (const who of contestants) printEvents(who, all.far.at(-1)?.[who]);
    return all;
  });
  return measuring;
}

async function generateInTurn(
  window: Window,
  order: readonly Contestant[],
): Promise<Record<Contestant, Generations>> {
  const all = {} as Record<Contestant, Generations>;
  for (const who of order) {
    const first = await window.generate(who);
    const next = await window.generate(who, { isAtOnce: true });
    const betweenMs = next.startedAt - first.endedAt;
    if (betweenMs > soonMs)
      throw new Error(`The machine is too busy: the next generation started after ${betweenMs} ms`);
    all[who] = { first, next, later: next };
  }
  for (const who of order) {
    await pause(Math.max(0, all[who].next.endedAt + laterMs - clockMs()));
    all[who].later = await window.generate(who);
  }
  return all;
}

/** Prints the time of each event, in round trips since the command. */
function printEvents(who: Contestant, generations: Generations | undefined): void {
  for (const [moment, { startedAt, firstMs, events }] of Object.entries(generations ?? {})) {
    const trips = (ms: number) => (ms / far.roundTripMs).toFixed(1);
    const course = events.map(
      ({ service, kind, atMs }) => `${trips(atMs - startedAt)} ${service} ${kind}`,
    );
    console.log(
      `${titles[who]}, ${moment}: ${course.join(', ')}, ${trips(firstMs)} first character`,
    );
  }
}
