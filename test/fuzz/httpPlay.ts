import { setImmediate as turn } from 'node:timers/promises';
import type * as failures from '../../src/service/api/watsonxFailure.ts';
import type * as errors from '../../src/service/errors.ts';
import type * as bodies from '../../src/service/http/body.ts';
import type {
  ConcurrencyLimit,
  ConcurrencyState,
  RequestGate,
  Slot,
} from '../../src/service/http/concurrencyLimit.ts';
import type * as https from '../../src/service/http/http.ts';
import type { HttpRequest, HttpResponse, TokenProvider } from '../../src/service/http/httpTypes.ts';
import type * as fetches from '../../src/service/http/reconnectingFetch.ts';
import { CLOSED_PORT } from '../contract/service/proxy.ts';
import type { Emulator } from '../emulator/emulator.ts';
import type { Fault } from '../emulator/faults.ts';
import type { FakeTime } from '../unit/service/fixtures.ts';
import {
  DATE_LATER,
  type HttpScript,
  IDLE_MS,
  type ScriptedCall,
  START_MS,
  STEP_MS,
} from './httpScript.ts';

/** One version of the code: the exports of `src/service` that are needed to play a script. */
export interface Version
  extends Pick<typeof errors, 'ServiceError'>,
    Pick<typeof failures, 'inferenceFailure'>,
    Pick<typeof bodies, 'readEvents'>,
    Pick<typeof fetches, 'reconnectingFetch'>,
    Pick<typeof https, 'Http'> {
  readonly ConcurrencyLimit: typeof ConcurrencyLimit;
}

/** The result of one call in a script. */
export interface CallRecord {
  readonly outcome: unknown;
  readonly endedMs: number;
  /** The method, query, body, and headers (except Host) of each request that arrived. */
  readonly requests: readonly unknown[];
  /**
   * The call's events in chronological order. These include its first attempt, a retry, a call to
   * `onSilence`, a delayed token, and text.
   */
  readonly events: readonly unknown[];
}

export interface PlayRecord {
  readonly calls: readonly CallRecord[];
  readonly limiter: ConcurrencyState;
}

/**
 * After this many idle turns of the event loop, all calls are assumed to be waiting for the clock.
 */
const QUIET_TURNS = 30;
/** Replaces `QUIET_TURNS` while a request or response is in transit. */
const TRANSIT_TURNS = 1_000;
const MAX_MS = 240_000;
const SECOND_MS = 1_000;
const SHORT_MS = 5_000;
const SECRET = 'secret-of-the-script';

/**
 * Runs a script against one version of the code, over real sockets. The clock advances only while
 * nothing else is happening.
 * @param time a clock that all scripts share, because a script may still clear its timers while the
 * next script is played
 */
export async function play(
  version: Version,
  emulator: Emulator,
  script: HttpScript,
  time: FakeTime,
): Promise<PlayRecord> {
  // Starts each script on a whole second, because dates in headers don't include fractions of a
  // second.
  await time.pass(SECOND_MS - (time.monotonic() % SECOND_MS));
  try {
    return await new Play(version, emulator, script, time).run();
  } finally {
    emulator.reset();
  }
}

/** The maximum pause in older commits, in milliseconds. Newer commits allow 3 minutes. */
const MAX_PAUSE_MS = 60_000;

/**
 * Limits each pause to `MAX_PAUSE_MS` in both versions so that longer pauses in newer commits
 * aren't reported as differences.
 */
function withShortPauses(gate: RequestGate): RequestGate {
  return {
    applyRateLimit: (rateLimit) => gate.applyRateLimit(rateLimit),
    acquire: (...args) => {
      const acquired = gate.acquire(...args);
      const limitPause = (slot: Slot) => {
        const release = slot.release.bind(slot);
        slot.release = (outcome, pauseMs = 0) => release(outcome, Math.min(pauseMs, MAX_PAUSE_MS));
      };
      // Returns the original promise, because another promise would change the order of
      // simultaneous calls.
      acquired.then(limitPause, () => {});
      return acquired;
    },
  };
}

class Play {
  readonly #version: Version;
  readonly #emulator: Emulator;
  readonly #script: HttpScript;
  readonly #time: FakeTime;
  readonly #http: InstanceType<Version['Http']>;
  readonly #limiter: ConcurrencyLimit;
  readonly #startedMs: number;
  #activity = 0;
  #unanswered = 0;

  constructor(version: Version, emulator: Emulator, script: HttpScript, time: FakeTime) {
    const { limit, queue, minIntervalMs } = script;
    this.#version = version;
    this.#emulator = emulator;
    this.#script = script;
    this.#time = time;
    this.#startedMs = time.monotonic();
    this.#limiter = new version.ConcurrencyLimit({ limit, queue, minIntervalMs }, time);
    this.#http = new version.Http({
      fetch: this.#fetch,
      startMs: START_MS,
      // The name of `startMs` in earlier versions.
      ...{ headersMs: START_MS },
      silentMs: 3 * STEP_MS,
      idleMs: IDLE_MS,
      clock: time,
      random: () => 0.5,
      secrets: () => [SECRET],
      provenSecrets: () => [],
    });
  }

  async run(): Promise<PlayRecord> {
    let isOver = false;
    const calls = this.#script.calls.map((call, index) => this.#call(call, index));
    const ended = Promise.all(calls).finally(() => {
      isOver = true;
    });
    while (!isOver) await this.#step();
    const records = await ended;
    // Waits until the rest of each response has been read or abandoned.
    while (this.#limiter.state.inFlight > 0) await this.#step();
    const { state } = this.#limiter;
    this.#http.dispose();
    await this.#quiet();
    return { calls: records, limiter: state };
  }

  get #passedMs(): number {
    return this.#time.monotonic() - this.#startedMs;
  }

  async #step(): Promise<void> {
    await this.#quiet();
    if (this.#passedMs > MAX_MS) throw new Error('A call, or its response, never ends.');
    // After `SHORT_MS`, the clock advances in larger steps, because only pauses and deadlines
    // remain.
    await this.#time.pass(this.#passedMs < SHORT_MS ? STEP_MS : SECOND_MS);
  }

  async #quiet(): Promise<void> {
    let before = -1;
    for (let turns = 0; turns < (this.#isInTransit() ? TRANSIT_TURNS : QUIET_TURNS); turns += 1) {
      const now = this.#activity + this.#emulator.requests.length;
      if (now !== before) turns = 0;
      before = now;
      await turn();
    }
  }

  /** True if a request is on its way to the service, or a response is on its way to the client. */
  #isInTransit(): boolean {
    return this.#unanswered > this.#emulator.inFlight.inference;
  }

  readonly #fetch: typeof fetch = async (url, init) => {
    this.#activity += 1;
    this.#unanswered += 1;
    const response = await this.#version.reconnectingFetch(url as string, init).finally(() => {
      this.#activity += 1;
      this.#unanswered -= 1;
    });
    if (!response.body) return response;
    const count = new TransformStream<Uint8Array, Uint8Array>({
      flush: () => {
        this.#activity += 1;
      },
      transform: (chunk, controller) => {
        this.#activity += 1;
        controller.enqueue(chunk);
      },
    });
    const { status } = response;
    return status > 599 ? response : new Response(response.body.pipeThrough(count), response);
  };

  async #call(call: ScriptedCall, index: number): Promise<CallRecord> {
    const path = `/call/${index}`;
    for (const fault of call.faults) this.#emulator.faults.next(path, this.#dated(fault));
    const events: unknown[] = [];
    const note = (event: unknown) => {
      this.#activity += 1;
      events.push(event);
    };
    const user = new AbortController();
    if (call.cancelMs !== undefined) setTimeout(() => user.abort(), call.cancelMs);
    await new Promise((begin) => setTimeout(begin, call.startMs));
    const request = this.#request(call, path, user.signal, note);
    const sending = call.isProbe ? this.#http.probe(request) : this.#http.send(request);
    const outcome = await sending.catch((error: unknown) => this.#failure(error));
    this.#activity += 1;
    const endedMs = this.#passedMs;
    const requests = this.#emulator.requests
      .filter((one) => one.path === path)
      .map(({ method, query, text, rawHeaders }) => ({
        method,
        query: `${query}`,
        text,
        headers: pairsOf(rawHeaders),
      }));
    return { outcome, endedMs, requests, events };
  }

  #dated(fault: Fault): Fault {
    const { 'retry-after': wait } = fault.headers ?? {};
    if (wait !== DATE_LATER) return fault;
    const date = new Date(this.#time.now() + 2 * SECOND_MS).toUTCString();
    return { ...fault, headers: { ...fault.headers, 'retry-after': date } };
  }

  #failure(error: unknown): unknown {
    if (!(error instanceof this.#version.ServiceError)) return `no ServiceError: ${error}`;
    return { kind: error.kind, message: error.message, details: sorted(error.details) };
  }

  #request(
    call: ScriptedCall,
    path: string,
    signal: AbortSignal,
    note: (event: unknown) => void,
  ): HttpRequest<string> {
    const { url: service } = this.#emulator;
    const origin = call.goesTo === 'closed port' ? `http://127.0.0.1:${CLOSED_PORT}` : service;
    const base = call.goesTo === 'other origin' ? 'http://127.0.0.2' : origin;
    const limiter = withShortPauses(this.#gate(call));
    return {
      method: call.method,
      url: `${base}${path}?x=${call.secretIn === 'url' ? SECRET : 'y'}`,
      origin,
      accept: call.reads === 'events' ? 'text/event-stream' : 'application/json',
      ...(call.method === 'POST' && {
        contentType: 'application/json',
        body: `body of ${path} ${call.secretIn === 'body' ? SECRET : 'zwölf'}`,
      }),
      secrets: [SECRET],
      ...(call.token !== 'none' && { tokenProvider: () => this.#tokens(call, note) }),
      limiter,
      budget: this.#http.budget(call.totalMs),
      maxBytes: call.reads === 'text' ? 50_000 : 1_000_000,
      signal,
      // In earlier versions, `beforeFirstAttempt` is named `onTurn`.
      ...{ beforeFirstAttempt: async () => note('turn'), onTurn: async () => note('turn') },
      onRetry: ({ retry, waitMs, error }) => {
        note({ retry, waitMs, kind: error.kind, details: sorted(error.details) });
      },
      onSilence: () => note('silence'),
      failure: (response) => this.#version.inferenceFailure(response),
      read: (response) => this.#read(call, response, note),
    };
  }

  #gate({ isProbe, isLowPriority }: ScriptedCall): RequestGate {
    const limiter: ConcurrencyLimit & { passive?(isLowPriority: boolean): RequestGate } =
      this.#limiter;
    // In versions before commit 98de06c8, probes used a different gate.
    if (isProbe && limiter.passive) return limiter.passive(isLowPriority);
    return isLowPriority ? limiter.lowPriority : limiter;
  }

  #tokens({ token }: ScriptedCall, note: (event: unknown) => void): TokenProvider {
    let asked = 0;
    const get = async (signal: AbortSignal) => {
      asked += 1;
      if (signal.aborted) throw new this.#version.ServiceError('cancelled');
      if (token === 'fails') throw new this.#version.ServiceError('key-rejected', { status: 400 });
      if (token === 'late' && asked === 1) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        note('token');
      }
      return `token-of-the-script-${asked}`;
    };
    return { get, hasToken: () => token !== 'expires in the queue' };
  }

  async #read(
    { reads }: ScriptedCall,
    { status, body }: HttpResponse,
    note: (event: unknown) => void,
  ): Promise<string> {
    if (reads === 'text') return `${status} ${(await body.text()).length}`;
    let text = '';
    for await (const { data } of this.#version.readEvents(startingAtOnce(body))) {
      note(data);
      if (data === 'error') {
        throw new this.#version.ServiceError('rate-limited', { status: 429, retryAfterMs: 500 });
      }
      text += data;
      if (data === 'end') return text;
    }
    throw new this.#version.ServiceError('incomplete');
  }
}

/** Marks the response as started when its first chunk arrives, as earlier versions did. */
async function* startingAtOnce(
  body: Omit<bodies.Body, 'markStarted'> & Partial<Pick<bodies.Body, 'markStarted'>>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    body.markStarted?.();
    yield chunk;
  }
}

function pairsOf(rawHeaders: readonly string[]): string[] {
  return rawHeaders
    .flatMap((name, index) => (index % 2 === 0 ? `${name}: ${rawHeaders[index + 1]}` : []))
    .filter((line) => !/^host:/i.test(line))
    .sort();
}

function sorted(details: object): object {
  return Object.fromEntries(
    Object.entries(details).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
