import assert from 'node:assert/strict';
import type { GenerateOptions } from '../../../src/service/client.ts';
import type { ErrorKind } from '../../../src/service/errors.ts';
import type { Fault } from '../../emulator/faults.ts';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import { never } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { startInsertion } from './cancelledInsertion.ts';
import { startMuteServer } from './muteServer.ts';
import { WatchedFetch } from './watchedFetch.ts';
import { kindOf, pathOf, startWorld, streamedPiece, tokenPath, type World } from './world.ts';

/** A call that is stuck until the user cancels it. */
export interface StuckCall {
  readonly world: World;
  /** The request that the service has received, if any. */
  readonly request?: ReceivedRequest;
  readonly cancel: () => void;
  /** Resolves with the call's failure kind when the call ends. */
  readonly kind: Promise<ErrorKind>;
  /** Releases the resource that blocks the call. */
  readonly release?: () => Promise<void> | void;
}

/** A phase in which a call can get stuck. */
export interface CancelPhase {
  readonly name: string;
  readonly begin: () => Promise<StuckCall>;
  /**
   * Maximum time between a cancellation in this phase and the end of the call, in milliseconds.
   * Defaults to 0.
   */
  readonly waitMs?: number;
}

const chat = pathOf('chat', false);
const chatStream = pathOf('chat', true);
const eventStream = { 'content-type': 'text/event-stream' };
const limits = { limit: 1 };
/** Minimum time between two edits that write a response into a document, in milliseconds. */
const FRAME_MS = 34;

const whole = streamedPiece('first') + streamedPiece('last', 'stop');

const stuckAnswers: readonly [name: string, path: string, fault: Fault][] = [
  ['the token request', tokenPath, { neverAnswers: true }],
  ['the token response', tokenPath, { silentAfterBytes: 9 }],
  ['the wait for headers', chat, { neverAnswers: true }],
  ["the wait for a stream's headers", chatStream, { neverAnswers: true }],
  ['the response', chat, { silentAfterBytes: 9 }],
  ['the stream', chatStream, { silentAfterBytes: 700 }],
  [
    'the stream, after its last chunk of text',
    chatStream,
    { headers: eventStream, body: `${whole}: the end\n\n`, silentAfterBytes: whole.length },
  ],
  ['an error response', chat, { status: 503, body: 'x'.repeat(60_000), silentAfterBytes: 9 }],
];

export const cancelPhases: readonly CancelPhase[] = [
  { name: 'the wait for a slot', begin: beginInQueue },
  { name: 'the TLS handshake', begin: beginInConnection },
  ...stuckAnswers.map(([name, path, fault]) => ({ name, begin: () => beginOn(path, fault) })),
  { name: 'the backoff', begin: beginInRetryWait },
  { name: 'the insertion', begin: beginInInsertion, waitMs: FRAME_MS },
];

async function beginOn(path: string, fault: Fault): Promise<StuckCall> {
  const watched = new WatchedFetch();
  const world = await startWorld({ http: { fetch: watched.fetch }, limits });
  const { emulator } = world;
  if (path !== tokenPath) await world.tokenService.refresh(never);
  emulator.faults.next(path, fault);
  const call = begin(world, path === chatStream ? { onText: () => {} } : {});
  const request = await emulator.requestCount(path, 1);
  const { silentAfterBytes = 0 } = fault;
  await becomes('the bytes to be read', () => watched.bytes(path) === silentAfterBytes);
  return { ...call, request };
}

/** Starts a call to a service that accepts connections but never completes a TLS handshake. */
async function beginInConnection(): Promise<StuckCall> {
  const connected = Promise.withResolvers<void>();
  const mute = await startMuteServer(() => connected.resolve());
  const serviceUrl = mute.url;
  const world = await startWorld({
    credentials: (auth) => ({ serviceUrl, approved: { auth, service: serviceUrl } }),
  });
  const call = begin(world);
  await connected.promise;
  const release = async () => {
    assert.equal(mute.connections, 1);
    await mute.close();
  };
  return { ...call, release };
}

async function beginInQueue(): Promise<StuckCall> {
  const world = await startWorld({ limits });
  await world.tokenService.refresh(never);
  const slot = await world.limiter.acquire(never);
  const call = begin(world);
  await becomes('a queued call', () => world.limiter.state.waiting === 1);
  return { ...call, release: () => slot.release('ok') };
}

async function beginInRetryWait(): Promise<StuckCall> {
  const world = await startWorld({ http: { waitMs: () => 60_000 } });
  world.emulator.faults.next(chat, { status: 503 });
  const retried = Promise.withResolvers<void>();
  const call = begin(world, { onRetry: () => retried.resolve() });
  await retried.promise;
  return call;
}

async function beginInInsertion(): Promise<StuckCall> {
  const world = await startWorld();
  const texts = ['first', 'second'];
  const body = texts.map((text) => streamedPiece(text)).join('');
  world.emulator.faults.next(chatStream, {
    headers: eventStream,
    body: `${body}: the end\n\n`,
    silentAfterBytes: body.length,
  });
  return { world, ...(await startInsertion(world, texts)) };
}

function begin(world: World, options: GenerateOptions = {}): StuckCall {
  const user = new AbortController();
  const kind = kindOf(world.generate({ ...options, signal: user.signal }));
  return { world, kind, cancel: () => user.abort() };
}
