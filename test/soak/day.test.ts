import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { endWorlds, SetClock, startWorld, tokenPath } from '../contract/service/world.ts';
import { printTable } from '../table.ts';

const MINUTE = 60_000;
const CALLS = 24 * 6;

describe('a day with a call every 10 minutes', () => {
  afterEach(endWorlds);

  it('K07: results in 24 to 31 token requests and no duplicate calls', async () => {
    const clock = new SetClock();
    const world = await startWorld({ clock, emulator: { now: clock.now } });
    let failed = 0;
    for (let call = 0; call < CALLS; call += 1) {
      await world.generate().catch(() => {
        failed += 1;
      });
      // Lets a background refresh finish before the clock advances.
      while (world.emulator.inFlight.identity > 0) await turn();
      clock.pass(10 * MINUTE);
    }
    const tokens = world.emulator.count(tokenPath);
    printTable({
      figure: 'day',
      title: `One window, open for a day, with a call every 10 minutes: ${tokens} token requests, ${failed} failed calls`,
      heads: ['', 'found', 'bar'],
      rows: [
        ['calls', CALLS, ''],
        ['token requests', tokens, '24 to 31'],
        ['failed', failed, '= 0'],
      ],
    });
    assert.equal(failed, 0);
    assert.ok(tokens >= 24 && tokens <= 31, `${tokens}`);
    assert.equal(world.inferenceCount(), CALLS, 'no call had to be sent twice');
  });
});
