import assert from 'node:assert/strict';
import type { Generation } from '../../src/service/api/responseReader.ts';
import type { GenerateOptions } from '../../src/service/client.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { assertOnlyFacts } from '../contract/service/facts.ts';
import { CLOSED_PORT } from '../contract/service/proxy.ts';
import { WatchedFetch } from '../contract/service/watchedFetch.ts';
import {
  endWorlds,
  pathOf,
  startWorld,
  tokenPath,
  type World,
  type WorldOptions,
} from '../contract/service/world.ts';
import { gate } from '../emulator/faults.ts';
import { FakeTime, never } from '../unit/service/fixtures.ts';
import { becomes } from '../vscode/deadline.ts';
import { type Cell, type Phase, pieces } from './faultTable.ts';

/**
 * The deadline that a cell tests, in milliseconds. The other deadlines are so long that they never
 * expire.
 */
const DEADLINE_MS = 60_000;
const LONG_MS = 600_000;
const PARALLEL = 8;

const pathOfPhase: Readonly<Record<Phase, string>> = {
  token: tokenPath,
  generation: pathOf('chat', false),
  'stream start': pathOf('chat', true),
  'mid-stream': pathOf('chat', true),
};

/** The result of one call in a cell. */
interface Ending {
  readonly result: PromiseSettledResult<Generation>;
  readonly parts: readonly string[];
}

/**
 * Makes the calls for one cell of the fault matrix over real sockets. Asserts the outcome of each
 * call and the number of requests. Also asserts that no request is pending and no slot is taken at
 * the end. The clock advances only to end the waits between attempts and to reach the deadline
 * under test.
 */
export async function playCell(phase: Phase, cell: Cell, calls: 1 | 8): Promise<void> {
  const time = new FakeTime();
  try {
    await playIn(time, phase, cell, calls);
  } finally {
    time.end();
    await endWorlds();
  }
}

async function playIn(time: FakeTime, phase: Phase, cell: Cell, calls: number): Promise<void> {
  const path = pathOfPhase[phase];
  // Calls that wait for a token share one token request.
  const flights = phase === 'token' ? 1 : calls;
  const allStarted = gate();
  let started = 0;
  const countStarted = () => {
    started += 1;
    if (started === flights) allStarted.open();
  };
  const watched = new WatchedFetch((answered) => {
    if (answered === path && phase !== 'mid-stream') countStarted();
  });
  const world = await startWorld({
    ...credentialsOf(phase, cell),
    clock: time,
    http: {
      fetch: watched.fetch,
      startMs: cell.deadline === 'start' ? DEADLINE_MS : LONG_MS,
      // In cells that test `startMs`, `idleMs` has the same value. With a longer `idleMs`, each
      // chunk would extend the remaining time.
      idleMs: cell.deadline === 'none' ? LONG_MS : DEADLINE_MS,
      // The backoff is the time in the Retry-After header, or 1 ms. The clock advances by this
      // amount immediately.
      waitMs: (_retry, retryAfterMs) => {
        const ms = Math.max(1, retryAfterMs);
        void time.pass(ms);
        return ms;
      },
    },
    emulator: { answer: () => pieces },
    limits: { limit: PARALLEL },
    deadlineMs: LONG_MS,
    tokenDeadlineMs: LONG_MS,
  });
  const { emulator, limiter } = world;
  if (phase !== 'token') await world.tokenService.refresh(never);
  const fault = cell.fault?.(allStarted.opened);
  if (fault) emulator.faults.next(path, fault, cell.faulty * flights);
  const before = emulator.count(path);
  const streams = phase === 'stream start' || phase === 'mid-stream';
  let ended = 0;
  const playing = Array.from({ length: calls }, async () => {
    const ending = await play(world, streams, phase === 'mid-stream' ? countStarted : () => {});
    ended += 1;
    return ending;
  });
  if (cell.deadline !== 'none') {
    await emulator.requestCount(path, before + flights);
    const { silentAfterBytes = 0 } = fault ?? {};
    await becomes('read', () => watched.bytes(path) === silentAfterBytes * flights);
    await time.pass(DEADLINE_MS - 1);
    assert.equal(ended, 0, 'calls that ended before their deadline');
    await time.pass(1);
    assert.equal(ended, calls, 'calls that ended at their deadline');
  }

  for (const ending of await Promise.all(playing)) assertEnding(ending, phase, cell);
  const sent = cell.fault ? cell.attempts * flights : 0;
  assert.equal(emulator.count(path) - before, sent, 'requests sent');
  assert.equal(emulator.faults.pending, 0, 'unused faults');
  // A call holds its slot until the rest of its response has been read in the background.
  await becomes('free of requests', () => limiter.state.inFlight + limiter.state.waiting === 0);
  await becomes('at rest', () => emulator.inFlight.identity + emulator.inFlight.inference === 0);
  if (fault) assert.equal((await world.generate()).text, pieces.join(''), 'the next call');
}

/**
 * Returns the credentials for a cell. If the cell has no `fault`, nothing listens on the address
 * that the phase uses.
 */
function credentialsOf(phase: Phase, cell: Cell): WorldOptions {
  if (cell.fault) return {};
  const closed = `http://127.0.0.1:${CLOSED_PORT}`;
  const isToken = phase === 'token';
  return {
    credentials: (url) => ({
      ...(isToken ? { authUrl: closed } : { serviceUrl: closed }),
      approved: { auth: isToken ? closed : url, service: isToken ? url : closed },
    }),
  };
}

/** Makes one call. The test fails if text arrives after the call has ended. */
async function play(world: World, streams: boolean, onFirstText: () => void): Promise<Ending> {
  const parts: string[] = [];
  let isSettled = false;
  const onText = (text: string) => {
    assert.ok(!isSettled, 'text after the end of the call');
    parts.push(text);
    if (parts.length === 1) onFirstText();
  };
  const options: GenerateOptions = streams ? { onText } : {};
  const [result] = await Promise.allSettled([world.generate(options)]);
  isSettled = true;
  return { result, parts };
}

function assertEnding({ result, parts }: Ending, phase: Phase, cell: Cell): void {
  const streams = phase === 'stream start' || phase === 'mid-stream';
  if (result.status === 'fulfilled') {
    assert.equal('success', cell.outcome);
    assert.equal(result.value.text, pieces.join(''));
    assert.deepEqual(parts, streams ? pieces : [], 'each chunk once');
    return;
  }
  const error: unknown = result.reason;
  assert.ok(error instanceof ServiceError, `${error}`);
  assert.equal(error.kind, cell.outcome);
  assert.equal(error.details.attempts, cell.attempts);
  if (cell.outcome === 'timeout') assert.equal(error.details.phase, cell.deadline);
  assert.deepEqual(parts, phase === 'mid-stream' ? pieces.slice(0, 1) : [], 'each chunk once');
  assertOnlyFacts(error);
}
