import { type Clock, momentOf, systemClock } from '../clock.ts';
import { isKind, ServiceError } from '../errors.ts';
import { SharedTask } from '../sharedTask.ts';
import { Backoff } from './backoff.ts';
import {
  ageOf,
  type CurrentToken,
  clockAhead,
  type Token,
  type TokenResponse,
  type TokenState,
  tokenLife,
  validState,
} from './token.ts';

export interface TokenServiceOptions {
  /** Sends a token request, including its retries. */
  readonly fetchToken: (signal: AbortSignal) => Promise<TokenResponse>;
  readonly clock?: Clock;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
}

/** Minimum interval of background refreshes, whatever happens to the clocks. */
const BACKGROUND_INTERVAL_MS = 5_000;
const REFRESHES_WITHOUT_USE = 2;

/**
 * The access token of one set of credentials. Kept in memory only.
 *
 * - **Life.** It starts before the token request is sent. `token.ts` reads its length from the
 *   response.
 * - **Soft threshold** (70 to 90 % of the life, random so that windows don't refresh together): the
 *   token stays in use while a refresh runs in the background.
 * - **Hard threshold** (30 s or 10 % before the end): callers wait for the next token.
 * - **One request.** All callers share it. Each can stop waiting, and the last one to leave aborts it.
 * - **Failed background refresh.** The living token stays in use. The next try backs off from 5 s to
 *   5 min.
 * - **Requested pause.** If the identity service asks for one, callers get its failure until the pause
 *   is over, one hour at most. Only `refresh` ignores it.
 * - **Refused credentials** aren't sent again until `refresh` is called.
 * - **Clocks.** A token's age is the larger of wall-clock and monotonic time, so neither sleep nor a
 *   changed clock keeps a dead token valid. There is no timer.
 */
export class TokenService {
  readonly #fetchToken: TokenServiceOptions['fetchToken'];
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  readonly #listeners = new Set<(state: TokenState) => void>();
  #current: CurrentToken | undefined;
  /** Replaced before its end, so the service still accepts it. */
  #previous: CurrentToken | undefined;
  #task: SharedTask<Token> | undefined;
  #state: TokenState = { kind: 'none' };
  #refusal: ServiceError | undefined;
  #lastBackgroundAt = Number.NEGATIVE_INFINITY;
  #refreshesWithoutUse = 0;
  #isDisposed = false;

  constructor({ fetchToken, clock = systemClock, random = Math.random }: TokenServiceOptions) {
    this.#fetchToken = fetchToken;
    this.#clock = clock;
    this.#random = random;
    this.#backoff = new Backoff(clock, random);
  }

  /** The state at this moment. A token past its hard threshold is `expired`. */
  get state(): TokenState {
    if (this.#state.kind === 'valid' && !this.#living()) return { kind: 'expired' };
    return this.#state;
  }

  /**
   * Calls a listener with each new state. The end of a token isn't reported, because no timer runs.
   * @returns a function that removes the listener
   */
  onDidChange(listener: (state: TokenState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns a token that can be sent now.
   * @param before the state when the attempt began. If a shared request has failed since then, the
   * attempt fails with it. Otherwise each call in a queue would send its own request.
   * @throws {ServiceError} the failure of the token request, with the rest of a requested pause;
   * `cancelled` if the signal aborts
   */
  get(signal: AbortSignal, before: TokenState = this.#state): Promise<Token> {
    this.#refreshesWithoutUse = 0;
    const token = this.#living();
    if (token) {
      this.#refreshIfDue(token);
      return Promise.resolve(token);
    }
    if (this.#refusal) return Promise.reject(this.#refusal);
    const pause = this.#task ? undefined : this.#backoff.requestedPause;
    if (pause) return Promise.reject(pause);
    const state = this.#state;
    const hasFailedSince = state.kind === 'failed' && state !== before;
    if (hasFailedSince && this.#backoff.isOn) return Promise.reject(state.error);
    return this.#wait(signal);
  }

  /** True if `get` doesn't have to wait. */
  get isLiving(): boolean {
    return this.#living() !== undefined;
  }

  /** Forgets a token that the service refused. Does nothing if it has been replaced. */
  drop(token: Token): void {
    if (this.#current !== token) return;
    this.#current = undefined;
    this.#setState(this.#refusal ? this.#restingState() : { kind: 'expired' });
  }

  /**
   * Gets the next token now, even for refused credentials or during a pause. A living token stays in
   * use until then.
   * @throws {ServiceError} as `get`
   */
  async refresh(signal: AbortSignal): Promise<void> {
    await this.#wait(signal);
  }

  /**
   * Refreshes a token past its soft threshold in the background. Pauses after two refreshes without
   * a `get`.
   */
  keepFresh(): void {
    const token = this.#living();
    if (!token || this.#refreshesWithoutUse >= REFRESHES_WITHOUT_USE) return;
    if (!this.#refreshIfDue(token)) return;
    // A failure doesn't count, because the network may be back before the token ends.
    const refreshed = () => {
      this.#refreshesWithoutUse += 1;
    };
    this.#task?.result.then(refreshed, () => {});
  }

  /** The current token and the one before it. */
  get values(): readonly string[] {
    return [this.#current, this.#previous].flatMap((token) => token?.value ?? []);
  }

  /** Aborts the request and forgets the token. Callers fail with `cancelled` from now on. */
  dispose(): void {
    this.#isDisposed = true;
    this.#current = undefined;
    this.#previous = undefined;
    this.#listeners.clear();
    this.#task?.abort();
  }

  #living(): CurrentToken | undefined {
    const token = this.#current;
    return token && ageOf(token, this.#clock) < token.life.hardMs ? token : undefined;
  }

  #refreshIfDue(token: CurrentToken): boolean {
    if (this.#task || this.#refusal) return false;
    if (ageOf(token, this.#clock) < token.life.softMs) return false;
    const now = this.#clock.monotonic();
    if (this.#backoff.isOn || now < this.#lastBackgroundAt + BACKGROUND_INTERVAL_MS) return false;
    this.#lastBackgroundAt = now;
    this.#task = this.#startTask();
    return true;
  }

  /** Waits for the shared request, and starts it if there is none. */
  #wait(signal: AbortSignal): Promise<Token> {
    if (signal.aborted || this.#isDisposed) return Promise.reject(new ServiceError('cancelled'));
    this.#task ??= this.#startTask();
    this.#setState({ kind: 'fetching' });
    return this.#task.wait(signal);
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
    const moment = momentOf(this.#clock);
    try {
      const response = await this.#fetchToken(signal);
      if (signal.aborted) throw new ServiceError('cancelled');
      const life = tokenLife(response, this.#random());
      const clockAheadMs = clockAhead(moment.wallStart, this.#clock.now(), response.serverNow);
      const token = { value: response.value, ...moment, life, clockAheadMs };
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
    else if (living) this.#setState({ ...validState(living), refreshError: error });
    else this.#setState({ kind: 'failed', error });
  }

  /** The state while no request is under way. */
  #restingState(): TokenState {
    if (this.#refusal) return { kind: 'refused', error: this.#refusal };
    if (!this.#current) return { kind: 'none' };
    return this.#living() ? validState(this.#current) : { kind: 'expired' };
  }

  #setState(state: TokenState): void {
    if (this.#isDisposed) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
