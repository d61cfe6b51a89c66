import type { AuthMethod } from './authMethod.ts';

const scheme = 'ZenApiKey';

/**
 * The authentication method for a Zen API key of Cloud Pak for Data. Such a key is the Base64 form
 * of the user name and API key, separated by a colon. The service accepts it without an exchange.
 * Source: https://www.ibm.com/docs/SSQNUZ_5.2.x/get-started/generate-token.html
 */
export const zenApiKey: AuthMethod = {
  scheme,
  secrets: ({ apiKey }) => [apiKey, `${scheme} ${apiKey}`],
};
