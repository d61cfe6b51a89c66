import { apiOf } from '../../../src/service/api/apis.ts';
import type { Parameters } from '../../../src/service/api/parameters.ts';
import type { Generation } from '../../../src/service/api/responseReader.ts';
import type { Operation } from '../../../src/service/apiCapabilities.ts';
import { authMethodOf } from '../../../src/service/auth/authMethods.ts';
import { fetchToken } from '../../../src/service/auth/identityService.ts';
import { TokenService } from '../../../src/service/auth/tokenService.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import { Client, type GenerateOptions } from '../../../src/service/client.ts';
import type { Clock } from '../../../src/service/clock.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import {
  ConcurrencyLimit,
  type ConcurrencyOptions,
} from '../../../src/service/http/concurrencyLimit.ts';
import { Http, type HttpOptions } from '../../../src/service/http/http.ts';
import type { Service } from '../../../src/service/service.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../emulator/emulator.ts';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { FakeTime } from '../../unit/service/fixtures.ts';

export const ibm = serviceFor('ibm') as Service;
export const tokenPath = '/identity/token';
export const modelId = 'ibm/granite-4-h-small';

/**
 * Returns credentials that the emulator at this address accepts, with the address already approved.
 */
export function credentialsFor(url: string): Credentials {
  return {
    service: ibm,
    apiKey: defaultApiKey,
    projectId: defaultProjectId,
    authUrl: url,
    serviceUrl: url,
    approved: { auth: url, service: url },
  };
}

export interface WorldOptions {
  readonly emulator?: EmulatorOptions;
  readonly credentials?: Partial<Credentials> | ((url: string) => Partial<Credentials>);
  readonly operation?: Operation;
  readonly http?: HttpOptions;
  readonly limits?: Partial<ConcurrencyOptions>;
  /** The clock that everything except the emulator uses. Defaults to the system clock. */
  readonly clock?: Clock;
  readonly deadlineMs?: number;
  /** Deadline for a token request, including all its attempts, in milliseconds. */
  readonly tokenDeadlineMs?: number;
}

/** The parts of `src/service`, assembled as in the extension, and the emulator that they use. */
export interface World {
  readonly emulator: Emulator;
  readonly credentials: Credentials;
  readonly http: Http;
  readonly tokenService: TokenService;
  readonly limiter: ConcurrencyLimit;
  readonly client: Client;
  readonly generate: (options?: GenerateOptions, parameters?: Parameters) => Promise<Generation>;
  /** Number of requests to `/ml/v1/text/` so far. */
  readonly inferenceCount: () => number;
}

/** A clock that doesn't move unless a test changes it. Timers still use the system clock. */
export class SetClock implements Clock {
  wall = 1_800_000_000_000;
  elapsed = 0;
  readonly now = () => this.wall;
  readonly monotonic = () => this.elapsed;

  pass(ms: number): void {
    this.wall += ms;
    this.elapsed += ms;
  }
}

const running = new Set<World>();

/**
 * Starts the emulator and a client for it. Each backoff takes only 1 ms, and ends even if a test
 * has stopped the clock. Unit tests cover the real durations. To avoid delaying requests, the
 * service doesn't report a request limit by default.
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { operation = 'chat', clock, deadlineMs, tokenDeadlineMs } = options;
  const emulator = await startEmulator({ namesRequestLimit: false, ...options.emulator });
  const { url } = emulator;
  const credentials: Credentials = {
    ...credentialsFor(url),
    ...(typeof options.credentials === 'function' ? options.credentials(url) : options.credentials),
  };
  const waitMs = () => {
    if (clock instanceof FakeTime) void clock.pass(1);
    return 1;
  };
  const http = new Http({ waitMs, ...(clock && { clock }), ...options.http });
  const tokenService = new TokenService({
    fetchToken: (signal) => fetchToken(http, credentials, signal, tokenDeadlineMs),
    isOnDemand: authMethodOf(credentials.service).exchange?.isOnDemand,
    ...(clock && { clock }),
  });
  const limiter = new ConcurrencyLimit(
    { limit: 3, queue: 50, minIntervalMs: 0, ...options.limits },
    clock,
  );
  const client = new Client({
    credentials,
    modelId,
    operation,
    http,
    tokenService,
    limiter,
    ...(deadlineMs && { deadlineMs }),
  });
  const world: World = {
    emulator,
    credentials,
    http,
    tokenService,
    limiter,
    client,
    generate: (generateOptions = {}, parameters = {}) =>
      client.generateText('Write a haiku', parameters, generateOptions),
    inferenceCount: () => emulator.count(({ path }) => path.startsWith('/ml/v1/text/')),
  };
  running.add(world);
  return world;
}

/** Ends all worlds that the test started. Call this function in `afterEach`. */
export async function endWorlds(): Promise<void> {
  const worlds = [...running];
  running.clear();
  for (const { http, tokenService } of worlds) {
    tokenService.dispose();
    http.dispose();
  }
  await Promise.all(worlds.map(({ emulator }) => emulator.close()));
}

export const pathOf = (operation: Operation, streams: boolean): string =>
  new URL(
    apiOf(ibm).url(streams ? (`${operation}Stream` as const) : operation, {
      ...{ service: ibm, serviceUrl: 'https://a.example', projectId: '', resource: undefined },
    }),
  ).pathname;

/** Formats an event of a chat stream. */
export function streamedPiece(content: string, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason }] })}\n\n`;
}

export { failureOf, kindOf } from '../../unit/service/fixtures.ts';
