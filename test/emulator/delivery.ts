import type { ServerResponse } from 'node:http';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { Answer, Part } from './answer.ts';
import type { Fault } from './faults.ts';

/**
 * Writes a response, and applies the fields of the fault that affect how the response is sent.
 * @param gone aborted when the client has disconnected, after which nothing is written
 * @param beforeEnd called just before the end is sent, so that the request no longer counts as
 * pending when the client receives the end
 */
export async function deliver(
  response: ServerResponse,
  {
    answer,
    fault,
    gone,
    beforeEnd,
  }: {
    readonly answer: Answer;
    readonly fault: Fault;
    readonly gone: AbortSignal;
    readonly beforeEnd: () => void;
  },
): Promise<void> {
  const { cutAfterBytes = Number.POSITIVE_INFINITY, silentAfterBytes = Number.POSITIVE_INFINITY } =
    fault;
  const stopAfterBytes = Math.min(cutAfterBytes, silentAfterBytes);
  if (answer.length !== undefined) response.setHeader('content-length', answer.length);
  response.writeHead(answer.status, { ...answer.headers });
  response.flushHeaders();

  let sentBytes = 0;
  let index = 0;
  for (const part of answer.parts) {
    await unlessGone(fault.beforePart?.(index), gone);
    await waitFor(part, gone);
    const bytes = part.bytes.subarray(0, stopAfterBytes - sentBytes);
    if (bytes.length > 0) await write(response, bytes, gone);
    sentBytes += bytes.length;
    index += 1;
    if (sentBytes >= stopAfterBytes) break;
    // Without this turn of the event loop, several small parts could be sent in one packet.
    await turn();
  }

  if (sentBytes >= silentAfterBytes) return;
  beforeEnd();
  if (sentBytes < cutAfterBytes) response.end();
  else if (fault.reset) response.socket?.resetAndDestroy();
  else response.socket?.destroySoon();
}

/** Waits for a promise, if there is one, but rejects as soon as the client disconnects. */
export async function unlessGone(
  wait: Promise<unknown> | undefined,
  gone: AbortSignal,
): Promise<void> {
  gone.throwIfAborted();
  if (wait === undefined) return;
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(gone.reason);
  gone.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([wait, promise]);
  } finally {
    gone.removeEventListener('abort', leave);
  }
}

/** @throws {Error} if the client disconnects during the pause */
export async function pauseUnlessGone(ms: number, gone: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { signal: gone });
}

async function waitFor({ hold, delayMs = 0 }: Part, gone: AbortSignal): Promise<void> {
  await unlessGone(hold, gone);
  await pauseUnlessGone(delayMs, gone);
}

/** Writes bytes, and waits until they've been sent so that they don't pile up in memory. */
async function write(
  response: ServerResponse,
  bytes: Uint8Array,
  gone: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.write(bytes, () => resolve());
  await unlessGone(promise, gone);
}
