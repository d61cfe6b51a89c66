import type { Fault } from '../emulator/faults.ts';
import { randomOf } from '../random.ts';

/**
 * One call in a script and everything that happens to it. Times are milliseconds on the script's
 * clock.
 */
export interface ScriptedCall {
  readonly reads: 'text' | 'events';
  readonly method: 'GET' | 'POST';
  readonly isProbe: boolean;
  readonly isLowPriority: boolean;
  readonly startMs: number;
  /** Undefined if the call isn't canceled. */
  readonly cancelMs: number | undefined;
  readonly totalMs: number;
  readonly goesTo: 'service' | 'closed port' | 'other origin';
  /** The part of the request that contains a secret. A request with a secret must not be sent. */
  readonly secretIn: 'nothing' | 'url' | 'body';
  readonly token: 'none' | 'ready' | 'late' | 'expires in the queue' | 'fails';
  /** The fault for each of the call's attempts, in order. Further attempts get a 404. */
  readonly faults: readonly Fault[];
}

export interface HttpScript {
  readonly limit: number;
  readonly queue: number;
  readonly minIntervalMs: number;
  readonly calls: readonly ScriptedCall[];
}

/** Milliseconds by which the clock advances in each step at the start of a script. */
export const STEP_MS = 50;
export const START_MS = 1_000;
export const IDLE_MS = 600;

const STATUSES = [
  ...[400, 401, 403, 404, 408, 409, 422, 505, 520, 599],
  ...[429, 429, 429, 500, 501, 502, 503, 503, 504],
  ...[301, 302, 303, 304, 307, 308, 200, 201, 204],
];
/** A placeholder for the date two seconds after the start of the script. */
export const DATE_LATER = 'date';
const RETRY_AFTER = [
  ...['', '', '', '', '', '0', '1', '2', '0.5', '60', '61', '86400', 'soon', '-5', '1e9'],
  DATE_LATER,
];
const BODIES = [
  '',
  'text',
  'x'.repeat(70_000),
  '{"errors":[{"code":"token_quota_reached","message":""}],"trace":"abc"}',
  '{"errors":[{"code":"rate_limit_reached_requests","message":""}]}',
  '{"errors":[{"code":"consumption_limit_reached","message":""}]}',
  '{"errors":[{"code":"secret-of-the-script","message":""}],"trace":"secret-of-the-script"}',
  '{"code":401,"message":"expired"}',
];
const RAW = [
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'no HTTP at all\r\n\r\n',
  'HTTP/1.1 200',
];

export function scriptOf(seed: number): HttpScript {
  const random = randomOf(seed);
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const isRare = () => random() < 0.06;
  const headers = (): Record<string, string> => {
    const all: Record<string, string> = {
      'retry-after': pick(RETRY_AFTER),
      'x-requests-limit-rate': pick(['', '', '', '2', '8', '0', 'x']),
      'x-requests-limit-remaining': pick(['', '0', '3']),
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  };
  const pace = (): Fault => ({
    ...(random() < 0.15 && { delayHeadersMs: pick([100, 800, 1_500]) }),
    ...(random() < 0.15 && { chunkSize: pick([1_000, 30_000]), chunkDelayMs: pick([0, 100, 700]) }),
    ...(random() < 0.1 && { silentAfterBytes: pick([1, 5, 40]) }),
    ...(random() < 0.1 && { cutAfterBytes: pick([1, 5, 40]), reset: random() < 0.5 }),
  });
  const answer = (reads: ScriptedCall['reads']): Fault => {
    const isMistyped = isRare();
    const type = (reads === 'events') === isMistyped ? 'application/json' : 'text/event-stream';
    const events = ['a', 'b', 'end'].map((data) => `data: ${data}\n\n`).join('');
    const error = isRare() ? 'data: error\n\n' : '';
    return {
      body: `${error}${events}${isRare() ? ': the rest\n\n'.repeat(9_000) : ''}`,
      headers: {
        ...headers(),
        'content-type': type,
        ...(isRare() && { 'content-encoding': 'compress' }),
      },
      ...pace(),
    };
  };
  const rejection = (): Fault => {
    const status = pick(STATUSES);
    const location = pick(['/elsewhere', 'http://other.example/', 'command:x', '']);
    const hasBody = status !== 204 && status !== 304;
    return {
      status,
      body: hasBody ? pick(BODIES) : '',
      headers: {
        ...headers(),
        ...(status >= 300 && status < 400 && location !== '' && { location }),
      },
      ...pace(),
    };
  };
  const broken = (): Fault =>
    pick<() => Fault>([
      () => ({ resetBeforeHeaders: true }),
      () => ({ neverAnswers: true }),
      () => ({ raw: pick(RAW) }),
    ])();
  const call = (): ScriptedCall => {
    const isProbe = random() < 0.1;
    const reads = !isProbe && random() < 0.5 ? 'events' : 'text';
    const faults: Fault[] = [];
    while (random() < 0.7 && faults.length < 5)
      faults.push(random() < 0.8 ? rejection() : broken());
    faults.push(answer(reads));
    return {
      reads,
      isProbe,
      method: isProbe || random() < 0.2 ? 'GET' : 'POST',
      isLowPriority: random() < 0.3,
      startMs: pick([0, 0, 0, 100, 400]),
      cancelMs: random() < 0.25 ? pick([0, 50, 150, 500, 950, 1_600]) : undefined,
      totalMs: pick([900, 2_500, 300_000, 300_000, 300_000]),
      goesTo: isRare() ? pick(['closed port', 'other origin']) : 'service',
      secretIn: isRare() ? pick(['url', 'body']) : 'nothing',
      token: isRare() ? 'fails' : pick(['none', 'ready', 'ready', 'late', 'expires in the queue']),
      faults,
    };
  };
  return {
    limit: pick([1, 1, 2, 3, 8]),
    queue: pick([0, 1, 50, 50]),
    minIntervalMs: pick([0, 0, 0, 200]),
    calls: Array.from({ length: pick([1, 1, 1, 2, 3, 6]) }, call),
  };
}
