import type { AuthMethod } from './authMethod.ts';

const scheme = 'ZenApiKey';

/**
 * A platform key of Cloud Pak for Data that never expires. It's the Base64 form of the user name
 * and API key, as shown on the platform's page. The service accepts it without an exchange.
 */
export const zenApiKey: AuthMethod = {
  scheme,
  secrets: ({ apiKey }) => [apiKey, `${scheme} ${apiKey}`],
};
