import type { AuthMethod } from './authMethod.ts';

const scheme = 'ZenApiKey';

/**
 * A platform key of Cloud Pak for Data that never expires. It's the Base64 form of user name and API
 * key, as the platform's page shows it. The service accepts it without an exchange.
 */
export const zenApiKey: AuthMethod = {
  scheme,
  secrets: ({ apiKey }) => [apiKey, `${scheme} ${apiKey}`],
};
