import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './answer.ts';
import { chatCompletionsAnswer } from './chatCompletions.ts';
import { Connections, type Received } from './connections.ts';
import { deliver, pauseUnlessGone, unlessGone } from './delivery.ts';
import { FaultScript, faultyAnswer } from './faults.ts';
import { identityAnswer, isIdentityPath } from './identity.ts';
import { InFlight, type ServiceName } from './inFlight.ts';
import { inferenceAnswer } from './inference.ts';
import { gatewayAnswer, isOtherAuthPath, otherAuthAnswer } from './otherAuthMethods.ts';
import { recording } from './recordings.ts';
import { bodyOf, type ReceivedRequest, RequestLog, type RequestMatch } from './requests.ts';
import { randomIdentifier, type Service } from './service.ts';
import { type EmulatorSettings, settingsFrom } from './settings.ts';
import { IssuedTokens, type TokenState } from './tokens.ts';

export interface EmulatorOptions extends Partial<EmulatorSettings> {
  /** The default, 0, selects any free port. */
  readonly port?: number;
  /**
   * Replaces this machine's clock. Returns milliseconds since 1970. The time determines, for
   * example, when access tokens expire.
   */
  readonly now?: () => number;
  /**
   * Returns 32 hexadecimal digits for each trace and ID in a response. The digits are random by
   * default.
   */
  readonly identifier?: () => string;
  /** Called at the end of each request. `status` is 0 if there was no response. */
  readonly onEnd?: (request: ReceivedRequest, status: number) => void;
}

/** Starts the identity service and the inference service on the same port of 127.0.0.1. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const server = createServer();
  // Idle connections stay open so that a test never uses a connection that is being closed.
  server.keepAliveTimeout = 0;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return new Emulator(server, options);
}

/**
 * Runs an identity service and an inference service, records the requests that they receive, and
 * controls their faults.
 */
export class Emulator {
  /** The address of both the identity service and the inference service. */
  readonly url: string;
  readonly faults = new FaultScript();
  settings: EmulatorSettings;

  readonly #server: Server;
  readonly #options: EmulatorOptions;
  readonly #now: () => number;
  readonly #log = new RequestLog();
  readonly #tokens: IssuedTokens;
  readonly #accepted: number[] = [];
  readonly #answers = new Map<string, string>();
  readonly #inFlight = new InFlight();
  readonly #connections: Connections;
  readonly #closedOf = new WeakMap<ReceivedRequest, Promise<void>>();
  #sequence = 0;

  constructor(server: Server, options: EmulatorOptions) {
    const { port, now = Date.now, identifier, onEnd, ...chosen } = options;
    this.#server = server;
    this.#options = options;
    this.#now = now;
    this.#tokens = new IssuedTokens(now, (token) => this.settings.acceptsToken(token));
    this.settings = settingsFrom(chosen);
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#connections = new Connections(server);
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /**
   * All requests since the start or the last reset, in the order in which their last bytes arrived.
   */
  get requests(): readonly ReceivedRequest[] {
    return this.#log.all;
  }

  get counts(): Readonly<Record<string, number>> {
    return this.#log.countsByPath();
  }

  count(match?: RequestMatch): number {
    return this.#log.count(match);
  }

  /** Resolves with the first matching request that arrives after this call. */
  nextRequest(match?: RequestMatch): Promise<ReceivedRequest> {
    return this.#log.next(match);
  }

  /**
   * Resolves with the nth matching request when it arrives, or immediately if it has already
   * arrived.
   */
  requestCount(match: RequestMatch, n: number): Promise<ReceivedRequest> {
    return this.#log.nth(match, n);
  }

  /** Resolves when either side closes this request's connection. */
  async disconnected(request: ReceivedRequest): Promise<void> {
    await this.#closedOf.get(request);
  }

  /** The number of pending requests, by service. */
  get inFlight(): Readonly<Record<ServiceName, number>> {
    return this.#inFlight.now;
  }

  /** The maximum number of pending requests since the start or the last reset, by service. */
  get mostInFlight(): Readonly<Record<ServiceName, number>> {
    return this.#inFlight.most;
  }

  get openConnections(): number {
    return this.#connections.size;
  }

  /**
   * The number of connections and bytes received since the start. `reset` doesn't change these
   * numbers.
   */
  get received(): Received {
    return this.#connections.received;
  }

  /** The access tokens, in the order in which they were issued. */
  get tokensIssued(): readonly string[] {
    return this.#tokens.all;
  }

  /** Makes the inference service reject this token. */
  revokeToken(token: string, state: Exclude<TokenState, 'live'> = 'expired'): void {
    this.#tokens.kill(token, state);
  }

  /** Makes the inference service reject all tokens issued so far. */
  revokeTokens(state: Exclude<TokenState, 'live'> = 'expired'): void {
    for (const token of this.#tokens.all) this.#tokens.kill(token, state);
  }

  /** Responds to the next matching requests with this recording, byte for byte. */
  replay(numberOrName: number | string, match?: RequestMatch, times = 1): void {
    const { n, request } = recording(numberOrName);
    this.faults.next(match ?? request.path, { recording: n }, times);
  }

  /**
   * Restores the initial state, except for open connections, pending requests, and the counts in
   * `received`. If `keepsTokens` is true, keeps the access tokens and their states.
   */
  reset({ keepsTokens = false } = {}): void {
    const { port, now, identifier, onEnd, ...chosen } = this.#options;
    this.settings = settingsFrom(chosen);
    this.faults.clear();
    this.#log.clear();
    if (!keepsTokens) this.#tokens.forget();
    this.#accepted.length = 0;
    this.#answers.clear();
    this.#sequence = 0;
    this.#inFlight.forget();
  }

  /** Closes all connections and frees the port. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await this.#connections.destroyAll();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const leave = this.#inFlight.enter(this.#serviceAt(incoming.url));
    const gone = new AbortController();
    response.on('close', () => {
      leave();
      gone.abort();
    });
    const request = await this.#received(incoming);
    this.#log.add(request);
    response.on('close', () => {
      this.#options.onEnd?.(request, response.headersSent ? response.statusCode : 0);
    });
    try {
      await this.#answer(request, response, gone.signal, leave);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
  }

  async #answer(
    request: ReceivedRequest,
    response: ServerResponse,
    gone: AbortSignal,
    beforeEnd: () => void,
  ): Promise<void> {
    // If the client disconnected while it was sending the request, the request must not use up a
    // fault.
    gone.throwIfAborted();
    const fault = this.faults.take(request);
    await unlessGone(fault.hold, gone);
    await pauseUnlessGone(fault.delayHeadersMs ?? 0, gone);
    if (fault.neverAnswers) return;
    if (fault.resetBeforeHeaders) {
      response.socket?.resetAndDestroy();
      return;
    }
    if (fault.raw !== undefined) {
      response.socket?.write(fault.raw);
      response.socket?.destroySoon();
      return;
    }
    const service = this.#service();
    const answer = faultyAnswer(fault, () => answerTo(request, service), this.settings);
    response.setHeader('date', new Date(service.nowMs()).toUTCString());
    await deliver(response, { answer, fault, gone, beforeEnd });
  }

  async #received(incoming: IncomingMessage): Promise<ReceivedRequest> {
    const atMs = performance.now();
    this.#sequence += 1;
    const sequence = this.#sequence;
    const { number, closed } = this.#connections.of(incoming.socket);
    const { pathname, searchParams } = new URL(incoming.url ?? '/', this.url);
    const bytes = await bytesOf(incoming);
    const request = {
      sequence,
      atMs,
      method: incoming.method ?? '',
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      connection: number,
      ...bodyOf(bytes, incoming.headers['content-type']),
    };
    this.#closedOf.set(request, closed);
    return request;
  }

  #serviceAt(url = '/'): ServiceName {
    const { pathname } = new URL(url, this.url);
    const isIdentity =
      isIdentityPath(pathname, this.settings) || isOtherAuthPath(pathname, this.settings);
    return isIdentity ? 'identity' : 'inference';
  }

  #service(): Service {
    const { settings } = this;
    return {
      settings,
      tokens: this.#tokens,
      url: this.url,
      nowMs: () => this.#now() + settings.clockOffsetSeconds * 1000,
      identifier: this.#options.identifier ?? randomIdentifier,
      inFlight: () => this.#inFlight.now.inference,
      accepted: this.#accepted,
      answers: this.#answers,
    };
  }
}

function answerTo(request: ReceivedRequest, service: Service): Answer {
  if (isIdentityPath(request.path, service.settings)) return identityAnswer(request, service);
  return (
    otherAuthAnswer(request, service) ??
    gatewayAnswer(request, service) ??
    chatCompletionsAnswer(request, service) ??
    inferenceAnswer(request, service)
  );
}

/** Returns the body of a request, or only the part that arrived before the client disconnected. */
async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk);
  } catch {
    // The client disconnected. The part that arrived is still recorded.
  }
  return Buffer.concat(chunks);
}
