import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { TokenService } from '../../src/service/auth/tokenService.ts';
import { systemClock } from '../../src/service/clock.ts';
import { randomOf } from '../random.ts';
import { printTable } from '../table.ts';
import { never, seed, tokenAnswer } from '../unit/service/fixtures.ts';
import { isFull } from './fullOrShort.ts';

const WINDOWS = 10_000;
const MINUTE = 60;
const LIFE = 60 * MINUTE;
const HOURS = 8;
const END = HOURS * 60 * MINUTE;
/** All windows start within this many seconds, as they do after a VS Code update. */
const START = MINUTE;
/** Mean time between generations in a window, in seconds. */
const USE = 10 * MINUTE;
/** How many seconds before expiration a client with a fixed timer refreshes its token. */
const FIXED_LEAD = 5 * MINUTE;

/** Schedules events and runs them second by second. */
class Calendar {
  readonly #days: (() => void)[][] = Array.from({ length: END }, () => []);

  /** Schedules an event, unless `second` is after the end of the simulation. */
  at(second: number, event: () => void): void {
    this.#days[Math.floor(second)]?.push(event);
  }

  /** @param onSecond called before the events of each second */
  async run(onSecond: (second: number) => void): Promise<void> {
    for (const [second, events] of this.#days.entries()) {
      onSecond(second);
      // An event can schedule more events for the same second.
      for (const event of events) event();
      // Lets responses arrive within the same second.
      if (events.length > 0) await turn();
      events.length = 0;
    }
  }
}

/** The number of token requests in each second. */
type Load = readonly number[];

/**
 * Simulates the extension's token service in each window. As in a focused window, `keepFresh` is
 * called once a minute.
 */
async function ours(random: () => number, isInUse: boolean): Promise<Load> {
  const load = new Array<number>(END).fill(0);
  const calendar = new Calendar();
  let nowMs = 0;
  const clock = {
    ...systemClock,
    now: () => 1_800_000_000_000 + nowMs,
    monotonic: () => nowMs,
  };
  for (let window = 0; window < WINDOWS; window += 1) {
    const service = new TokenService({
      clock,
      random,
      fetchToken: async () => {
        const second = Math.floor(nowMs / 1_000);
        load[second] = (load[second] ?? 0) + 1;
        return { ...tokenAnswer, expiresIn: LIFE };
      },
    });
    const startsAt = random() * START;
    const use = (at: number) => {
      void service.get(never);
      const next = at - Math.log(1 - random()) * USE;
      if (isInUse) calendar.at(next, () => use(next));
    };
    const beat = (at: number) => {
      service.keepFresh();
      calendar.at(at + MINUTE, () => beat(at + MINUTE));
    };
    calendar.at(startsAt, () => use(startsAt));
    calendar.at(startsAt + MINUTE, () => beat(startsAt + MINUTE));
  }
  await calendar.run((second) => {
    nowMs = second * 1_000;
  });
  return load;
}

/**
 * Simulates the same number of windows, with timers that refresh each token at a fixed time before
 * it expires.
 */
function withFixedTimer(random: () => number): Load {
  const load = new Array<number>(END).fill(0);
  for (let window = 0; window < WINDOWS; window += 1) {
    for (let at = Math.floor(random() * START); at < END; at += LIFE - FIXED_LEAD) {
      load[at] = (load[at] ?? 0) + 1;
    }
  }
  return load;
}

const total = (load: Load) => load.reduce((sum, count) => sum + count, 0);
/**
 * Returns the highest number of token requests in any one second after all windows have started.
 */
const busiestLater = (load: Load) => Math.max(...load.slice(START));

describe(`${WINDOWS} windows that restart within the same minute and stay open for ${HOURS} h`, () => {
  // A short version with fewer windows and hours would prove nothing, because with only a few
  // windows, the load in the busiest second is mostly a matter of chance.
  if (!isFull) return;

  it(`send at most one-fifth as many token requests at later peaks as they would with fixed timers (seed ${seed})`, async () => {
    const fixed = withFixedTimer(randomOf(seed));
    const inUse = await ours(randomOf(seed), true);
    const unused = await ours(randomOf(seed), false);
    const row = (name: string, load: Load) => [
      name,
      total(load),
      busiestLater(load),
      `${(busiestLater(load) / busiestLater(fixed)).toFixed(2)} ×`,
    ];
    const share = Math.min(
      ...[inUse, unused].map((load) => busiestLater(fixed) / busiestLater(load)),
    );
    printTable({
      figure: 'windows',
      title: `${WINDOWS.toLocaleString('en')} windows restart within the same minute and then stay open for ${HOURS} h. After that minute, the busiest second has at least ${share.toFixed(1)} times as many token requests with a fixed timer as with Hosted Model (bar: 5 times).`,
      heads: [
        '',
        'token requests',
        'requests in the busiest second',
        'compared with the fixed timer',
      ],
      rows: [
        row('fixed timer, 5 minutes before expiration', fixed),
        row('Hosted Model, a generation every 10 minutes on average', inUse),
        row('Hosted Model, only one generation', unused),
      ],
      note: `Seed: ${seed}.`,
    });
    for (const load of [inUse, unused]) {
      assert.ok(busiestLater(load) <= busiestLater(fixed) / 5);
    }
    assert.equal(total(unused), 3 * WINDOWS, 'two unused refreshes, and then none');
  });
});
