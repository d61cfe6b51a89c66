import type { AuthMethod } from './authMethod.ts';

const scheme = 'ZenApiKey';

/**
 * The authentication method for Zen API keys in Cloud Pak for Data. A Zen API key is the Base64
 * encoding of a user name and an API key, separated by a colon. The service accepts a Zen API key
 * without an exchange.
 * Source: https://www.ibm.com/docs/SSQNUZ_5.2.x/get-started/generate-token.html
 */
export const zenApiKey: AuthMethod = {
  scheme,
  secrets: ({ apiKey }) => [apiKey, `${scheme} ${apiKey}`],
};
