import { type Answer, bodyAnswer, jsonAnswer, type Part, recordedAnswer } from './answer.ts';
import { matches, type ReceivedRequest, type RequestMatch } from './requests.ts';
import type { EventFormat } from './settings.ts';

/**
 * Describes how the response to one request differs from the normal response. For example,
 * `cutAfterBytes: 10` cuts off the body after 10 bytes. If a fault sets a status but no content,
 * the body is empty, so `status: 503` results in an empty 503 response.
 */
export interface Fault {
  // Content. At most one of `body`, `json`, `recording`, `chunks`, and `oversizedBytes` can be set.
  readonly status?: number;
  /**
   * Headers to add or replace. An empty value removes a header. If Content-Length is removed, the
   * body is sent with chunked encoding.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
  readonly recording?: number | string;
  /** The chunks of the body, which is sent with chunked encoding. */
  readonly chunks?: readonly {
    readonly bytes: string | Uint8Array;
    readonly delayMs?: number;
    readonly hold?: Promise<unknown>;
  }[];
  /** The size of a generated body, in bytes. To save memory, the body is generated in blocks. */
  readonly oversizedBytes?: number;
  /** Redirects to this location, with status 307 unless `status` is set. */
  readonly redirectTo?: string;
  /**
   * Bytes to write to the socket instead of an HTTP response. The connection is closed afterward.
   */
  readonly raw?: string | Uint8Array;

  // Timing. The normal response is created when `hold` has resolved and `delayHeadersMs` has
  // passed, so the response depends on the service's state at that time.
  readonly delayHeadersMs?: number;
  /** Holds the response until this promise resolves. */
  readonly hold?: Promise<unknown>;
  /**
   * Called and awaited before each part is written. The parts of a stream are its events, numbered
   * from 0.
   */
  readonly beforePart?: (index: number) => Promise<unknown> | undefined;

  // Chunks.
  readonly chunkSize?: number;
  /** Pause before each chunk except the first, in milliseconds. */
  readonly chunkDelayMs?: number;
  /**
   * Pause between bytes, in milliseconds. The body is sent one byte at a time, even if the pause is
   * 0.
   */
  readonly oneByteAtATimeMs?: number;

  // Failures.
  /** Resets the connection without responding. */
  readonly resetBeforeHeaders?: boolean;
  /** Keeps the connection open without responding. */
  readonly neverAnswers?: boolean;
  /** Closes the connection after this many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** True if `cutAfterBytes` resets the connection (RST) instead of closing it normally (FIN). */
  readonly reset?: boolean;
  /** Stops sending after this many bytes of the body, and keeps the connection open. */
  readonly silentAfterBytes?: number;
}

/** The faults for future requests. */
export class FaultScript {
  #script: { match: RequestMatch | undefined; fault: Fault; times: number }[] = [];

  /**
   * Applies a fault to the next matching requests. Faults that were added earlier are used first.
   */
  next(match: RequestMatch | undefined, fault: Fault, times = 1): void {
    this.#script.push({ match, fault, times });
  }

  /**
   * Applies a fault to every matching request for which no fault from `next` remains. Returns a
   * function that removes the fault.
   */
  always(match: RequestMatch | undefined, fault: Fault): () => void {
    const entry = { match, fault, times: Number.POSITIVE_INFINITY };
    this.#script.push(entry);
    return () => {
      this.#script = this.#script.filter((each) => each !== entry);
    };
  }

  /** How many more times the faults from `next` apply. */
  get pending(): number {
    return this.#script.reduce((sum, { times }) => sum + (Number.isFinite(times) ? times : 0), 0);
  }

  clear(): void {
    this.#script = [];
  }

  /**
   * Returns the fault for a request, or an empty object if there is none. A fault from `next` is
   * removed after its last use.
   */
  take(request: ReceivedRequest): Fault {
    const fitting = this.#script.filter(({ match }) => matches(match, request));
    const entry = fitting.find(({ times }) => Number.isFinite(times)) ?? fitting[0];
    if (entry === undefined) return {};
    entry.times -= 1;
    if (entry.times === 0) this.#script = this.#script.filter((each) => each !== entry);
    return entry.fault;
  }
}

/** A promise and the function that resolves it. The promise can be used as a fault's `hold`. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Applies a fault to a response. Calls `normal` only if the fault doesn't replace the response. */
export function faultyAnswer(fault: Fault, normal: () => Answer, format: EventFormat): Answer {
  const { length, ...answer } = replacedAnswer(fault, format) ?? normal();
  const headers = { ...answer.headers, ...fault.headers };
  const kept = Object.entries(headers).filter(([, value]) => value !== '');
  return {
    ...answer,
    status: fault.status ?? answer.status,
    headers: Object.fromEntries(kept),
    parts: cutIntoChunks(answer.parts, fault),
    ...(length !== undefined && fault.headers?.['content-length'] !== '' && { length }),
  };
}

function replacedAnswer(fault: Fault, format: EventFormat): Answer | undefined {
  const { status = 200, body, json, recording, chunks, oversizedBytes, redirectTo } = fault;
  if (recording !== undefined) return recordedAnswer(recording, format);
  if (redirectTo !== undefined) return bodyAnswer(307, { location: redirectTo }, body ?? '');
  if (json !== undefined) return jsonAnswer(status, json);
  if (body !== undefined) return bodyAnswer(status, {}, body);
  if (chunks !== undefined) {
    const parts = chunks.map((chunk) => ({ ...chunk, bytes: Buffer.from(chunk.bytes) }));
    return { status, headers: {}, parts };
  }
  if (oversizedBytes !== undefined) {
    const headers = { 'content-type': 'application/json' };
    return { status, headers, parts: filler(oversizedBytes), length: oversizedBytes };
  }
  return fault.status === undefined ? undefined : bodyAnswer(status, {}, '');
}

function* cutIntoChunks(parts: Iterable<Part>, fault: Fault): Generator<Part> {
  const isByteByByte = fault.oneByteAtATimeMs !== undefined;
  const size = isByteByByte ? 1 : fault.chunkSize;
  const pauseMs = fault.oneByteAtATimeMs ?? fault.chunkDelayMs ?? 0;
  if (size === undefined) {
    yield* parts;
    return;
  }
  let isFirst = true;
  for (const part of parts) {
    for (let start = 0; start < part.bytes.length; start += size) {
      const delayMs = isFirst ? 0 : pauseMs;
      isFirst = false;
      const bytes = part.bytes.subarray(start, start + size);
      yield start === 0
        ? { ...part, bytes, delayMs: (part.delayMs ?? 0) + delayMs }
        : { bytes, delayMs };
    }
  }
}

function* filler(length: number): Generator<Part> {
  const block = Buffer.alloc(64 * 1024, 'x');
  for (let left = length; left > 0; left -= block.length) {
    yield { bytes: block.subarray(0, Math.min(left, block.length)) };
  }
}
