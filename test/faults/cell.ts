import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { GenerateOptions } from '../../src/service/client.ts';
import { isKind, ServiceError } from '../../src/service/errors.ts';
import type { Generation } from '../../src/service/generation/answerReader.ts';
import { hardenedFetch } from '../../src/service/http/hardenedFetch.ts';
import { assertOnlyFacts } from '../contract/service/facts.ts';
import { closedPort } from '../contract/service/proxy.ts';
import {
  endWorlds,
  pathOf,
  startWorld,
  tokenPath,
  type World,
  type WorldOptions,
} from '../contract/service/world.ts';
import { gate } from '../emulator/faults.ts';
import { waitedMs } from './duration.ts';
import { type Cell, type Phase, pieces } from './faultTable.ts';

/** For what is silent, and for a call that has nothing to wait for. */
const SHORT_MS = 250;
/** Of the deadlines that are not under test: one that ends a call all the same is no success. */
const OTHER_MS = 60_000;
const PARALLEL = 8;
const never = new AbortController().signal;

const pathOfPhase: Readonly<Record<Phase, string>> = {
  token: tokenPath,
  generation: pathOf('chat', false),
  'stream start': pathOf('chat', true),
  'mid-stream': pathOf('chat', true),
};

/** How one of the parallel calls of a cell ended. */
interface Ending {
  readonly result: PromiseSettledResult<Generation>;
  readonly parts: readonly string[];
  readonly ms: number;
}

/** Milliseconds of the slowest call of a cell. */
export interface Timing {
  readonly ms: number;
  /** In which the rule has it end; undefined where the fault itself ends it, or the answer. */
  readonly allowedMs: number | undefined;
  /** In which this process could have run and had no processor. */
  readonly waitedMs: number;
}

/** Plays one cell of the matrix through real sockets, and asserts all that the rule says of it. */
export async function playCell(phase: Phase, cell: Cell, calls: 1 | 8): Promise<Timing> {
  const path = pathOfPhase[phase];
  const begun = gate();
  // Callers who wait for a token share one request for it.
  const flights = phase === 'token' ? 1 : calls;
  let seen = 0;
  const see = () => {
    seen += 1;
    if (seen === flights) begun.open();
  };
  const fetch = watchedFetch(() => {
    if (phase !== 'mid-stream') see();
  });
  const world = await startWorld(await optionsOf(phase, cell, fetch));
  const { emulator, limiter } = world;
  if (phase !== 'token') await world.tokenService.refresh(never);
  seen = 0;
  if (cell.fault) emulator.faults.next(path, cell.fault(begun.opened), cell.faulty * flights);
  const before = emulator.count(path);
  const streams = phase === 'stream start' || phase === 'mid-stream';
  const waitedBefore = waitedMs();
  const endings = await Promise.all(
    Array.from({ length: calls }, () => play(world, streams, phase === 'mid-stream' && see)),
  );

  const waited = waitedMs() - waitedBefore;
  for (const ending of endings) assertEnding(ending, phase, cell);
  const sent = cell.fault ? cell.attempts * flights : 0;
  assert.equal(emulator.count(path) - before, sent, 'requests sent');
  assert.equal(emulator.faults.pending, 0, 'faults that nobody met');
  // The rest of an answer is read in the background, as long as that takes, and keeps its slot.
  await becomes('free of requests', () => limiter.state.inFlight + limiter.state.waiting === 0);
  await becomes('at rest', () => emulator.inFlight.identity + emulator.inFlight.inference === 0);
  if (cell.fault) assert.equal(await textOfNext(world), pieces.join(''), 'the next call');
  await endWorlds();
  const allowedMs = (cell.totalMs ?? SHORT_MS) + cell.serviceMs;
  return {
    ms: Math.max(...endings.map(({ ms }) => ms)),
    allowedMs: cell.deadline === 'none' ? undefined : allowedMs,
    waitedMs: waited,
  };
}

async function optionsOf(
  phase: Phase,
  cell: Cell,
  fetch: typeof hardenedFetch,
): Promise<WorldOptions> {
  const otherMs = OTHER_MS + cell.serviceMs;
  const { totalMs = otherMs } = cell;
  const http = {
    fetch,
    headersMs: cell.deadline === 'headers' ? SHORT_MS : otherMs,
    idleMs: cell.deadline === 'idle' ? SHORT_MS : otherMs,
    // What the service asks for is waited for, our own share is not.
    waitMs: (_retry: number, retryAfterMs: number) => Math.max(1, retryAfterMs),
  };
  const common: WorldOptions = {
    http,
    emulator: { answer: () => pieces },
    limits: { limit: PARALLEL },
    // A call that waits for a token must not end before the request for that does.
    deadlineMs: phase === 'token' ? otherMs : totalMs,
    tokenDeadlineMs: totalMs,
  };
  if (cell.fault) return common;
  const closed = `http://127.0.0.1:${await closedPort()}`;
  const isToken = phase === 'token';
  return {
    ...common,
    credentials: (url) => ({
      ...(isToken ? { authUrl: closed } : { serviceUrl: closed }),
      approved: { auth: isToken ? closed : url, service: isToken ? url : closed },
    }),
  };
}

/**
 * What a call brings afterwards. Its deadlines are as short as those under test, so that a busy
 * machine can miss them once; what the fault has left behind would fail it each time.
 */
async function textOfNext(world: World): Promise<string> {
  for (let call = 1; ; call += 1) {
    try {
      return (await world.generate()).text;
    } catch (error) {
      if (call === 5 || !isKind(error, 'timeout')) throw error;
    }
  }
}

/** One call; what reaches it after its end is an error of the test. */
async function play(world: World, streams: boolean, see: (() => void) | false): Promise<Ending> {
  const parts: string[] = [];
  let isSettled = false;
  const onText = (text: string) => {
    assert.ok(!isSettled, 'text after the end of the call');
    parts.push(text);
    if (see && parts.length === 1) see();
  };
  const options: GenerateOptions = streams ? { onText } : {};
  const startedAt = performance.now();
  const [result] = await Promise.allSettled([world.generate(options)]);
  isSettled = true;
  return { result, parts, ms: performance.now() - startedAt };
}

function assertEnding({ result, parts }: Ending, phase: Phase, cell: Cell): void {
  const streams = phase === 'stream start' || phase === 'mid-stream';
  if (result.status === 'fulfilled') {
    assert.equal('success', cell.outcome);
    assert.equal(result.value.text, pieces.join(''));
    assert.deepEqual(parts, streams ? pieces : [], 'each piece once');
    return;
  }
  const error: unknown = result.reason;
  assert.ok(error instanceof ServiceError, `${error}`);
  assert.equal(error.kind, cell.outcome);
  assert.equal(error.details.attempts, cell.attempts);
  if (cell.outcome === 'timeout') assert.equal(error.details.phase, cell.deadline);
  const expected = phase === 'mid-stream' ? pieces.slice(0, 1) : [];
  // On a busy machine the time can be over before the first text.
  const isLate = cell.deadline === 'total' && parts.length === 0;
  assert.deepEqual(parts, isLate ? [] : expected, 'each piece once');
  assertOnlyFacts(error);
}

/** The way to the service, told of each answer that is a success. */
function watchedFetch(onAnswer: () => void): typeof hardenedFetch {
  return async (url, init) => {
    const response = await hardenedFetch(url, init);
    if (response.ok) onAnswer();
    return response;
  };
}

/** Waits until it is so. @throws {Error} after twenty seconds, which no busy machine takes */
export async function becomes(what: string, holds: () => boolean): Promise<void> {
  const until = performance.now() + 20_000;
  while (!holds()) {
    assert.ok(performance.now() < until, `never was ${what}`);
    await pause(1);
  }
}
