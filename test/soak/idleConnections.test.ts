import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isKind } from '../../src/service/errors.ts';
import { lineTo } from '../contract/service/line.ts';
import { endWorlds, startWorld } from '../contract/service/world.ts';
import { randomOf } from '../random.ts';
import { seed } from '../unit/service/fixtures.ts';
import { inForm } from './fullOrShort.ts';
import { prove } from './measures.ts';

/** After how many milliseconds the services close what nobody uses, without saying so. */
const CLOSES_MS = inForm(1, 0) ? [1_000, 4_000, 5_000] : [100, 150, 200];
const LANES = inForm(10, 2);
/** Generations of one lane. */
const IN_TURN = inForm(10, 5);
/** Each way: in it a request can meet a close. */
const DELAY_MS = 20;

interface Generation {
  /** On the clock of `performance`. */
  readonly calledAt: number;
  readonly outcome: 'answered' | 'lost';
}

interface Lane {
  readonly generations: readonly Generation[];
  /** When the closes of idle connections had come to this end. */
  readonly closedAt: readonly number[];
  /** Requests that the service received. */
  readonly received: number;
}

async function playLane(closesIdleMs: number, random: () => number): Promise<Lane> {
  const service = await startWorld();
  const line = await lineTo(service.emulator.url, { closesIdleMs, delayMs: DELAY_MS });
  const { url } = line;
  const { tokenService } = service;
  const world = await startWorld({
    credentials: { serviceUrl: url, approved: { auth: service.emulator.url, service: url } },
  });
  // The token comes on another way: this is about the one to the inference service.
  world.tokenService.get = (signal) => tokenService.get(signal);
  const generations: Generation[] = [];
  for (let count = 0; count < IN_TURN; count += 1) {
    const calledAt = performance.now();
    const outcome = await world.generate({ onText: () => {} }).then(
      () => 'answered' as const,
      (error: unknown) => {
        assert.ok(isKind(error, 'connection-lost'), `${error}`);
        return 'lost' as const;
      },
    );
    generations.push({ calledAt, outcome });
    await pause(closesIdleMs * (0.9 + 0.2 * random()));
  }
  line.close();
  return { generations, closedAt: line.closedAt, received: service.inferenceCount() };
}

describe('services that close what nobody uses, and do not say so', () => {
  afterEach(endWorlds);

  it(`lose no generation but one that was on its way already, and get none twice (seed ${seed})`, async () => {
    const random = randomOf(seed);
    const plans = CLOSES_MS.flatMap((ms) => Array.from({ length: LANES }, () => ms));
    const lanes = await Promise.all(plans.map((ms) => playLane(ms, random)));
    const all = lanes.flatMap(({ generations }) => generations);
    const lost = all.filter(({ outcome }) => outcome === 'lost').length;
    const inVain = lanes.map(({ generations, closedAt }) => {
      const isLate = ({ calledAt }: Generation, next = Number.POSITIVE_INFINITY) =>
        closedAt.some((at) => at < calledAt && calledAt < next && calledAt - at < DELAY_MS / 4);
      return generations.filter((one) => one.outcome === 'lost' && isLate(one)).length;
    });
    const twice = lanes.filter(({ generations, received }) => received > generations.length).length;
    prove(
      `${all.length} generations at random distances, to services that close idle connections after ${CLOSES_MS.join(', ')} ms`,
      [
        { what: 'generations', found: all.length, bar: ['=', CLOSES_MS.length * LANES * IN_TURN] },
        { what: 'lost on their way, and said to be', found: lost },
        {
          what: 'lost though the close had arrived before',
          found: inVain.reduce((sum, count) => sum + count, 0),
          bar: ['=', 0],
        },
        { what: 'services that got one twice', found: twice, bar: ['=', 0] },
      ],
    );
  });
});
