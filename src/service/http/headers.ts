import { ServiceError } from '../errors.ts';

/** The headers of requests and of answers; the whole of what goes out besides a body. */

/** What an answer says before its body. */
export interface AnswerHead {
  readonly status: number;
  /** The value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** The same, and the body as it comes; null where there is none. */
export interface StreamedAnswer extends AnswerHead {
  readonly stream: ReadableStream<Uint8Array> | null;
}

/** The media types of a request. */
export interface MediaTypes {
  readonly accept: 'application/json' | 'text/event-stream';
  readonly contentType?: 'application/json' | 'application/x-www-form-urlencoded';
}

/** What a request says besides its body. */
export function requestHeaders({ accept, contentType }: MediaTypes): Record<string, string> {
  return {
    Accept: accept,
    // Answers are small; unasked compression is refused, and with it bombs and silent truncation.
    'Accept-Encoding': 'identity',
    'User-Agent': 'hosted-model',
    ...(contentType && { 'Content-Type': contentType }),
  };
}

/**
 * Whether the head of an answer promises what was asked for.
 * @throws {ServiceError} `unexpected-answer`
 */
export function checkHead(
  { status, header }: AnswerHead,
  { accept }: Pick<MediaTypes, 'accept'>,
): void {
  const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  const encoding = header('content-encoding') ?? 'identity';
  if (type !== accept || encoding !== 'identity') {
    throw new ServiceError('unexpected-answer', { status });
  }
}

/** How many requests the service takes; undefined where it did not say. */
export interface RequestLimit {
  readonly perSecond: number | undefined;
  /** Of this second. */
  readonly left: number | undefined;
}

/** What the headers of an answer say about the limit: numbers, and nothing else of them. */
export function requestLimit(header: AnswerHead['header']): RequestLimit {
  const number = (name: string) => {
    const text = header(name);
    return text && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  };
  return {
    perSecond: number('x-requests-limit-rate'),
    left: number('x-requests-limit-remaining'),
  };
}
