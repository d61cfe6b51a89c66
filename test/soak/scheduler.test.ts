import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TokenService } from '../../src/service/auth/tokenService.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { SetClock } from '../contract/service/world.ts';
import { never, seed, settled, tokenAnswer } from '../unit/service/fixtures.ts';
import { fullOrShort } from './fullOrShort.ts';

const RUNS = fullOrShort(3_000, 500);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const MIN_INTERVAL_MS = 5 * SECOND;
const down = new ServiceError('server-failed', { status: 503 });

type Action = 'use' | 'keepFresh' | 'refresh' | 'drop';

interface Step {
  readonly passMs: number;
  /**
   * Milliseconds that the wall clock advances in addition to `passMs`, for example while the
   * computer sleeps. Negative if the user sets the clock back.
   */
  readonly wallMs: number;
  readonly action: Action;
  /** True if a token request during this step fails. */
  readonly fails: boolean;
  /** Lifetime of the next token in seconds, as reported by the service. */
  readonly expiresIn: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  passMs: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 4 * SECOND }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: HOUR }) },
  ),
  wallMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.constant(-HOUR) },
    { weight: 1, arbitrary: fc.integer({ min: -3 * HOUR, max: 9 * HOUR }) },
  ),
  action: fc.constantFrom('use', 'use', 'keepFresh', 'keepFresh', 'refresh', 'drop'),
  fails: fc.boolean(),
  expiresIn: fc.oneof(
    fc.constantFrom(undefined, 0, 1, 3_600, 10 ** 10),
    fc.integer({ min: 1, max: 90_000 }),
  ),
});

/**
 * Returns the age in milliseconds at which a token passes its hard threshold, computed
 * independently of `src`.
 */
function hardMs(expiresIn: number | undefined): number {
  const seconds = expiresIn ? Math.min(expiresIn, 86_400) : 300;
  return seconds * SECOND - Math.min(30 * SECOND, seconds * 100);
}

async function run(steps: readonly Step[]): Promise<void> {
  const clock = new SetClock();
  /** The pending token request. */
  let open: PromiseWithResolvers<void> | undefined;
  let next: Step | undefined;
  let requests = 0;
  const born = new Map<string, { readonly wall: number; readonly elapsed: number; hard: number }>();
  const service = new TokenService({
    clock,
    random: () => 0.5,
    fetchToken: async () => {
      requests += 1;
      const value = `token-${requests}`;
      const { wall, elapsed } = clock;
      open = Promise.withResolvers();
      await open.promise;
      if (next?.fails) throw down;
      born.set(value, { wall, elapsed, hard: hardMs(next?.expiresIn) });
      return { ...tokenAnswer, value, expiresIn: next?.expiresIn };
    },
  });
  /**
   * True if the token is past its hard threshold on the wall clock or on the monotonic clock.
   * Checks both clocks, because the wall clock can be set back. Also true for an unknown token.
   */
  const isPastHard = (value: string) => {
    const birth = born.get(value);
    if (!birth) return true;
    return Math.max(clock.wall - birth.wall, clock.elapsed - birth.elapsed) >= birth.hard;
  };
  let lastBackgroundAt = Number.NEGATIVE_INFINITY;
  for (const each of steps) {
    next = each;
    clock.elapsed += each.passMs;
    clock.wall += each.passMs + each.wallMs;
    const before = requests;
    const wasValid = service.state.kind === 'valid';
    const call = act(service, each.action);
    if (requests > before && wasValid && each.action !== 'refresh') {
      const apartMs = clock.elapsed - lastBackgroundAt;
      assert.ok(apartMs >= MIN_INTERVAL_MS, `two background requests, ${apartMs} ms apart`);
      lastBackgroundAt = clock.elapsed;
    }
    assert.ok(requests <= before + 1, 'more than one request at once');
    open?.resolve();
    open = undefined;
    const used = await call;
    await settled();
    if (used) assert.ok(!isPastHard(used), `${used} was used past its hard threshold`);
    if (service.state.kind === 'valid') {
      const value = [...born.keys()].at(-1) ?? '';
      assert.ok(!isPastHard(value), `${value} is reported as valid past its hard threshold`);
    }
  }
  service.dispose();
}

/** Performs an action, and returns the token that `service` provided for it, if any. */
async function act(service: TokenService, action: Action): Promise<string | undefined> {
  if (action === 'keepFresh') service.keepFresh();
  if (action === 'refresh') await service.refresh(never).catch(() => {});
  if (action === 'keepFresh' || action === 'refresh') return undefined;
  const token = await service.get(never).catch(() => undefined);
  if (action === 'drop' && token) service.drop(token);
  return token?.value;
}

describe('the token service', () => {
  it(`M08: sends background requests at least 5 s apart, and never provides a token past its hard threshold (${RUNS} runs, seed ${seed})`, async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), run);
    await fc.assert(property, { seed, numRuns: RUNS });
  });
});
