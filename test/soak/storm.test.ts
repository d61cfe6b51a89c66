import assert from 'node:assert/strict';
import { ConcurrencyLimit } from '../../src/service/http/concurrencyLimit.ts';
import { randomOf } from '../random.ts';
import { printTable } from '../table.ts';
import { chatAnswer, clientOn, FakeTime, seed } from '../unit/service/fixtures.ts';

const JOBS = 120;
const IN_FLIGHT = 8;
/** The queue size that the commands use. */
const QUEUE = 50;
const MOST_FAILED = 2;
const MOST_REQUESTS = 1.8;
/**
 * The service's response time and the clock's step size, both in milliseconds.
 */
const [SERVICE_MS, STEP_MS] = [100, 10];

/** A service that accepts up to `capacity` concurrent requests, and rejects the rest with a 429. */
class NarrowService {
  requests = 0;
  readonly #capacity: number;
  #inFlight = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  readonly fetch: typeof globalThis.fetch = async () => {
    this.requests += 1;
    this.#inFlight += 1;
    const status = this.#inFlight > this.#capacity ? 429 : 200;
    await new Promise((resolve) => setTimeout(resolve, SERVICE_MS));
    this.#inFlight -= 1;
    return Response.json(status === 200 ? chatAnswer : {}, { status });
  };
}

/**
 * Starts `IN_FLIGHT + QUEUE` calls. Then, whenever a call ends and fewer than `QUEUE` calls are
 * open, starts another call, up to `JOBS` calls in total.
 */
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

describe(`${JOBS} calls, up to ${IN_FLIGHT + QUEUE} at a time, to a service with limited capacity (seed ${seed})`, () => {
  const rows: (string | number)[][] = [];
  const worst = { failed: 0, requests: 0 };
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());
  // In an experiment where a 429 didn't lower the limit, 83 calls failed at a capacity of 1, 41 at
  // a capacity of 2, and none at a capacity of 4.
  after(() => {
    const title = `${JOBS} calls to a service that handles at most 1, 2, or 4 requests at once and rejects all others with a 429. In the worst case, ${worst.failed} calls fail (bar: ${MOST_FAILED}), and a call takes ${worst.requests.toFixed(2)} requests on average (bar: ${MOST_REQUESTS}).`;
    const heads = ['capacity', 'failed', 'requests per call', 'final concurrency limit', 'seconds'];
    const note = `Capacity: the number of requests that the service can handle at once. Seconds: time on the test’s simulated clock, on which a request takes ${SERVICE_MS} ms. Seed: ${seed}.`;
    printTable({ figure: 'storm', title, heads, rows, note });
  });

  for (const capacity of [1, 2, 4]) {
    it(`I18: almost always succeed, and with few retries (capacity: ${capacity})`, async () => {
      const service = new NarrowService(capacity);
      const limiter = new ConcurrencyLimit(
        { limit: IN_FLIGHT, queue: QUEUE, minIntervalMs: 0 },
        time,
      );
      const http = { fetch: service.fetch, clock: time, random: randomOf(seed) };
      const { client } = clientOn(http, { limiter });
      let isOver = false;
      const ended = storm(() => client.generateText('Hi', {})).finally(() => {
        isOver = true;
      });
      while (!isOver) await time.pass(STEP_MS);
      const seconds = time.monotonic() / 1_000;
      const failed = (await ended).filter(({ status }) => status === 'rejected').length;
      const requests = service.requests / JOBS;
      const { limit } = limiter.state;
      rows.push([capacity, failed, requests, limit, seconds]);
      worst.failed = Math.max(worst.failed, failed);
      worst.requests = Math.max(worst.requests, requests);
      assert.ok(failed <= MOST_FAILED, `${failed} failed`);
      assert.ok(requests <= MOST_REQUESTS, `${requests} requests per call`);
      assert.ok(limit <= 2 * capacity, `the limit ended at ${limit}`);
    });
  }
});
