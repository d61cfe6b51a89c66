import { type Clock, momentOf, passedSince, systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { SharedTask } from '../sharedTask.ts';
import { Backoff } from './backoff.ts';
import {
  ageOf,
  type CurrentToken,
  clockAhead,
  isBeforeHardThreshold,
  isLateOnArrival,
  type Token,
  type TokenResponse,
  type TokenState,
  tokenLifetime,
  validState,
} from './token.ts';

export interface TokenServiceOptions {
  /**
   * Sends a token request, with retries, or runs the program that prints the token. If the
   * authentication method has no exchange, returns the key.
   */
  readonly fetchToken: (signal: AbortSignal) => Promise<TokenResponse>;
  /** See `TokenExchange.isOnDemand`. */
  readonly isOnDemand?: boolean | undefined;
  readonly clock?: Clock;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
}

/** Minimum age, in milliseconds, at which a rejected on-demand token is replaced. */
const MIN_REPLACED_MS = 60_000;
/**
 * Minimum interval between background refreshes, in milliseconds. Applies even if the wall clock
 * jumps.
 */
const BACKGROUND_INTERVAL_MS = 5_000;
const REFRESHES_WITHOUT_USE = 2;

/**
 * Provides the access token for one set of credentials. Keeps the token only in memory.
 *
 * - **Lifetime.** A token's lifetime starts just before the token request. `token.ts` derives the
 *   lifetime from the response.
 * - **Soft threshold** (70 to 90% of the lifetime, chosen at random so that windows don't all
 *   refresh at once). After this age, the token stays in use while a refresh runs in the
 *   background.
 * - **Hard threshold** (30 s before the token expires, or 10% of the lifetime if that's shorter).
 *   From then on, callers wait for the next token.
 * - **Late token.** A token with a short lifetime can be past its hard threshold when it arrives.
 *   The calls that waited for such a token send it anyway, because the next token would probably be
 *   just as late. Other calls get the next token.
 * - **One request at a time.** All callers share the token request. Each caller can stop waiting at
 *   any time. When the last caller stops waiting, the request is aborted.
 * - **Failed background refresh.** The current token stays in use while it's valid. The next
 *   background refresh waits for a backoff that grows from 5 s to 5 min.
 * - **Requested pause.** If the service requests a pause after a failed token request, calls fail
 *   with that request's error until the pause ends. However, a valid token stays in use. A pause
 *   lasts at most one hour. Only `refresh` ignores a pause.
 * - **On demand.** A token that comes from a program isn't refreshed in the background. If the
 *   service rejects such a token, the token is replaced only if it's at least a minute old.
 * - **Rejected credentials.** If an exchange rejects credentials, they're sent again only by
 *   `refresh`, or by `get` after `forgetRejection`.
 * - **Clocks.** A token's age is its wall-clock or monotonic age, whichever is greater, so neither
 *   sleep nor a clock change keeps an expired token in use. No timer is used.
 */
export class TokenService {
  readonly #fetchToken: TokenServiceOptions['fetchToken'];
  readonly #isOnDemand: boolean;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  readonly #listeners = new Set<(state: TokenState) => void>();
  #current: CurrentToken | undefined;
  /**
   * The token that preceded the current token. It must stay secret, because the service may still
   * accept it.
   */
  #previous: CurrentToken | undefined;
  #task: SharedTask<Token> | undefined;
  #state: TokenState = { kind: 'none' };
  #rejection: ServiceError | undefined;
  #lastBackgroundAt = Number.NEGATIVE_INFINITY;
  #refreshesWithoutUse = 0;
  #isDisposed = false;

  constructor({
    fetchToken,
    isOnDemand = false,
    clock = systemClock,
    random = Math.random,
  }: TokenServiceOptions) {
    this.#fetchToken = fetchToken;
    this.#isOnDemand = isOnDemand;
    this.#clock = clock;
    this.#random = random;
    this.#backoff = new Backoff(clock, random);
  }

  /** The current state. `valid` becomes `expired` once the token is past its hard threshold. */
  get state(): TokenState {
    if (this.#state.kind === 'valid' && !this.#validToken()) return { kind: 'expired' };
    return this.#state;
  }

  /**
   * Registers a listener for state changes. The listener isn't called when a token expires, because
   * no timer tracks expiration.
   * @returns a function that removes the listener
   */
  onDidChange(listener: (state: TokenState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the current token if it can be used. Otherwise, waits for the next token.
   * @param before the state when the caller's attempt started. If a token request has failed since
   * then, and the backoff isn't over, `get` fails, too. Without this rule, each queued call would
   * send its own token request.
   * @param waitedFor the latest token that `get` returned for the same request, if any. It's
   * returned again if it's still the current token and was late when it arrived (see `isLate`).
   * @throws {ServiceError} the failure of this or an earlier token request, with `retryAfterMs` set
   * to the time left in a requested pause; `cancelled` if the signal aborts or `dispose` has been
   * called
   */
  get(signal: AbortSignal, before: TokenState = this.#state, waitedFor?: Token): Promise<Token> {
    this.#refreshesWithoutUse = 0;
    if (this.#isDisposed) return Promise.reject(new ServiceError('cancelled'));
    const token = this.#validToken();
    if (token) {
      this.#refreshIfDue(token);
      return Promise.resolve(token);
    }
    if (waitedFor && this.isLate(waitedFor)) return Promise.resolve(waitedFor);
    if (this.#rejection) return Promise.reject(this.#rejection);
    const pause = this.#task ? undefined : this.#backoff.requestedPause;
    if (pause) return Promise.reject(pause);
    const state = this.#state;
    const hasFailedSince = state.kind === 'failed' && state !== before;
    if (hasFailedSince && this.#backoff.isPausing) return Promise.reject(state.error);
    return this.#wait(signal);
  }

  /**
   * True if the current token hasn't reached its hard threshold, so `get` returns it without
   * waiting.
   */
  get hasValidToken(): boolean {
    return this.#validToken() !== undefined;
  }

  /** True if this token is the current token and was late when it arrived. */
  isLate(token: Token | undefined): boolean {
    return this.#current !== undefined && this.#current === token && this.#current.isLate;
  }

  /**
   * True if this token may be replaced or isn't the current token. An on-demand token may be
   * replaced only if it's at least `MIN_REPLACED_MS` old.
   */
  canReplace(token: Token): boolean {
    const current = this.#current;
    if (!this.#isOnDemand || !current || current !== token) return true;
    return passedSince(current, this.#clock) >= MIN_REPLACED_MS;
  }

  /**
   * Discards a token that the service rejected. Does nothing if it isn't the current token.
   * @param rejection set if the token is the key itself. The key is then considered rejected, but
   * the next `get` returns it again.
   */
  drop(token: Token, rejection?: ServiceError): void {
    if (this.#current !== token) return;
    this.#current = undefined;
    const dropped: TokenState = rejection
      ? { kind: 'rejected', error: rejection }
      : { kind: 'expired' };
    this.#setState(this.#rejection ? this.#restingState() : dropped);
  }

  /** Allows `get` to send rejected credentials again. */
  forgetRejection(): void {
    if (this.#state.kind !== 'rejected' && !this.#rejection) return;
    this.#rejection = undefined;
    if (!this.#task) this.#setState(this.#restingState());
  }

  /**
   * Gets the next token now, even during a pause or after the credentials were rejected. The
   * current token stays in use in the meantime.
   * @throws {ServiceError} as `get` does
   */
  async refresh(signal: AbortSignal): Promise<void> {
    await this.#wait(signal);
  }

  /**
   * Verifies the credentials by getting a new token. An on-demand token that is less than a minute
   * old is proof enough, so it's kept.
   * @throws {ServiceError} as `get` does
   */
  async prove(signal: AbortSignal): Promise<void> {
    const token = this.#validToken();
    if (!token || this.canReplace(token)) await this.refresh(signal);
  }

  /**
   * Refreshes the token in the background if it's past its soft threshold. Does nothing if two such
   * refreshes have succeeded since the last `get`.
   */
  keepFresh(): void {
    const token = this.#validToken();
    if (!token || this.#refreshesWithoutUse >= REFRESHES_WITHOUT_USE) return;
    if (!this.#refreshIfDue(token)) return;
    // Count only successful refreshes. After a failed refresh, a later one may still succeed before
    // the token expires.
    const refreshed = () => {
      this.#refreshesWithoutUse += 1;
    };
    this.#task?.result.then(refreshed, () => {});
  }

  /** Returns the values of the current and previous tokens. For use only in `service/`. */
  static valuesOf(service: TokenService): readonly string[] {
    return [service.#current, service.#previous].flatMap((token) => token?.value ?? []);
  }

  /**
   * Aborts a running token request and discards the tokens. After that, `get` throws `cancelled`.
   */
  dispose(): void {
    this.#isDisposed = true;
    this.#current = undefined;
    this.#previous = undefined;
    this.#listeners.clear();
    this.#task?.abort();
  }

  #validToken(): CurrentToken | undefined {
    const token = this.#current;
    return token && isBeforeHardThreshold(token, this.#clock) ? token : undefined;
  }

  #refreshIfDue(token: CurrentToken): boolean {
    if (this.#task || this.#rejection || this.#isOnDemand) return false;
    if (ageOf(token, this.#clock) < token.life.softMs) return false;
    const now = this.#clock.monotonic();
    if (this.#backoff.isPausing || now < this.#lastBackgroundAt + BACKGROUND_INTERVAL_MS)
      return false;
    this.#lastBackgroundAt = now;
    this.#task = this.#startTask();
    return true;
  }

  /** Waits for the shared token request. Starts one if none is running. */
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
      const life = tokenLifetime(response, this.#random());
      const clockAheadMs = clockAhead(moment.wallStart, this.#clock.now(), response.serverNow);
      const arrived = { value: response.value, ...moment, life, clockAheadMs };
      const token = { ...arrived, isLate: isLateOnArrival(arrived, this.#clock) };
      this.#previous = this.#current;
      this.#current = token;
      this.#rejection = undefined;
      this.#backoff.succeeded();
      this.#setState(this.#validState(token));
      return token;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      throw error;
    }
  }

  #failed(error: unknown): void {
    this.#backoff.failed(error);
    const isServiceError = error instanceof ServiceError;
    if (isServiceError && error.handling.stopsTokenRequests) this.#rejection = error;
    const living = this.#validToken();
    if (!isServiceError || this.#rejection) this.#setState(this.#restingState());
    else if (living) this.#setState({ ...this.#validState(living), refreshError: error });
    else this.#setState({ kind: 'failed', error });
  }

  /**
   * Derives the state from the rejection, if any, and the current token. Ignores other failures.
   */
  #restingState(): TokenState {
    if (this.#rejection) return { kind: 'rejected', error: this.#rejection };
    if (!this.#current) return { kind: 'none' };
    return this.#validToken() ? this.#validState(this.#current) : { kind: 'expired' };
  }

  #validState(token: CurrentToken) {
    const state = validState(token);
    return this.#isOnDemand ? { ...state, refreshesAt: Number.POSITIVE_INFINITY } : state;
  }

  #setState(state: TokenState): void {
    if (this.#isDisposed) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
