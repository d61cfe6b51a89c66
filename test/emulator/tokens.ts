import { randomBytes } from 'node:crypto';

export type TokenState = 'live' | 'expired' | 'not valid';

/** The issued access tokens and their states. */
export class IssuedTokens {
  readonly #issued = new Map<string, { expiresAtMs: number; dead?: TokenState }>();
  readonly #nowMs: () => number;
  readonly #isAccepted: (token: string) => boolean;

  /** @param isAccepted returns true for a valid token that another identity provider issued */
  constructor(nowMs: () => number, isAccepted: (token: string) => boolean) {
    this.#nowMs = nowMs;
    this.#isAccepted = isAccepted;
  }

  /** All tokens, in the order in which they were issued. */
  get all(): readonly string[] {
    return [...this.#issued.keys()];
  }

  /**
   * Issues a token that looks like a JWT, although clients must not read its claims.
   * @param serverNowMs the server's time, which affects only the claims in the token
   */
  issue(lifeSeconds: number, serverNowMs: number): string {
    const iat = Math.floor(serverNowMs / 1000);
    const claims = { iat, exp: iat + lifeSeconds, jti: randomBytes(8).toString('hex') };
    const token = [
      base64url({ kid: 'emulator', alg: 'RS256' }),
      base64url(claims),
      randomBytes(64).toString('base64url'),
    ].join('.');
    this.#issued.set(token, { expiresAtMs: this.#nowMs() + lifeSeconds * 1000 });
    return token;
  }

  stateOf(token: string): TokenState {
    const entry = this.#issued.get(token);
    if (entry === undefined) return this.#isAccepted(token) ? 'live' : 'not valid';
    return entry.dead ?? (this.#nowMs() < entry.expiresAtMs ? 'live' : 'expired');
  }

  /** @throws {RangeError} if this token was never issued */
  kill(token: string, state: Exclude<TokenState, 'live'>): void {
    const entry = this.#issued.get(token);
    if (entry === undefined) throw new RangeError('This token was never issued');
    entry.dead = state;
  }

  forget(): void {
    this.#issued.clear();
  }
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
