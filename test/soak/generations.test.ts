import { getEventListeners } from 'node:events';
import { ServiceRuntime } from '../../src/service/serviceRuntime.ts';
import { credentialsFor } from '../contract/service/world.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { becomes } from '../vscode/deadline.ts';
import { fullOrShort, isFull } from './fullOrShort.ts';
import { type Measure, prove } from './measures.ts';
import { type Resources, resources } from './resources.ts';
import {
  BATCH,
  type Ending,
  isExpected,
  runBatch,
  ServerCount,
  scriptMishaps,
} from './workload.ts';

const GENERATIONS = fullOrShort(10_000, 200);
const ALL = GENERATIONS.toLocaleString('en');
/**
 * Number of warm-up generations to run before the first measurement so that compiled code and
 * caches don't count as growth.
 */
const WARM_UP = fullOrShort(2_000, 100);
/** Number of generations after which the emulator is reset or restarted. */
const EACH = fullOrShort(500, 100);

describe(`${GENERATIONS} generations`, function () {
  this.timeout(600_000);
  let emulator: Emulator;
  let runtime: ServiceRuntime;
  let signOut: AbortController;
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);

  beforeEach(() => {
    signOut = new AbortController();
    warnings.length = 0;
    process.on('warning', onWarning);
  });
  afterEach(async () => {
    process.off('warning', onWarning);
    runtime.dispose();
    await emulator.close();
  });

  /** Creates a runtime whose retries don't wait. The unit tests cover the backoff. */
  const begin = (): ServiceRuntime => new ServiceRuntime({ http: { waitMs: () => 0 } });
  const settings = { namesRequestLimit: false };

  it('K05: have the expected outcomes despite faults, and leak no timers or sockets', async () => {
    const seen = new ServerCount(WARM_UP + GENERATIONS);
    emulator = await startEmulator({ ...settings, onEnd: seen.onEnd });
    const credentials = credentialsFor(emulator.url);
    const atStart = await resources();
    runtime = begin();
    let tally = new Tally();
    const run = async (from: number, to: number) => {
      for (let first = from; first < to; first += BATCH) {
        scriptMishaps(emulator, first);
        const midway = () => {
          tally.rotations += 1;
          emulator.revokeTokens(tally.rotations % 2 === 0 ? 'expired' : 'not valid');
        };
        const options = { first, midway, signedOut: signOut.signal };
        tally.note(first, await runBatch(runtime, credentials, options));
        tally.mostInFlight = Math.max(tally.mostInFlight, emulator.mostInFlight.inference);
        // Without a reset, the emulator's records would count as heap growth.
        if ((first + BATCH) % EACH === 0) emulator.reset();
      }
    };
    await run(0, WARM_UP);
    const warm = await resources();
    tally = new Tally();
    seen.tokenRequests = 0;
    await run(WARM_UP, WARM_UP + GENERATIONS);
    const after = await resources();
    const listeners = getEventListeners(signOut.signal, 'abort').length;
    runtime.dispose();
    const atEnd = await atRest(emulator);
    const title = `${ALL} generations, 5% with a fault, and a token revoked every ${BATCH} generations: ${tally.unexpected} unexpected outcomes`;
    const measures: Measure[] = [
      { name: 'outcomes', found: tally.answers + tally.failures, bar: ['=', GENERATIONS] },
      { name: 'generations that got their own response', found: tally.answers },
      { name: 'generations that failed as expected', found: tally.failures - tally.unexpected },
      {
        name: 'generations that were lost or mixed up, or failed unexpectedly',
        found: tally.unexpected,
        bar: ['=', 0],
      },
      {
        name: 'generations that the service completed twice',
        found: above(seen.answered, 1),
        bar: ['=', 0],
      },
      {
        name: 'maximum number of requests for one generation',
        found: Math.max(...seen.sent),
        bar: ['≤', 5],
      },
      { name: 'maximum number of concurrent requests', found: tally.mostInFlight, bar: ['=', 8] },
      { name: 'tokens revoked', found: tally.rotations, bar: ['=', GENERATIONS / BATCH] },
      { name: 'token requests', found: seen.tokenRequests },
      {
        name: 'heap growth after garbage collection, in MB',
        found: (after.heapBytes - warm.heapBytes) / 1_048_576,
        // In a short run, leftovers from earlier tests would affect the heap size more than a leak
        // would.
        ...(isFull && { bar: ['≤', 5] }),
      },
      { name: 'timers left', found: after.timers - atStart.timers, bar: ['=', 0] },
      { name: 'listeners left on the sign-out signal', found: listeners, bar: ['=', 0] },
      {
        name: 'sockets kept for reuse, on both ends',
        found: after.sockets - atStart.sockets,
        bar: ['≤', 16],
      },
      { name: 'sockets left at the end', found: atEnd.sockets - atStart.sockets, bar: ['=', 0] },
      { name: 'Node warnings', found: warnings.length, bar: ['=', 0] },
    ];
    prove(title, measures, 'soak');
  });

  it(`K06: have the expected outcomes even if the service restarts every ${EACH} generations`, async () => {
    const seen = new ServerCount(GENERATIONS);
    emulator = await startEmulator({ ...settings, onEnd: seen.onEnd });
    const credentials = credentialsFor(emulator.url);
    const port = Number(new URL(emulator.url).port);
    runtime = begin();
    const endings: Ending[] = [];
    let restarts = 0;
    let failedElsewhere = 0;
    const restart = async () => {
      await emulator.close();
      emulator = await startEmulator({ ...settings, onEnd: seen.onEnd, port });
      restarts += 1;
    };
    for (let first = 0; first < GENERATIONS; first += BATCH) {
      const isDue = (first + BATCH) % EACH === 0;
      let restarted: Promise<void> | undefined;
      const midway = () => {
        if (isDue) restarted = restart();
      };
      const options = { first, midway, signedOut: signOut.signal };
      const batch = await runBatch(runtime, credentials, options);
      await restarted;
      endings.push(...batch);
      if (!isDue) failedElsewhere += batch.filter((ending) => ending !== 'answer').length;
    }
    const count = (...kinds: Ending[]) => endings.filter((each) => kinds.includes(each)).length;
    const [answers, cut] = [count('answer'), count('connection-lost', 'incomplete')];
    const refused = count('unreachable');
    const others = endings.length - answers - cut - refused;
    const title = `${ALL} generations, with a service restart every ${EACH} generations: ${others} unexpected outcomes`;
    const measures: Measure[] = [
      { name: 'outcomes', found: endings.length, bar: ['=', GENERATIONS] },
      { name: 'restarts', found: restarts, bar: ['=', GENERATIONS / EACH] },
      { name: 'generations that got their own response', found: answers },
      { name: 'generations that a restart interrupted', found: cut },
      { name: 'generations that were refused during a restart', found: refused },
      {
        name: 'generations that were mixed up or failed unexpectedly',
        found: others,
        bar: ['=', 0],
      },
      { name: 'generations that failed without a restart', found: failedElsewhere, bar: ['=', 0] },
      {
        name: 'generations that the service completed twice',
        found: above(seen.answered, 1),
        bar: ['=', 0],
      },
    ];
    prove(title, measures, 'soakWithRestarts');
  });
});

class Tally {
  answers = 0;
  failures = 0;
  unexpected = 0;
  rotations = 0;
  mostInFlight = 0;

  note(first: number, endings: readonly Ending[]): void {
    for (const [index, ending] of endings.entries()) {
      if (ending === 'answer') this.answers += 1;
      else this.failures += 1;
      if (!isExpected(first + index, ending)) this.unexpected += 1;
    }
  }
}

function above(counts: Uint8Array, most: number): number {
  return counts.filter((count) => count > most).length;
}

/** Waits until the service has no open connections, and returns the resources in use. */
async function atRest(emulator: Emulator): Promise<Resources> {
  await becomes('closed', () => emulator.openConnections === 0);
  return resources();
}
