import type { ErrorKind } from '../../src/service/errors.ts';
import { streamedPiece } from '../contract/service/world.ts';
import type { Fault } from '../emulator/faults.ts';

/** The faults in the matrix, and the expected outcome of a call with each fault. */

/** The phases of a call in which a fault can occur. */
export const phases = ['token', 'generation', 'stream start', 'mid-stream'] as const;
export type Phase = (typeof phases)[number];

/** A fault in one phase, and the only allowed outcome of the call. */
export interface Cell {
  /**
   * Returns the fault for a request. If undefined, nothing listens on the request's address.
   * @param allStarted resolves when all parallel calls have received their headers or, in the
   * `mid-stream` phase, their first text
   */
  readonly fault: ((allStarted: Promise<void>) => Fault) | undefined;
  readonly outcome: ErrorKind | 'success';
  /** Number of attempts that one call makes. The first `faulty` attempts get the fault. */
  readonly attempts: number;
  readonly faulty: number;
  /** The deadline that ends the call, or `none` if the call ends before any deadline. */
  readonly deadline: 'start' | 'idle' | 'none';
}

/** A phase in which the fault can't occur, with the reason. */
export interface NoCell {
  readonly impossible: string;
}

export interface FaultRow {
  readonly name: string;
  readonly cells: Readonly<Record<Phase, Cell | NoCell>>;
}

/** The text of every response, split into the two chunks that a stream sends. */
export const pieces = ['first ', 'second'] as const;

const json = { 'content-type': 'application/json' };
const eventStream = { 'content-type': 'text/event-stream' };
const page = '<!doctype html><html><body>Please log in.</body></html>';
const mebibyte = 1_048_576;

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const [first, last] = [streamedPiece(pieces[0]), streamedPiece(pieces[1], 'stop')];
const errorEvent = (code: string, status_code: number) =>
  event({ errors: [{ code, message: '' }], status_code });

function cell(
  outcome: Cell['outcome'],
  fault: Fault | Cell['fault'],
  more: Partial<Cell> = {},
): Cell {
  const { attempts = 1 } = more;
  const made = typeof fault === 'object' ? () => fault : fault;
  return {
    outcome,
    fault: made,
    attempts,
    faulty: attempts,
    deadline: 'none',
    ...more,
  };
}

/** Streams the first text. After all calls have received it, streams the remaining chunks. */
function afterText(
  ...rest: readonly (string | Uint8Array)[]
): (allStarted: Promise<void>) => Fault {
  return (allStarted) => ({
    headers: eventStream,
    chunks: [
      { bytes: first },
      ...rest.map((bytes, index) => (index === 0 ? { bytes, hold: allStarted } : { bytes })),
    ],
  });
}

/** Streams the first text, then cuts off the stream in the middle of the next event. */
function cutAfterText(reset: boolean): (allStarted: Promise<void>) => Fault {
  return (allStarted) => ({
    ...afterText(last)(allStarted),
    cutAfterBytes: first.length + 5,
    reset,
  });
}

/** Uses the same cell for all phases before the first text. */
function beforeText(one: Cell): Readonly<Record<Exclude<Phase, 'mid-stream'>, Cell>> {
  return { token: one, generation: one, 'stream start': one };
}

const headersHaveCome: NoCell = {
  impossible: 'a fault before the headers can’t occur mid-stream',
};
/**
 * Cuts off the body after the headers have arrived. An earlier reset would overtake the headers.
 */
const cut = (reset: boolean) => (allStarted: Promise<void>) => ({
  beforePart: () => allStarted,
  cutAfterBytes: 5,
  reset,
});
const events = (...chunks: readonly (string | Uint8Array)[]): Fault => ({
  headers: eventStream,
  chunks: chunks.map((bytes) => ({ bytes })),
});
const block = Buffer.alloc(mebibyte / 16, 'x');
const longEvent = ['data: ', ...Array.from({ length: 18 }, () => block)];
const four = { attempts: 4 };
const bytesOf = (text: string) => [...text].map((byte) => Buffer.from(byte));

export const faultTable: readonly FaultRow[] = [
  {
    name: 'connection refused',
    cells: {
      ...beforeText(cell('unreachable', undefined, four)),
      'mid-stream': headersHaveCome,
    },
  },
  {
    name: 'reset before the headers',
    cells: {
      ...beforeText(cell('connection-lost', { resetBeforeHeaders: true })),
      'mid-stream': headersHaveCome,
    },
  },
  {
    name: 'reset inside the body',
    cells: {
      ...beforeText(cell('connection-lost', cut(true))),
      'mid-stream': cell('connection-lost', cutAfterText(true)),
    },
  },
  {
    name: 'silence before the headers',
    cells: {
      ...beforeText(cell('timeout', { neverAnswers: true }, { deadline: 'start' })),
      'mid-stream': headersHaveCome,
    },
  },
  {
    name: 'silence inside the body',
    cells: {
      ...beforeText(cell('timeout', { silentAfterBytes: 5 }, { deadline: 'idle' })),
      'stream start': cell('timeout', { silentAfterBytes: 5 }, { deadline: 'start' }),
      'mid-stream': cell(
        'timeout',
        { ...events(first, last), silentAfterBytes: first.length + 5 },
        { deadline: 'idle' },
      ),
    },
  },
  {
    name: 'one byte at a time',
    cells: {
      ...beforeText(cell('success', { oneByteAtATimeMs: 0 })),
      'mid-stream': cell('success', afterText(...bytesOf(last))),
    },
  },
  {
    name: 'truncated body',
    cells: {
      ...beforeText(cell('connection-lost', cut(false))),
      'mid-stream': cell('connection-lost', cutAfterText(false)),
    },
  },
  {
    name: 'malformed JSON',
    cells: {
      token: cell('token-unusable', { headers: json, body: '{"access_token":"' }),
      generation: cell('unexpected-answer', { headers: json, body: '{"choices":[{' }),
      'stream start': cell('unexpected-answer', events('data: {"choices":[{\n\n', last)),
      'mid-stream': cell('unexpected-answer', afterText('data: {"choices":[{\n\n', last)),
    },
  },
  {
    name: 'JSON of the wrong shape',
    cells: {
      token: cell('token-unusable', { json: { access_token: 5 } }),
      generation: cell('unexpected-answer', { json: { choices: 5 } }),
      'stream start': cell('unexpected-answer', events(event({ choices: 5 }), last)),
      'mid-stream': cell('unexpected-answer', afterText(event({ choices: 5 }), last)),
    },
  },
  {
    name: 'an HTML page with 200',
    cells: {
      ...beforeText(
        cell('unexpected-answer', { headers: { 'content-type': 'text/html' }, body: page }),
      ),
      // The status and the content type have already arrived, so the page replaces only the
      // remaining events.
      'mid-stream': cell('incomplete', afterText(page)),
    },
  },
  {
    name: 'an oversized body',
    cells: {
      token: cell('too-large', { oversizedBytes: 65_537 }),
      generation: cell('too-large', { oversizedBytes: 9 * mebibyte }),
      'stream start': cell('too-large', events(...longEvent)),
      'mid-stream': cell('too-large', afterText(...longEvent)),
    },
  },
  {
    name: '503 four times',
    cells: {
      ...beforeText(cell('server-failed', { status: 503 }, four)),
      // After the start of a stream, an error arrives as an event, and the request isn't retried.
      'mid-stream': cell('server-failed', afterText(errorEvent('downstream_request_failed', 503))),
    },
  },
  {
    name: '429 with Retry-After',
    cells: {
      ...beforeText(
        cell(
          'success',
          { status: 429, headers: { 'retry-after': '1' } },
          { attempts: 2, faulty: 1 },
        ),
      ),
      'mid-stream': cell('rate-limited', afterText(errorEvent('rate_limit_reached_requests', 429))),
    },
  },
];
