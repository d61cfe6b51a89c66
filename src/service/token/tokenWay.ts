import type { ServiceKey } from '../credentials.ts';
import type { ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../failures.ts';
import type { HttpRequest } from '../http/httpRequest.ts';
import type { TokenResponse } from './tokenLife.ts';

/** What a way to a token says of itself; there is a file for each that gets one. */
export interface TokenWay {
  /** The word before the credential in the Authorization header of a request to the service. */
  readonly scheme: string;
  /** How the secret is traded for a token; undefined where it opens the service itself. */
  readonly tokenEndpoint?: TokenEndpoint;
}

export interface TokenEndpoint {
  /** Behind the identity address. */
  readonly path: string;
  readonly request: (key: ServiceKey) => TokenRequest;
  /** What an error answer means. Only one in the identity service's own shape tells of the secret. */
  readonly failure: (answer: ErrorResponse) => ServiceError;
  /** @throws {ServiceError} `token-unusable` */
  readonly read: (json: unknown) => TokenResponse;
  /** Behind the identity address: says when a token ends whose answer did not. */
  readonly expiry?: { readonly path: string; readonly read: (json: unknown) => number | undefined };
}

/** The parts of a token request that depend on the authentication method. */
export interface TokenRequest
  extends Pick<HttpRequest<unknown>, 'contentType' | 'body' | 'scheme' | 'tokenProvider'> {
  /** The secret, and the header value that contains it, if any. */
  readonly secrets: readonly string[];
}
