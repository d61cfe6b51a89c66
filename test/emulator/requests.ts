import type { IncomingHttpHeaders } from 'node:http';

export interface ReceivedRequest {
  /** The request's sequence number, starting at 1 when the emulator is started or reset. */
  readonly sequence: number;
  /** Time in milliseconds at which the headers arrived, as returned by `performance.now()`. */
  readonly atMs: number;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Alternating header names and values, as the client sent them. */
  readonly rawHeaders: readonly string[];
  /** The body, which is incomplete if the client disconnected early. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The fields of the body, if it's a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** The parsed body, if the content type is JSON and the body is valid. */
  readonly json?: unknown;
  /** Number of the connection that the request used, starting with 1. */
  readonly connection: number;
}

export type RequestMatch = string | ((request: ReceivedRequest) => boolean);

/**
 * True if `match` is undefined, equals the request's path, or is a function that returns true for
 * the request.
 */
export function matches(match: RequestMatch | undefined, request: ReceivedRequest): boolean {
  if (match === undefined) return true;
  return typeof match === 'string' ? match === request.path : match(request);
}

/** Records all requests and waits for matching requests. */
export class RequestLog {
  readonly #all: ReceivedRequest[] = [];
  readonly #waiting = new Set<() => void>();

  get all(): readonly ReceivedRequest[] {
    return this.#all;
  }

  count(match?: RequestMatch): number {
    return this.#all.filter((request) => matches(match, request)).length;
  }

  countsByPath(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { path } of this.#all) counts[path] = (counts[path] ?? 0) + 1;
    return counts;
  }

  add(request: ReceivedRequest): void {
    this.#all.push(request);
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves with the first matching request that arrives after this call. */
  next(match?: RequestMatch): Promise<ReceivedRequest> {
    const last = this.#all.at(-1);
    return this.#until(() => {
      const from = last === undefined ? 0 : this.#all.indexOf(last) + 1;
      return this.#all.slice(from).find((request) => matches(match, request));
    });
  }

  /**
   * Resolves with the nth matching request when it arrives, or immediately if it has already
   * arrived.
   */
  nth(match: RequestMatch, n: number): Promise<ReceivedRequest> {
    return this.#until(() => this.#all.filter((request) => matches(match, request))[n - 1]);
  }

  clear(): void {
    this.#all.length = 0;
  }

  #until(find: () => ReceivedRequest | undefined): Promise<ReceivedRequest> {
    const { promise, resolve } = Promise.withResolvers<ReceivedRequest>();
    const look = () => {
      const found = find();
      if (found === undefined) return;
      this.#waiting.delete(look);
      resolve(found);
    };
    this.#waiting.add(look);
    look();
    return promise;
  }
}

export function bodyOf(
  bytes: Buffer,
  contentType = '',
): Pick<ReceivedRequest, 'bytes' | 'text' | 'form' | 'json'> {
  const text = bytes.toString('utf8');
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  if (isForm) return { bytes, text, form: Object.fromEntries(new URLSearchParams(text)) };
  if (!contentType.startsWith('application/json')) return { bytes, text };
  try {
    return { bytes, text, json: JSON.parse(text) };
  } catch {
    return { bytes, text };
  }
}
