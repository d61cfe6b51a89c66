import assert from 'node:assert/strict';
import { retryWaitMs } from '../../src/service/http/retry.ts';
import { endWorlds, pathOf, startWorld } from '../contract/service/world.ts';
import { printTable } from '../table.ts';
import { isFull } from './fullOrShort.ts';

const chat = pathOf('chat', false);
const JOBS = 120;
const IN_FLIGHT = 8;
/** What the commands have. */
const QUEUE = 50;
const MOST_FAILED = 2;
const MOST_REQUESTS = 1.8;

interface Pace {
  readonly name: string;
  /** What the service takes for one request. */
  readonly serviceMs: number;
  /** Waits of retries in terms of the product's own, which last 0.5 to 4 s. */
  readonly waitShare: number;
}

/** A tenth of the product's waits; and these waits themselves. */
const paces: readonly Pace[] = [
  { name: 'tenth', serviceMs: 5, waitShare: 0.1 },
  ...(isFull ? [{ name: 'real', serviceMs: 100, waitShare: 1 }] : []),
];

/** As many calls at once as find a place, and each of the others as soon as it surely finds one. */
async function storm(call: () => Promise<unknown>): Promise<PromiseSettledResult<unknown>[]> {
  const all: Promise<unknown>[] = [];
  let open = 0;
  const begin = () => {
    open += 1;
    const ended = call().finally(() => {
      open -= 1;
      if (open < QUEUE && all.length < JOBS) begin();
    });
    all.push(ended);
  };
  for (let first = 0; first < IN_FLIGHT + QUEUE; first += 1) begin();
  while (open > 0) await Promise.allSettled(all);
  return Promise.allSettled(all);
}

describe(`I18: ${JOBS} calls, ${IN_FLIGHT + QUEUE} of them at once, to a service that takes few`, () => {
  const rows: (string | number)[][] = [];
  const worst = { failed: 0, requests: 0 };
  afterEach(endWorlds);
  // With a fixed concurrency of 8, 111, 104 and 89 failed.
  after(() => {
    const title = `429 storm, ${JOBS} calls to a service that takes 1, 2 or 4 at once: at most ${worst.failed} failed (bar ${MOST_FAILED}), with ${worst.requests.toFixed(2)} requests each (bar ${MOST_REQUESTS})`;
    const heads = ['waits', 'capacity', 'failed', 'requests a job', 'limit at the end', 'seconds'];
    printTable({ figure: 'storm', title, heads, rows });
  });

  for (const { name, serviceMs, waitShare } of paces) {
    for (const capacity of [1, 2, 4]) {
      it(`I18: succeed with room for ${capacity}, waits ${name}`, async () => {
        const world = await startWorld({
          emulator: { concurrentRequests: capacity },
          limits: { limit: IN_FLIGHT, queue: QUEUE },
          http: { waitMs: (...wait) => retryWaitMs(...wait) * waitShare },
        });
        world.emulator.faults.always(chat, { delayHeadersMs: serviceMs });
        const start = performance.now();
        const results = await storm(() => world.generate());
        const seconds = (performance.now() - start) / 1_000;
        const failed = results.filter(({ status }) => status === 'rejected').length;
        const requests = world.inferenceCount() / JOBS;
        const { limit } = world.limiter.state;
        rows.push([name, capacity, failed, requests, limit, seconds]);
        worst.failed = Math.max(worst.failed, failed);
        worst.requests = Math.max(worst.requests, requests);
        assert.ok(failed <= MOST_FAILED, `${failed} failed`);
        assert.ok(requests <= MOST_REQUESTS, `${requests} requests a job`);
        assert.ok(limit <= 2 * capacity, `the limit ended at ${limit}`);
      });
    }
  }
});
