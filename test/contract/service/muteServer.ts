import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that accepts connections, but never completes a TLS handshake or responds. */
export interface MuteServer {
  readonly url: string;
  /** Number of connections accepted so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** The TLS alert that a server sends if no cipher matches: fatal (2), handshake_failure (40). */
export const HANDSHAKE_FAILURE = Buffer.from([21, 3, 3, 0, 2, 2, 40]);

/** @param onData called for each connection when the client first sends data */
export async function startMuteServer(onData: (socket: Socket) => void): Promise<MuteServer> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => onData(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
