import { Agent, type IncomingMessage, request } from 'node:http';
import { askingWith, generating } from '../stage/peer.ts';

const agent = new Agent({ keepAlive: true });

/** Uses Node's `http` with an agent that keeps connections alive. */
export const activate = generating(
  'bench.onHttp',
  askingWith((url, headers, body) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(url, { agent, method: 'POST', headers }, resolve).on('error', reject).end(body);
    return promise;
  }),
);
