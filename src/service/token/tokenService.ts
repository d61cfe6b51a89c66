import { type Clock, type Moment, momentOf, passedSince, systemClock } from '../clock.ts';
import { isKind, ServiceError } from '../errors.ts';
import { SharedTask } from '../sharedTask.ts';
import {
  ageOf,
  type CurrentToken,
  clockAhead,
  type Token,
  type TokenResponse,
  type TokenState,
  tokenLife,
  validState,
} from './tokenLife.ts';

export interface TokenServiceOptions {
  /** One request for a token, retried as the retry rules say. */
  readonly fetchToken: (signal: AbortSignal) => Promise<TokenResponse>;
  readonly onState?: (state: TokenState) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Between two requests that nobody waits for, whatever the clocks say in between. */
const BACKGROUND_INTERVAL_MS = 5_000;
const RENEWALS_WITHOUT_USE = 2;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;
/** Something in between can ask for years. */
const LONGEST_ASKED_MS = 3_600_000;

/**
 * One API key's bearer token, in memory only.
 *
 * - Up to the soft threshold (80 % of the life, up to 10 earlier or later in each window so that
 *   windows spread) the token is used. From there to the hard threshold (life less 30 s or 10 %)
 *   it is used while a renewal runs in the background. After it callers wait.
 * - All callers share one request; each can stop waiting on its own, and the request is given up
 *   when nobody waits for it any more.
 * - A failed background renewal keeps the living token and backs off from 5 s to 5 min.
 * - A pause that the identity service asks for is kept, by callers too; only `refresh` may go.
 * - A key that the identity service refuses is not sent again until `refresh` is called.
 * - Neither sleep nor a changed clock leaves a dead token valid. No timer is used.
 * - One object serves one key: with another key the owner disposes this and makes a new one.
 */
export class TokenService {
  readonly #fetchToken: TokenServiceOptions['fetchToken'];
  readonly #onState: TokenServiceOptions['onState'];
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  #current: CurrentToken | undefined;
  /** Replaced before its end, so that it still opens the service. */
  #previous: CurrentToken | undefined;
  #task: SharedTask<Token> | undefined;
  #state: TokenState = { kind: 'none' };
  #refusal: ServiceError | undefined;
  #lastBackgroundAt = Number.NEGATIVE_INFINITY;
  #renewalsWithoutUse = 0;
  #retired = false;
  #disposed = false;

  constructor(options: TokenServiceOptions) {
    this.#fetchToken = options.fetchToken;
    this.#onState = options.onState;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#backoff = new Backoff(this.#clock, this.#random);
  }

  /** The state at this moment: a token past its end is `expired` even if nobody looked. */
  get state(): TokenState {
    if (this.#state.kind === 'valid' && !this.#living()) return { kind: 'expired' };
    return this.#state;
  }

  /**
   * A token that is good for a request now.
   * @param before the state when the attempt began that needs it. What failed since then, and not
   * long ago, is its failure, too: of many calls that wait for their turn, each would ask in vain
   * after the other.
   * @throws {ServiceError} as the identity service failed, with what is left of the pause it asked
   * for; `cancelled` when the signal aborts
   */
  get(signal: AbortSignal, before: TokenState = this.#state): Promise<Token> {
    this.#renewalsWithoutUse = 0;
    const token = this.#living();
    if (token) {
      this.#renewIfDue(token);
      return Promise.resolve(token);
    }
    if (this.#refusal) return Promise.reject(this.#refusal);
    const pause = this.#task ? undefined : this.#backoff.pause;
    if (pause) return Promise.reject(pause);
    const state = this.#state;
    const isForeign = state.kind === 'failed' && state !== before;
    if (isForeign && this.#backoff.isOn) return Promise.reject(state.error);
    return this.#wait(signal);
  }

  /** True if `get` has a token at once. */
  get isLiving(): boolean {
    return this.#living() !== undefined;
  }

  /** Forgets a token that the inference service refused, unless a newer one has replaced it. */
  drop(token: Token): void {
    if (this.#current !== token) return;
    this.#current = undefined;
    this.#setState(this.#refusal ? this.#restingState() : { kind: 'expired' });
  }

  /**
   * Gets a new token now, even for a key that was refused before, or in a pause. A living token stays in use
   * until the new one is there.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    await this.#wait(signal);
  }

  /**
   * Renews near expiry without anybody asking, while the window is in use. Pauses after two
   * renewals in a row that served no request.
   */
  keepFresh(): void {
    const token = this.#living();
    if (!token || this.#renewalsWithoutUse >= RENEWALS_WITHOUT_USE) return;
    if (!this.#renewIfDue(token)) return;
    // One that failed is tried again: the network may be back before the token ends.
    const renewed = () => {
      this.#renewalsWithoutUse += 1;
    };
    this.#task?.result.then(renewed, () => {});
  }

  /** The token in use and the one before it. */
  get values(): readonly string[] {
    return [this.#current, this.#previous].flatMap((token) => token?.value ?? []);
  }

  /**
   * Goes on serving the calls that have it, but says nothing more and renews nothing for later:
   * the key may not be used any more.
   */
  retire(): void {
    this.#retired = true;
    this.#task?.abortIfUnawaited();
  }

  /** Gives up the request and forgets the token; later results are thrown away. */
  dispose(): void {
    this.#disposed = true;
    this.#current = undefined;
    this.#previous = undefined;
    this.#task?.abort();
  }

  #living(): CurrentToken | undefined {
    const token = this.#current;
    return token && ageOf(token, this.#clock) < token.life.hardMs ? token : undefined;
  }

  #renewIfDue(token: CurrentToken): boolean {
    if (this.#task || this.#refusal || this.#retired) return false;
    if (ageOf(token, this.#clock) < token.life.softMs) return false;
    const now = this.#clock.monotonic();
    if (this.#backoff.isOn || now < this.#lastBackgroundAt + BACKGROUND_INTERVAL_MS) return false;
    this.#lastBackgroundAt = now;
    this.#task = this.#startTask();
    return true;
  }

  #startTask(): SharedTask<Token> {
    return new SharedTask(
      (signal) => this.#fetch(signal),
      (isAbandoned) => {
        this.#task = undefined;
        if (isAbandoned) this.#setState(this.#restingState());
      },
    );
  }

  async #fetch(signal: AbortSignal): Promise<Token> {
    // Before the request: the life of a token starts when it is made, not when it arrives.
    const moment = momentOf(this.#clock);
    try {
      const answer = await this.#fetchToken(signal);
      if (signal.aborted) throw new ServiceError('cancelled');
      const life = tokenLife(answer, this.#random());
      const clockAheadMs = clockAhead(moment.wallStart, this.#clock.now(), answer.serverNow);
      const token = { value: answer.value, ...moment, life, clockAheadMs };
      this.#previous = this.#current;
      this.#current = token;
      this.#refusal = undefined;
      this.#backoff.succeeded();
      this.#setState(validState(token));
      return token;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      throw error;
    }
  }

  #failed(error: unknown): void {
    this.#backoff.failed(error);
    if (isKind(error, 'key-refused', 'token-request-refused')) this.#refusal = error;
    const living = this.#living();
    if (!(error instanceof ServiceError) || this.#refusal) this.#setState(this.#restingState());
    else if (living) this.#setState({ ...validState(living), renewalError: error });
    else this.#setState({ kind: 'failed', error });
  }

  /** Waits for the request of the moment, with everybody else who waits for it. */
  #wait(signal: AbortSignal): Promise<Token> {
    if (signal.aborted || this.#disposed) return Promise.reject(new ServiceError('cancelled'));
    this.#task ??= this.#startTask();
    this.#setState({ kind: 'fetching' });
    return this.#task.wait(signal);
  }

  /** The state while nothing is under way. */
  #restingState(): TokenState {
    if (this.#refusal) return { kind: 'refused', error: this.#refusal };
    if (!this.#current) return { kind: 'none' };
    return this.#living() ? validState(this.#current) : { kind: 'expired' };
  }

  #setState(state: TokenState): void {
    if (this.#disposed) return;
    this.#state = state;
    if (!this.#retired) this.#onState?.(state);
  }
}

/**
 * How long a service is left alone after failures in a row: from 5 s to 5 min, and as long as it
 * asks for itself, up to an hour. Sleep counts.
 */
class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #last: (Moment & { readonly ms: number; readonly error: unknown }) | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** True while nothing may be sent that nobody waits for. */
  get isOn(): boolean {
    return this.#last !== undefined && this.#leftMs(this.#last.ms) > 0;
  }

  /** The failure that came with a pause, and what is left of it; undefined once that is over. */
  get pause(): ServiceError | undefined {
    const { error } = this.#last ?? {};
    if (!(error instanceof ServiceError)) return undefined;
    const retryAfterMs = this.#leftMs(askedMs(error));
    return retryAfterMs > 0 ? error.with({ retryAfterMs }) : undefined;
  }

  failed(error: unknown): void {
    const ownMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    const ms = Math.max(ownMs * (0.75 + this.#random() * 0.5), askedMs(error));
    this.#last = { ...momentOf(this.#clock), ms, error };
  }

  succeeded(): void {
    this.#failures = 0;
    this.#last = undefined;
  }

  #leftMs(ms: number): number {
    return this.#last ? ms - passedSince(this.#last, this.#clock) : 0;
  }
}

function askedMs(error: unknown): number {
  const { retryAfterMs = 0 } = error instanceof ServiceError ? error.details : {};
  return Math.min(retryAfterMs, LONGEST_ASKED_MS);
}
