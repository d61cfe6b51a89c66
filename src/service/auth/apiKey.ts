import type { AuthMethod } from './authMethod.ts';

const scheme = 'Bearer';

/**
 * Creates the authentication method for an API key that the service accepts without an exchange.
 * The key is sent as a bearer token, or in a header that the service requires, such as `api-key`.
 */
export function apiKey({ header }: { readonly header: string }): AuthMethod {
  return {
    scheme,
    ...(header && { header }),
    secrets: ({ apiKey: key }) => (header ? [key] : [key, `${scheme} ${key}`]),
  };
}
