/**
 * The authentication methods. This file doesn't import their code, because activation needs only
 * the information in this file and in `authInputs.ts`.
 */

/**
 * An authentication method and its parameters. `path` is the path of the token endpoint, relative
 * to `authUrl`.
 */
export type Authentication =
  /** The identity service exchanges an API key for a token. */
  | { readonly kind: 'apiKeyGrant'; readonly path: string; readonly grantType: string }
  /**
   * The identity service exchanges a client ID and secret for a token (OAuth 2.0 client
   * credentials). `scope` and `audience` are sent only if they aren't empty.
   */
  | {
      readonly kind: 'clientCredentials';
      readonly path: string;
      /**
       * True to send the credentials in the body (`client_secret_post`); false to use HTTP Basic.
       */
      readonly inBody: boolean;
      readonly scope: string;
      readonly audience: string;
    }
  | { readonly kind: 'cloudPak' }
  | { readonly kind: 'zenApiKey' }
  /**
   * The key is sent in the header that `header` names. If `header` is empty, the key is sent as a
   * bearer token.
   */
  | { readonly kind: 'apiKey'; readonly header: string }
  /** The service accepts requests from anyone who can reach it. */
  | { readonly kind: 'none' }
  /**
   * A program on this machine prints the token. The first item of `command` is the program, and the
   * rest are its arguments.
   */
  | { readonly kind: 'command'; readonly command: readonly string[] };
