import { type Answer, bodyAnswer, jsonAnswer, type Part, recordedAnswer } from './answer.ts';
import { matches, type ReceivedRequest, type RequestMatch } from './requests.ts';
import type { EventFormat } from './settings.ts';

/**
 * How the answer to one request differs from the normal one, as data. Parts that are left out stay
 * normal: `{ cutAfterBytes: 10 }` cuts the normal answer, `{ status: 503 }` is an empty 503.
 */
export interface Fault {
  // What is answered. At most one of `body`, `json`, `recording`, `chunks` and `oversizedBytes`.
  readonly status?: number;
  /** Added to the headers; an empty value takes one away. Without content-length: chunked encoding. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
  readonly recording?: number | string;
  /** Body in these parts, in chunked encoding. */
  readonly chunks?: readonly {
    readonly bytes: string | Uint8Array;
    readonly delayMs?: number;
    readonly hold?: Promise<unknown>;
  }[];
  /** A body of this many bytes that never is in memory as a whole. */
  readonly oversizedBytes?: number;
  /** Status 307, unless `status` says another one, with this location. */
  readonly redirectTo?: string;
  /** Written on the socket instead of any HTTP answer; the connection ends after it. */
  readonly raw?: string | Uint8Array;

  // When. The normal answer is made only after the hold, from the state of the service by then.
  readonly delayHeadersMs?: number;
  /** Nothing is answered before this promise has resolved. */
  readonly hold?: Promise<unknown>;
  /** Awaited before each part is written; parts of a stream are its events, from index 0. */
  readonly beforePart?: (index: number) => Promise<unknown> | undefined;

  // In which parts.
  readonly chunkSize?: number;
  /** Pause before each chunk but the first. */
  readonly chunkDelayMs?: number;
  /** As `chunkSize` 1 with this pause; 0 still writes each byte on its own. */
  readonly oneByteAtATimeMs?: number;

  // Where it breaks.
  /** The connection is reset without any answer. */
  readonly resetBeforeHeaders?: boolean;
  /** The connection stays open without any answer. */
  readonly neverAnswers?: boolean;
  /** After so many bytes of the body the connection ends. */
  readonly cutAfterBytes?: number;
  /** Makes `cutAfterBytes` end with a reset (RST) instead of an ordinary end (FIN). */
  readonly reset?: boolean;
  /** After so many bytes of the body nothing more is sent, and the connection stays open. */
  readonly silentAfterBytes?: number;
}

/** Which faults the next requests meet. */
export class FaultScript {
  #script: { match: RequestMatch | undefined; fault: Fault; times: number }[] = [];

  /** The next matching requests meet this fault, after those scripted before it. */
  next(match: RequestMatch | undefined, fault: Fault, times = 1): void {
    this.#script.push({ match, fault, times });
  }

  /** All matching requests meet this fault, unless one of `next` is due. Returns its end. */
  always(match: RequestMatch | undefined, fault: Fault): () => void {
    const entry = { match, fault, times: Number.POSITIVE_INFINITY };
    this.#script.push(entry);
    return () => {
      this.#script = this.#script.filter((each) => each !== entry);
    };
  }

  /** Faults of `next` that no request has met yet. */
  get pending(): number {
    return this.#script.reduce((sum, { times }) => sum + (Number.isFinite(times) ? times : 0), 0);
  }

  clear(): void {
    this.#script = [];
  }

  /** The fault for this request; it is used up by this. */
  take(request: ReceivedRequest): Fault {
    const fitting = this.#script.filter(({ match }) => matches(match, request));
    const entry = fitting.find(({ times }) => Number.isFinite(times)) ?? fitting[0];
    if (entry === undefined) return {};
    entry.times -= 1;
    if (entry.times === 0) this.#script = this.#script.filter((each) => each !== entry);
    return entry.fault;
  }
}

/** A promise that a test keeps, for `hold`. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** The answer with this fault in it. The normal answer is made only when it is needed. */
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
