import type { AuthMethod } from './authMethod.ts';

/** The authentication method for a service that accepts requests without a key or token. */
export const none: AuthMethod = { scheme: 'Bearer', needsNoToken: true, secrets: () => [] };
