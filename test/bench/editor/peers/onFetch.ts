import { askingWith, generating } from '../stage/peer.ts';

/** Uses VS Code's `fetch`. */
export const activate = generating(
  'bench.onFetch',
  askingWith(async (url, headers, body) => {
    const response = await fetch(url, { method: 'POST', headers, body });
    return response.body as AsyncIterable<Uint8Array>;
  }),
);
