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
/** All windows begin within it, as after an update of everybody's editor. */
const START = MINUTE;
/** Seconds between two generations of a window, in the mean. */
const USE = 10 * MINUTE;
/** What others set their timers to. */
const FIXED_LEAD = 5 * MINUTE;

/** What happens in each second, to come. */
class Calendar {
  readonly #days: (() => void)[][] = Array.from({ length: END }, () => []);

  /** Anything after the end is forgotten. */
  at(second: number, event: () => void): void {
    this.#days[Math.floor(second)]?.push(event);
  }

  /** @param onSecond told before the events of each second */
  async run(onSecond: (second: number) => void): Promise<void> {
    for (const [second, events] of this.#days.entries()) {
      onSecond(second);
      // An event may add others to its own second.
      for (const event of events) event();
      // Answers arrive within their second.
      if (events.length > 0) await turn();
      events.length = 0;
    }
  }
}

/** Token requests in each second. */
type Load = readonly number[];

/** Ours: the token module of the product, beaten once a minute as the status item does it. */
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

/** What the same windows do with a timer a fixed time before the end. */
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
/** The restart itself is the same for everybody: each window asks once. */
const busiestLater = (load: Load) => Math.max(...load.slice(START));

describe(`${WINDOWS} windows restarted within a minute, ${HOURS} h`, () => {
  // Fewer windows in fewer hours would prove nothing, since the busiest second of a few windows is
  // random.
  if (!isFull) return;

  it(`ask the identity service in its busiest later second a fifth of what a fixed timer does (seed ${seed})`, async () => {
    const fixed = withFixedTimer(randomOf(seed));
    const inUse = await ours(randomOf(seed), true);
    const unused = await ours(randomOf(seed), false);
    const row = (name: string, load: Load) => [
      name,
      total(load),
      busiestLater(load),
      `1/${(busiestLater(fixed) / busiestLater(load)).toFixed(1)}`,
    ];
    const share = Math.min(
      ...[inUse, unused].map((load) => busiestLater(fixed) / busiestLater(load)),
    );
    printTable({
      figure: 'windows',
      title: `${WINDOWS.toLocaleString('en')} windows restarted within a minute, ${HOURS} h: at most 1/${share.toFixed(1)} of the token requests of a fixed timer in the busiest later second (bar 1/5)`,
      heads: ['', 'token requests', 'busiest later second', 'of the fixed timer'],
      rows: [
        row('fixed timer, 5 minutes before the end', fixed),
        row('ours, a generation each 10 minutes', inUse),
        row('ours, one generation and no more', unused),
      ],
      note: `Seed ${seed}.`,
    });
    for (const load of [inUse, unused]) {
      assert.ok(busiestLater(load) <= busiestLater(fixed) / 5);
    }
    assert.equal(total(unused), 3 * WINDOWS, 'two renewals that served nobody, and then none');
  });
});
