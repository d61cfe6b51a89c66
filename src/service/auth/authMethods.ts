import type { Authentication } from '../authentication.ts';
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
