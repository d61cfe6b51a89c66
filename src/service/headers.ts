import type { Readable } from 'node:stream';
import { boundedBody } from './body.ts';
import { ServiceError } from './errors.ts';
import type { Answer, Exchange } from './exchange.ts';

/** The headers of requests and of answers; the whole of what goes out besides a body. */

/** As much of a response as is read here. */
interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: Readable;
}

/** What a request says besides its body. */
export function requestHeaders({ accept, contentType }: Exchange<unknown>): Record<string, string> {
  return {
    Accept: accept,
    // Answers are small; unasked compression is refused, and with it bombs and silent truncation.
    'Accept-Encoding': 'identity',
    'User-Agent': 'hosted-model',
    ...(contentType && { 'Content-Type': contentType }),
  };
}

/**
 * An answer as far as its headers promise what was asked for.
 * @throws {ServiceError} `unexpected-answer`
 */
export function answerOf(
  response: Response,
  { accept, maxBytes }: Exchange<unknown>,
  idleMs: number,
): Answer {
  const header = headerReader(response);
  const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  const encoding = header('content-encoding') ?? 'identity';
  if (type !== accept || encoding !== 'identity') {
    throw new ServiceError('unexpected-answer', { status: response.status });
  }
  return { header, body: boundedBody(response.data, maxBytes, idleMs) };
}

/** How many requests the service takes; undefined where it did not say. */
export interface RequestLimit {
  readonly perSecond: number | undefined;
  /** Of this second. */
  readonly left: number | undefined;
}

/** What the headers of an answer say about the limit: numbers, and nothing else of them. */
export function requestLimit(header: Answer['header']): RequestLimit {
  const number = (name: string) => {
    const text = header(name);
    return text && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  };
  return {
    perSecond: number('x-requests-limit-rate'),
    left: number('x-requests-limit-remaining'),
  };
}

/** Reads headers by their names in lower case. */
export function headerReader(
  response: Pick<Response, 'headers'>,
): (name: string) => string | undefined {
  return (name) => {
    const value: unknown = response.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
}
