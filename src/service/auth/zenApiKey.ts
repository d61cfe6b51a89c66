import type { AuthMethod } from './authMethod.ts';

const scheme = 'ZenApiKey';

/**
 * The authentication method for a Zen API key of Cloud Pak for Data. Such a key is the Base64 form
 * of the user name and API key. It never expires, and the service accepts it without an exchange.
 */
export const zenApiKey: AuthMethod = {
  scheme,
  secrets: ({ apiKey }) => [apiKey, `${scheme} ${apiKey}`],
};
