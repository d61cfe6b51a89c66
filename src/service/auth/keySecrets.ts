import type { Credentials, ServiceKey } from '../credentials.ts';
import { authMethodOf } from './authMethods.ts';

/**
 * Returns the secrets of a connection and of unused sources. The secrets are the keys, the header
 * values derived from the keys, and the values of secret headers. They must not appear in messages,
 * logs, or prompts.
 */
export function secretsOf({ otherKeys = [], ...own }: Credentials): readonly string[] {
  return secretsOfKeys([own, ...otherKeys]);
}

/**
 * Returns all secrets of these keys, without duplicates: the keys themselves, the header values
 * derived from them, and the values of secret headers.
 */
export function secretsOfKeys(keys: readonly ServiceKey[]): readonly string[] {
  const secrets = keys.flatMap((key) => [
    ...authMethodOf(key.service).secrets(key),
    ...Object.values(key.headerSecrets ?? {}),
  ]);
  return [...new Set(secrets)];
}
