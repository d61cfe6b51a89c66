import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { readServices } from '../../../src/service/addedServices.ts';
import type { TokenResponse } from '../../../src/service/auth/token.ts';
import { TokenService } from '../../../src/service/auth/tokenService.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import { Client, type ClientOptions } from '../../../src/service/client.ts';
import type { Clock } from '../../../src/service/clock.ts';
import { Connection, type ConnectionOptions } from '../../../src/service/connection.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { type ErrorKind, ServiceError } from '../../../src/service/errors.ts';
import type { BodyLimits } from '../../../src/service/http/body.ts';
import { ConcurrencyLimit } from '../../../src/service/http/concurrencyLimit.ts';
import { Http, type HttpOptions } from '../../../src/service/http/http.ts';
import type { Service } from '../../../src/service/service.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';

/** Limits that no response in a test reaches. */
export const highLimits: BodyLimits = {
  maxBytes: 1_000_000,
  startLeftMs: () => 1_000_000,
  idleMs: 1_000_000,
};

/**
 * A new seed for each run, unless TEST_SEED is set. Tests that use the seed show it in their
 * titles.
 */
export const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 0x7fff_ffff);

export const ibm = serviceFor('ibm') as Service;
/**
 * A service whose token request sends the account and the key in a Basic `Authorization` header.
 */
export const oauth = readServices([
  {
    ...{ word: 'acme', api: 'openai', defaultModel: 'm' },
    authentication: { kind: 'clientCredentials', tokenUrl: 'https://a.example/token' },
  },
]).own[0] as Service;
export const never: AbortSignal = new AbortController().signal;

export const credentials: Credentials = {
  service: ibm,
  apiKey: 'key-of-the-unit-tests',
  projectId: 'project-1',
  authUrl: 'https://identity.example',
  serviceUrl: 'https://service.example',
  approved: { auth: 'https://identity.example', service: 'https://service.example' },
};

/**
 * Creates a connection. By default, its source is `editor`. Without a runtime, calls to the service
 * fail.
 */
export function connectionOf(
  changes: Partial<ConnectionOptions> = {},
  runtime = nothingToCall,
): Connection {
  const options: ConnectionOptions = {
    credentials,
    source: 'editor',
    reason: 'From secret storage and user settings.',
    modelId: 'model-1',
    operation: 'chat',
    parameters: {},
    limits: { limit: 3, queue: 50, minIntervalMs: 0 },
    ...changes,
  };
  return new Connection(options, runtime);
}

const nothingToCall = new Proxy({} as ServiceRuntime, {
  get: (_, name) => {
    throw new Error(`expected no calls, but ${String(name)} was called`);
  },
});

export const tokenAnswer: TokenResponse = {
  value: 'token-of-the-unit-tests',
  expiresIn: 3_600,
  expiration: undefined,
  serverNow: undefined,
};

export const chatAnswer = {
  choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { completion_tokens: 2, prompt_tokens: 3 },
};

/** A wall clock, a monotonic clock, and timers that a test controls. */
export class FakeTime implements Clock {
  #wallOffset = 0;

  constructor() {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 });
  }

  now(): number {
    return Date.now() + this.#wallOffset;
  }

  monotonic(): number {
    return Date.now() - 1_800_000_000_000;
  }

  after(ms: number, call: () => void): () => void {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  }

  /** Adjusts the wall clock, as a user or a time server would. */
  setWall(byMs: number): void {
    this.#wallOffset += byMs;
  }

  /**
   * Advances only the wall clock, as if the machine had been asleep. Monotonic time and timers
   * stand still.
   */
  sleep(ms: number): void {
    this.#wallOffset += ms;
  }

  /** Advances the time in steps of `stepMs`. After each step, runs the timers that are due. */
  async pass(ms: number, stepMs = ms): Promise<void> {
    await settled();
    for (let passed = 0; passed < ms; passed += stepMs) {
      mock.timers.tick(Math.min(stepMs, ms - passed));
      await settled();
    }
  }

  end(): void {
    mock.timers.reset();
  }
}

/** Waits until all pending code that doesn't depend on timers has run. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns += 1) await turn();
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/**
 * Returns the response to the nth request, counted from 1, or the error that breaks the connection.
 */
export type Script = (n: number) => FakeAnswer | Error;

/**
 * Returns a `fetch` function that responds with the results of `script`. Also returns a list of the
 * requests that the function received, each with the time, the body, and the `Authorization`
 * header.
 */
export function fakeNetwork(script: Script, clock?: Clock) {
  const sent: { readonly atMs: number; readonly body: unknown; readonly bearer: unknown }[] = [];
  const fetch = async (_url: unknown, { body, headers }: RequestInit = {}): Promise<Response> => {
    const bearer = new Headers(headers).get('authorization');
    sent.push({ atMs: clock?.monotonic() ?? 0, body, bearer });
    const answer = script(sent.length);
    if (answer instanceof Error) throw new TypeError('fetch failed', { cause: answer });
    const { status = 200, headers: more = {}, json = chatAnswer } = answer;
    const all = { 'content-type': 'application/json', ...more };
    return new Response(JSON.stringify(json), { status, headers: all });
  };
  return { fetch, sent };
}

export function clientOn(
  http: HttpOptions,
  options: Partial<ClientOptions> = {},
): { readonly client: Client; readonly limiter: ConcurrencyLimit } {
  const limiter =
    options.limiter ?? new ConcurrencyLimit({ limit: 3, queue: 50, minIntervalMs: 0 }, http.clock);
  const tokenService = new TokenService({ fetchToken: async () => tokenAnswer });
  const client = new Client({
    credentials,
    modelId: 'model-1',
    operation: 'chat',
    http: new Http(http),
    tokenService,
    limiter,
    ...options,
  });
  return { client, limiter };
}

/** Returns the `ServiceError` that the promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<ServiceError> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected' && result.reason instanceof ServiceError) return result.reason;
  throw new Error('expected a rejection with a ServiceError', {
    cause: result.status === 'rejected' ? result.reason : result.value,
  });
}

export async function kindOf(promise: Promise<unknown>): Promise<ErrorKind> {
  return (await failureOf(promise)).kind;
}
