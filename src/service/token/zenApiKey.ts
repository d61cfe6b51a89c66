import type { TokenWay } from './tokenWay.ts';

/**
 * A platform key that opens the service itself: nothing is traded, and nothing has to be renewed. It
 * is the base64 form of user name and API key, as the platform's page gives it.
 */
export const zenApiKey: TokenWay = { scheme: 'ZenApiKey' };
