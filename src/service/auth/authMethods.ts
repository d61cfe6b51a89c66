import type { Authentication } from '../authentication.ts';
import type { Credentials, ServiceKey } from '../credentials.ts';
import type { Service } from '../service.ts';
import { apiKey } from './apiKey.ts';
import { apiKeyGrant } from './apiKeyGrant.ts';
import type { AuthMethod } from './authMethod.ts';
import { clientCredentials } from './clientCredentials.ts';
import { cloudPak } from './cloudPak.ts';
import { command } from './command.ts';
import { none } from './none.ts';
import { zenApiKey } from './zenApiKey.ts';

const METHODS: {
  readonly [Kind in Authentication['kind']]: (
    authentication: Authentication & { kind: Kind },
  ) => AuthMethod;
} = {
  apiKey,
  apiKeyGrant,
  clientCredentials,
  cloudPak: () => cloudPak,
  command,
  none: () => none,
  zenApiKey: () => zenApiKey,
};

export function authMethodOf({ authentication }: Pick<Service, 'authentication'>): AuthMethod {
  // TypeScript can't infer that `METHODS[kind]` accepts an `Authentication` of this kind.
  const methodOf = METHODS[authentication.kind] as (authentication: Authentication) => AuthMethod;
  return methodOf(authentication);
}

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
