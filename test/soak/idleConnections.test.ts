import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { isKind } from '../../src/service/errors.ts';
import { lineTo } from '../contract/service/line.ts';
import { endWorlds, startWorld, type World } from '../contract/service/world.ts';
import { randomOf } from '../random.ts';
import { seed } from '../unit/service/fixtures.ts';
import { becomes } from '../vscode/deadline.ts';
import { fullOrShort } from './fullOrShort.ts';
import { prove } from './measures.ts';

const GENERATIONS = fullOrShort(2_000, 100);
/**
 * Upper bound on the number of event loop turns between a close and a call. The bound is low so
 * that the close and the call can cross on the wire.
 */
const MOST_TURNS = 10;

async function generate(world: World): Promise<'answered' | 'lost'> {
  try {
    await world.generate({ onText: () => {} });
    return 'answered';
  } catch (error) {
    assert.ok(isKind(error, 'connection-lost'), `${error}`);
    return 'lost';
  }
}

describe('a service that closes idle network connections', () => {
  let close = () => {};
  afterEach(async () => {
    await endWorlds();
    close();
  });

  it(`receives each request at most once, and exactly once if the client sees the connection close before it sends the request (seed ${seed})`, async () => {
    const random = randomOf(seed);
    const service = await startWorld();
    const line = await lineTo(service.emulator.url);
    close = line.close;
    const { url } = line;
    const { tokenService } = service;
    const world = await startWorld({
      credentials: { serviceUrl: url, approved: { auth: service.emulator.url, service: url } },
    });
    // Tokens come directly from `service`, not through `line`, because this test is only about
    // requests that generate text.
    world.tokenService.get = (signal) => tokenService.get(signal);
    const found = { answered: 0, lost: 0, inVain: 0, twice: 0 };
    for (let count = 0; count < GENERATIONS; count += 1) {
      const before = service.inferenceCount();
      const closesFirst = random() < 0.5;
      const turns = Math.floor(random() * MOST_TURNS);
      if (closesFirst) {
        line.cut('close');
        for (let passed = 0; passed < turns; passed += 1) await turn();
      }
      // A connection counts as open until both ends have closed it.
      const isClosed = line.open === 0;
      const call = generate(world);
      if (!closesFirst) {
        for (let passed = 0; passed < turns; passed += 1) await turn();
        line.cut('close');
      }
      const outcome = await call;
      found[outcome] += 1;
      if (outcome === 'lost' && closesFirst && isClosed) found.inVain += 1;
      if (service.inferenceCount() > before + 1) found.twice += 1;
      await becomes('at rest', () => world.limiter.state.inFlight === 0);
    }
    prove(`${GENERATIONS} generations, each with a connection that closes at a random time`, [
      { name: 'answered', found: found.answered },
      { name: 'lost in transit, and reported as lost', found: found.lost },
      {
        name: 'lost even though the close had arrived',
        found: found.inVain,
        bar: ['=', 0],
      },
      { name: 'received twice by the service', found: found.twice, bar: ['=', 0] },
    ]);
  });
});
