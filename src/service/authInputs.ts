import type { Authentication } from './authentication.ts';

/**
 * The input that each authentication method needs, and the function that reads the method from a
 * user-defined service's entry.
 */
export const AUTH_INPUTS: Readonly<Record<Authentication['kind'], AuthNeeds>> = {
  apiKeyGrant: {
    secret: 'API_KEY',
    getsToken: true,
    hasAddress: true,
    required: 'grantType',
    read: (path, text) => ({ kind: 'apiKeyGrant', path, grantType: text('grantType') }),
  },
  clientCredentials: {
    account: 'CLIENT_ID',
    secret: 'CLIENT_SECRET',
    getsToken: true,
    hasAddress: true,
    read: (path, text) => ({
      kind: 'clientCredentials',
      path,
      inBody: text('clientAuthentication') === 'client_secret_post',
      scope: text('scope'),
      audience: text('audience'),
    }),
  },
  cloudPak: {
    account: 'USERNAME',
    secret: 'API_KEY',
    getsToken: true,
    read: () => ({ kind: 'cloudPak' }),
  },
  zenApiKey: { secret: 'API_KEY', read: () => ({ kind: 'zenApiKey' }) },
  apiKey: {
    secret: 'API_KEY',
    read: (_, text) => ({ kind: 'apiKey', header: text('header') }),
  },
  none: { read: () => ({ kind: 'none' }) },
  command: {
    getsToken: true,
    required: 'command',
    read: (_path, _text, command) => ({ kind: 'command', command }),
  },
};

export interface AuthNeeds {
  /**
   * Suffix of the setting name for the client ID or user name, if the method needs one. The value
   * may contain colons and spaces. For stricter rules, add a field to this interface. Check it in
   * `isWellFormed` (`settingValue.ts`), and pass the service from `problemOfAccount`
   * (`answerChecks.ts`).
   */
  readonly account?: 'CLIENT_ID' | 'USERNAME';
  /** Suffix of the setting name for the secret, if the method needs one. See `SECRETS`. */
  readonly secret?: 'API_KEY' | 'CLIENT_SECRET';
  /**
   * True if the method uses an identity service with its own address. Each entry then needs a
   * `tokenUrl`, the complete URL of the token endpoint.
   */
  readonly hasAddress?: true;
  /**
   * True if the method gets an access token. Otherwise, requests contain the secret itself, or no
   * secret.
   */
  readonly getsToken?: true;
  /** A field that a user-defined service's entry must have for this method. */
  readonly required?: 'grantType' | 'command';
  /**
   * Reads the method from an entry. `path` is the path of `tokenUrl`. `text` returns a field of
   * `authentication`. `readService` must validate each of these fields.
   */
  readonly read: (
    path: string,
    text: (field: string) => string,
    command: readonly string[],
  ) => Authentication;
}

/** The display name of each account setting, keyed by the suffix of the setting's name. */
export const ACCOUNT_LABELS: Readonly<Record<NonNullable<AuthNeeds['account']>, string>> = {
  CLIENT_ID: 'client ID',
  USERNAME: 'user name',
};

/**
 * The display name of each secret, and whether the secret may contain spaces. Keyed by the suffix
 * of the setting's name.
 *
 * In all other respects, secrets are checked like API keys. Placeholders such as `changeme` and
 * non-ASCII characters are rejected. Surrounding spaces and quotes, and a leading `Bearer `, are
 * removed. In a `.env` file, ` #` starts a comment. If a method's secrets can contain any of these,
 * mention that in docs/services.md.
 */
export const SECRETS: Readonly<
  Record<
    NonNullable<AuthNeeds['secret']>,
    { readonly label: string; readonly mayHoldSpaces: boolean }
  >
> = {
  API_KEY: { label: 'API key', mayHoldSpaces: false },
  // A client secret may contain spaces: https://www.rfc-editor.org/rfc/rfc6749#appendix-A.2
  CLIENT_SECRET: { label: 'client secret', mayHoldSpaces: true },
};
