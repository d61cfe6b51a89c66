import type { Clock } from '../clock.ts';
import type { Credentials, ServiceKey } from '../credentials.ts';
import type { HttpRequest } from '../http/httpTypes.ts';
import type { TokenResponse } from './token.ts';

/**
 * Defines how a connection authenticates its requests. Each authentication method has its own file.
 */
export interface AuthMethod {
  /**
   * The scheme of the Authorization header in requests to the service. Unused if `header` is set.
   */
  readonly scheme: string;
  /**
   * The header that contains only the token or key, with no scheme such as `Bearer`. Sent instead
   * of the Authorization header.
   */
  readonly header?: string;
  /** True if requests contain neither a token nor a key. */
  readonly needsNoToken?: true;
  /** Returns the key, if there is one, and all header values derived from the key. */
  readonly secrets: (key: ServiceKey) => readonly string[];
  /**
   * Undefined if requests to the service contain the key itself, or if they contain neither a key
   * nor a token.
   */
  readonly exchange?: TokenExchange;
}

/** Gets an access token, either from the identity service or from a program on this machine. */
export interface TokenExchange {
  /** Path of the token endpoint, relative to the identity address. Empty for a program. */
  readonly path: string;
  /**
   * True if the token is fetched only when it's needed. Set for programs, because a program
   * shouldn't be started in the background.
   */
  readonly isOnDemand?: true;
  /** @throws {ServiceError} */
  readonly fetchToken: (
    credentials: Credentials,
    identity: IdentityClient,
    limits: ExchangeLimits,
  ) => Promise<TokenResponse>;
}

export interface ExchangeLimits {
  readonly signal: AbortSignal;
  /** Maximum duration of the whole exchange, in milliseconds. */
  readonly deadlineMs: number;
  readonly clock: Clock;
}

/** Sends requests to the identity service that the user approved. */
export interface IdentityClient {
  /** Sends a request with a credential. Retries temporary failures. */
  readonly post: <Result>(
    request: IdentityRequest<Result> &
      Pick<HttpRequest<Result>, 'contentType' | 'body' | 'scheme' | 'tokenProvider'>,
  ) => Promise<Result>;
  /** Requests information about a token. Makes a single attempt, with a deadline of 5 s. */
  readonly get: <Result>(
    request: IdentityRequest<Result> & { readonly token: string },
  ) => Promise<Result>;
}

export interface IdentityRequest<Result> extends Pick<HttpRequest<Result>, 'failure' | 'read'> {
  /** The path relative to the identity address. */
  readonly path: string;
}
