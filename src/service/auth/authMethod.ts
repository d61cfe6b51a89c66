import type { Clock } from '../clock.ts';
import type { Credentials, ServiceKey } from '../credentials.ts';
import type { HttpRequest } from '../http/httpTypes.ts';
import type { TokenResponse } from './token.ts';

/**
 * Defines how a connection authenticates its requests. Each authentication method has its own file.
 * Examples:
 *
 * - `apiKeyGrant.ts` exchanges a key at the `tokenUrl` in the service's entry.
 * - `cloudPak.ts` exchanges a key at the service's own address, with a JSON request. The fields of
 *   its response differ from those of OAuth 2.0.
 * - `clientCredentials.ts` sends its own `Authorization` header to the identity service.
 * - `zenApiKey.ts` has no exchange.
 * - `command.ts` needs no key.
 */
export interface AuthMethod {
  /**
   * The scheme of the Authorization header in requests to the service. Unused if `header` is set.
   */
  readonly scheme: string;
  /**
   * The header that contains only the token or key, with no scheme such as `Bearer`. Sent instead
   * of the Authorization header. If the name doesn't come from the service's entry, add it to
   * `AuthNeeds`, and pass it to `headersIn` in `addedServices.ts`. Otherwise, a fixed header could
   * replace the key.
   */
  readonly header?: string;
  /** True if requests contain neither a token nor a key. */
  readonly needsNoToken?: true;
  /** Returns the key, if there is one, and all header values derived from the key. */
  readonly secrets: (key: ServiceKey) => readonly string[];
  /**
   * Undefined if requests to the service contain the key itself, or if they contain neither a key
   * nor a token. To send a value derived from the key, add a function to this interface. Call it in
   * `fetchToken` in `identityService.ts`. Still return `isApiKey: true` there, because the value
   * doesn't expire.
   *
   * If there's no exchange, the code in `src/service/api` maps the error response for a wrong key. A
   * 401 in an unknown format, such as a web server's default error page, is reported as
   * `intercepted`, because it could also come from a firewall.
   */
  readonly exchange?: TokenExchange;
}

/** Gets an access token, either from the identity service or from a program on this machine. */
export interface TokenExchange {
  /** Path of the token endpoint, relative to the identity address. Empty for a program. */
  readonly path: string;
  /**
   * True if the token is fetched only when it's needed. Set for programs, because a program
   * shouldn't be started in the background. Before a program runs, the user must approve it (T40 in
   * docs/threat-model.md). Its failures need their own error kind, such as `command-failed`.
   */
  readonly isOnDemand?: true;
  /**
   * Sends the request with `identity`, and reads the response with `readTokenResponse`.
   * @throws {ServiceError}
   */
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

export interface IdentityRequest<Result> extends Pick<HttpRequest<Result>, 'read'> {
  /** The path relative to the identity address. */
  readonly path: string;
  /**
   * Maps an error response to an error kind. Test each code, as `failures.test.ts` does.
   *
   * - Only a documented code, or a 401 or 403 in the identity service's own format, proves that the
   *   key was rejected. Many servers use a format such as `{"error": "..."}`, so that format proves
   *   nothing without a known code.
   * - All other responses can come from a proxy. Map them with `identityStatusFailure`.
   * - After `key-rejected` or `token-request-rejected`, no token is requested automatically. Use
   *   one of them for a locked account, too, because each attempt could extend the lockout.
   * - For a rejected field of the service's entry, use `token-request-rejected`. Pass the code, and
   *   name the field in `OAUTH_REJECTIONS` (`rejectionMessages.ts`).
   */
  readonly failure: HttpRequest<Result>['failure'];
}
