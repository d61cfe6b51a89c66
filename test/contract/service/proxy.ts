import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy, and a port that nothing listens on. */

/**
 * A port that refuses connections on every machine. IANA hasn't assigned port 4, and operating
 * systems pick only high ports. A closed high port isn't safe: another program could reuse the
 * port, or a client socket could be assigned the port and connect to itself.
 * https://www.iana.org/assignments/service-names-port-numbers
 */
export const CLOSED_PORT = 4;

export interface Proxy {
  readonly port: number;
  /** Targets of the CONNECT requests so far. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** @param status the status of the response to CONNECT; 200 connects to port `target` */
export async function startProxy(status: number, target = 0): Promise<Proxy> {
  const asked: string[] = [];
  const open = new Set<Duplex>();
  const server = createServer();
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    open.add(socket);
    if (status !== 200) {
      const text = 'A page of the proxy';
      const head = `HTTP/1.1 ${status} No\r\nContent-Type: application/json\r\nContent-Length: ${text.length}`;
      socket.end(`${head}\r\n\r\n${text}`);
      return;
    }
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => {});
    open.add(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
