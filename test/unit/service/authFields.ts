import type { Authentication } from '../../../src/service/authentication.ts';

const tokenUrl = 'https://login.acme.example/oauth2/token';

/**
 * For each authentication method, a valid value for each field that a service's entry can have,
 * required or not. Tests compare these fields with the code that reads them and with the schema in
 * package.json.
 */
export const AUTH_FIELDS: Readonly<
  Record<Authentication['kind'], Readonly<Record<string, unknown>>>
> = {
  apiKeyGrant: { tokenUrl, grantType: 'urn:ibm:params:oauth:grant-type:apikey' },
  clientCredentials: {
    ...{ tokenUrl, clientAuthentication: 'client_secret_post' },
    ...{ scope: 'models read', audience: 'https://llm.acme.example' },
  },
  cloudPak: {},
  zenApiKey: {},
  apiKey: { header: 'api-key' },
  none: {},
  command: { command: ['print-token', '--json'] },
};
