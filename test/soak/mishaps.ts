import type { ErrorKind } from '../../src/service/errors.ts';
import type { Fault } from '../emulator/faults.ts';

/** A fault during a generation, and its allowed outcomes. */
export interface Mishap {
  readonly name: string;
  readonly fault: (streams: boolean) => Fault;
  readonly times: number;
  /**
   * The failures that the generation may end with. If the list is empty, the generation must
   * succeed.
   */
  readonly kinds: readonly ErrorKind[];
}

/**
 * A response with a successful status and an incomplete body. It isn't a truncated copy of the
 * emulator's own response, because that response may be an error about the token.
 */
const beginning = (streams: boolean): Fault => ({
  headers: { 'content-type': streams ? 'text/event-stream' : 'application/json' },
  body: streams ? 'data: {"choices": [\n\n' : '{"choices": [         ',
});

export const mishaps: readonly Mishap[] = [
  { name: '503 once', times: 1, kinds: [], fault: () => ({ status: 503 }) },
  {
    name: '503 four times',
    times: 4,
    kinds: ['server-failed'],
    fault: () => ({ status: 503 }),
  },
  {
    name: '429 with Retry-After',
    times: 1,
    kinds: [],
    fault: () => ({ status: 429, headers: { 'retry-after': '0' } }),
  },
  {
    name: 'reset before the headers',
    times: 1,
    kinds: ['connection-lost'],
    fault: () => ({ resetBeforeHeaders: true }),
  },
  {
    name: 'reset inside the body',
    times: 1,
    kinds: ['connection-lost'],
    fault: (streams) => ({ ...beginning(streams), cutAfterBytes: 20, reset: true }),
  },
  {
    name: 'truncated body',
    times: 1,
    kinds: ['connection-lost', 'incomplete'],
    fault: (streams) => ({ ...beginning(streams), cutAfterBytes: 20 }),
  },
  {
    name: 'malformed JSON',
    times: 1,
    kinds: ['unexpected-answer'],
    fault: beginning,
  },
  {
    name: 'HTML page with 200',
    times: 1,
    kinds: ['unexpected-answer'],
    fault: () => ({ headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' }),
  },
  {
    name: 'one byte at a time',
    times: 1,
    kinds: [],
    fault: () => ({ oneByteAtATimeMs: 0 }),
  },
];

const EACH = 20;

/**
 * Returns the mishap for a generation, if any. One generation in 20 has a mishap, and the mishaps
 * are used in turn.
 */
export function mishapOf(job: number): Mishap | undefined {
  return job % EACH === 7 ? mishaps[Math.floor(job / EACH) % mishaps.length] : undefined;
}
