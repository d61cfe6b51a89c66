import type { Readable } from 'node:stream';
import { boundedBytes } from './body.ts';
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
  return { header, bytes: boundedBytes(response.data, maxBytes, idleMs) };
}

/** Reads headers by their names in lower case. */
export function headerReader(response: Response): (name: string) => string | undefined {
  return (name) => {
    const value: unknown = response.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
}
