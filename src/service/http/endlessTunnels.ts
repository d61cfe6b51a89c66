import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What newer versions of undici call a proxy that closes the connection in place of an answer. */
export const PROXY_CLOSED = 'UND_ERR_PRX_CONN';

const CONNECT_ERROR = 'undici:client:connectError';
/** What it is called before: a code that undici takes for one that passes. */
const TAKEN_FOR_PASSING = 'UND_ERR_SOCKET';

/**
 * A proxy that closes the connection where it should answer CONNECT makes a fetch connect again
 * without end, thousands of times a second, until it answers or its port is closed; to cancel the
 * request does not end it (nodejs/undici#3897, mended in 8.10.1; VS Code 1.139 has 7.29). undici
 * tells of each error before it looks at its code: with another code the first one is the last.
 * @param isOurs whether this host with its port is one of ours: others are left alone
 * @returns ends that
 */
export function refuseEndlessTunnels(isOurs: (host: string) => boolean): () => void {
  const onError = (message: unknown) => {
    const { error, connectParams } = message as {
      readonly error?: { code?: unknown };
      readonly connectParams?: { readonly host?: unknown };
    };
    if (error?.code !== TAKEN_FOR_PASSING || !isOurs(String(connectParams?.host))) return;
    error.code = PROXY_CLOSED;
  };
  subscribe(CONNECT_ERROR, onError);
  return () => unsubscribe(CONNECT_ERROR, onError);
}
