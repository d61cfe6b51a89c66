import type { Credentials, ServiceKey } from '../credentials.ts';
import type { HttpRequest } from '../http/httpRequest.ts';
import type { TokenResponse } from './token.ts';

/** An authentication method: gets the access token of a connection. Each one is a file of its own. */
export interface AuthMethod {
  /** The scheme of the Authorization header in requests to the service. */
  readonly scheme: string;
  /** The key, and the values of the headers that are made of it. */
  readonly secrets: (key: ServiceKey) => readonly string[];
  /** Undefined if the key itself is the access token. */
  readonly exchange?: TokenExchange;
}

/** The exchange of a credential for an access token. */
export interface TokenExchange {
  /** Path of the token endpoint, relative to the identity address. */
  readonly path: string;
  /** @throws {ServiceError} */
  readonly fetchToken: (credentials: Credentials, identity: Identity) => Promise<TokenResponse>;
}

/** The identity service that the user approved. */
export interface Identity {
  /** Sends a credential, with retries. */
  readonly post: <Result>(
    request: IdentityRequest<Result> &
      Pick<HttpRequest<Result>, 'contentType' | 'body' | 'scheme' | 'tokenProvider'>,
  ) => Promise<Result>;
  /** Requests information about a token, once and within 5 s. */
  readonly get: <Result>(
    request: IdentityRequest<Result> & { readonly token: string },
  ) => Promise<Result>;
}

export interface IdentityRequest<Result> extends Pick<HttpRequest<Result>, 'failure' | 'read'> {
  /** Relative to the identity address. */
  readonly path: string;
}
