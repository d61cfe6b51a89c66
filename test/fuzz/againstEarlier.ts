/**
 * `npm run test:earlier -- <commit> [scripts]`: plays random scripts over real sockets, once with
 * the HTTP client of an earlier commit and once with the current one. Compares the requests,
 * outcomes, retries, and states of the concurrency limit. Set HOSTED_MODEL_SEED to repeat a run.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { ServiceError } from '../../src/service/errors.ts';
import { startEmulator } from '../emulator/emulator.ts';
import { printTable } from '../table.ts';
import { FakeTime } from '../unit/service/fixtures.ts';
import { seed } from './fuzz.ts';
import { type CallRecord, type PlayRecord, play, type Version } from './httpPlay.ts';
import { scriptOf } from './httpScript.ts';

const MOST_PRINTED = 10;
const MOST_PLAYS = 4;
const NEVER_SENT = { kind: 'cancelled', message: 'cancelled', details: { attempts: 0 } };

const [commit, scripts = '10000'] = process.argv.slice(2);
if (!commit) throw new Error('Usage: npm run test:earlier -- <commit> [scripts]');

const folder = mkdtempSync(join(tmpdir(), 'earlier-version-'));
try {
  process.exitCode = await compare(commit, Number(scripts));
} finally {
  rmSync(folder, { recursive: true });
}

/** Compares the earlier commit with the current code, and returns the exit code. */
async function compare(earlierCommit: string, count: number): Promise<number> {
  const [earlier, current] = [await versionOf(earlierCommit), await versionIn('.')];
  const time = new FakeTime();
  const emulator = await startEmulator({ namesRequestLimit: false, now: () => time.now() });
  const outcomes = new Map<string, number>();
  const total = { calls: 0, requests: 0, retries: 0, explained: 0, unsteady: 0, differences: 0 };
  for (let index = 0; index < count; index += 1) {
    const script = scriptOf(seed + index);
    const [before, after] = [
      await play(earlier, emulator, script, time),
      await play(current, emulator, script, time),
    ];
    for (const { outcome, requests, events } of after.calls) {
      const name = nameOf(outcome);
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
      total.calls += 1;
      total.requests += requests.length;
      total.retries += events.filter((event) => typeof event === 'object').length;
    }
    if (isDeepStrictEqual(before, after)) continue;
    if (isExplained(before, after)) {
      total.explained += 1;
      continue;
    }
    // Plays the script again, because the difference may be due to chance: the order in which
    // simultaneous responses are read depends on the connections that are already open.
    const [befores, afters] = [[before], [after]];
    const isSteady = () => !befores.some((one) => afters.some((other) => isExplained(one, other)));
    while (befores.length < MOST_PLAYS && isSteady()) {
      afters.push(await play(current, emulator, script, time));
      befores.push(await play(earlier, emulator, script, time));
    }
    if (!isSteady()) {
      total.unsteady += 1;
      continue;
    }
    total.differences += 1;
    if (total.differences <= MOST_PRINTED) printDifference(seed + index, before, after);
  }
  time.end();
  await emulator.close();
  const { calls, requests, retries, explained, unsteady, differences } = total;
  printTable({
    title: `${count} random scripts against ${earlierCommit}: ${differences} differences (bar: 0)`,
    heads: ['outcome of a call', 'calls'],
    rows: [...outcomes].sort(([, one], [, other]) => other - one),
    note: `${calls} calls, ${requests} requests, ${retries} retries; ${explained} explained differences, ${unsteady} that depended on the order of simultaneous responses. Seed ${seed}.`,
  });
  return differences > 0 ? 1 : 0;
}

/**
 * True if two records are equal, except for these intended differences:
 *
 * - A call that is canceled while an error response is arriving counts as never sent. In the
 *   earlier version, it counted as never sent only if the error response led to a retry.
 * - If a response is cut off or times out, the failure contains the status of the response. In the
 *   earlier version, the failure didn't contain the status.
 * - If no response arrives in time, the failure's phase is `start`. In the earlier version, the
 *   phase was `headers`.
 */
function isExplained(before: PlayRecord, after: PlayRecord): boolean {
  const calls = after.calls.map((call, index) => {
    const { outcome = call.outcome } = before.calls[index] ?? {};
    const renamed = withEarlierPhase(call.outcome);
    const isMeant =
      (nameOf(outcome) === 'cancelled' && isDeepStrictEqual(call.outcome, NEVER_SENT)) ||
      [renamed, withoutStatus(renamed)].some((one) => isDeepStrictEqual(outcome, one));
    return isMeant ? { ...call, outcome } : call;
  });
  return isDeepStrictEqual(before, { ...after, calls });
}

/** Renames an outcome's `start` phase. Returns all other outcomes unchanged. */
function withEarlierPhase(outcome: unknown): unknown {
  if (nameOf(outcome) !== 'timeout') return outcome;
  const { details, ...others } = outcome as Pick<ServiceError, 'kind' | 'message' | 'details'>;
  return details.phase === 'start'
    ? { ...others, details: { ...details, phase: 'headers' } }
    : outcome;
}

/**
 * Removes the status from the outcome of a call that lost its connection or timed out. Returns all
 * other outcomes unchanged.
 */
function withoutStatus(outcome: unknown): unknown {
  if (!['connection-lost', 'timeout'].includes(nameOf(outcome))) return outcome;
  const { kind, message, details } = outcome as Pick<ServiceError, 'kind' | 'message' | 'details'>;
  const { status, ...others } = details;
  return { kind, message: message.replace(`status ${status}, `, ''), details: others };
}

/** Extracts a commit's sources from the repository, and loads them. */
async function versionOf(name: string): Promise<Version> {
  const archive = join(folder, 'src.tar');
  execFileSync('git', ['archive', `--output=${archive}`, name, 'src', 'package.json']);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  return versionIn(folder);
}

async function versionIn(root: string): Promise<Version> {
  const load = (path: string) => import(pathToFileURL(resolve(root, 'src/service', path)).href);
  /**
   * Loads the first of these files that exists. The files are listed from the newest name to the
   * oldest.
   */
  const firstOf = async (path: string, ...others: readonly string[]): Promise<object> => {
    const [next, ...rest] = others;
    return next === undefined ? load(path) : load(path).catch(() => firstOf(next, ...rest));
  };
  const [failures, limit, fetches, ...modules] = await Promise.all([
    firstOf(
      'api/watsonxFailure.ts',
      ...['api/inferenceFailure.ts', 'generation/inferenceFailure.ts', 'failures.ts'],
    ),
    firstOf('http/concurrencyLimit.ts', 'http/limiter.ts'),
    firstOf('http/reconnectingFetch.ts', 'http/resilientFetch.ts', 'http/hardenedFetch.ts'),
    ...['errors.ts', 'http/body.ts', 'http/http.ts'].map(load),
  ]);
  const { ConcurrencyLimit } = { ConcurrencyLimit: Reflect.get(limit, 'Limiter'), ...limit };
  const fetchBefore =
    Reflect.get(fetches, 'resilientFetch') ?? Reflect.get(fetches, 'hardenedFetch');
  const { reconnectingFetch } = { reconnectingFetch: fetchBefore, ...fetches };
  return Object.assign({}, failures, fetches, ...modules, { ConcurrencyLimit, reconnectingFetch });
}

function nameOf(outcome: unknown): string {
  if (typeof outcome !== 'object' || outcome === null) return 'result';
  return 'kind' in outcome ? `${outcome.kind}` : 'result';
}

function printDifference(scriptSeed: number, before: PlayRecord, after: PlayRecord): void {
  const { calls } = scriptOf(scriptSeed);
  console.log(`\nScript ${scriptSeed}`);
  const differs = (index: number) => !isDeepStrictEqual(before.calls[index], after.calls[index]);
  for (const [index, call] of calls.entries()) {
    if (!differs(index)) continue;
    console.log(`call ${index}: ${JSON.stringify(call).replaceAll(/(.)\1{50,}/g, '$1…')}`);
    for (const part of ['outcome', 'endedMs', 'requests', 'events'] as const) {
      printPart(part, before.calls[index], after.calls[index]);
    }
  }
  if (!isDeepStrictEqual(before.limiter, after.limiter)) {
    console.log('limiter', JSON.stringify(before.limiter), '→', JSON.stringify(after.limiter));
  }
}

function printPart(
  part: keyof CallRecord,
  before: CallRecord | undefined,
  after: CallRecord | undefined,
): void {
  const [one, other] = [before?.[part], after?.[part]];
  if (isDeepStrictEqual(one, other)) return;
  console.log(
    `  ${part}: ${JSON.stringify(one)}\n  ${' '.repeat(part.length)}→ ${JSON.stringify(other)}`,
  );
}
