import { once } from 'node:events';
import { createServer, Agent as HttpAgent, request as startRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as startTls } from 'node:tls';
import type { AxiosAdapter } from 'axios';
import { nodeAdapter } from '../../../src/service/nodeAdapter.ts';

/** A proxy, and connections that lead through it the way the editor's own proxy layer does it. */

export interface Proxy {
  readonly port: number;
  /** What CONNECT was asked for, so far. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** @param status what CONNECT is answered with; 200 opens the way to `target` */
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

/** A port of this machine that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Sends every request through the proxy on this port, by tunnel where it is https. */
export function adapterThrough(port: number): AxiosAdapter {
  const http = new ProxiedHttp();
  const https = new ProxiedHttps();
  for (const agent of [http, https]) agent.proxyPort = port;
  return (config) => nodeAdapter({ ...config, httpAgent: http, httpsAgent: https });
}

type Created = (error: Error | null, socket: Duplex) => void;

class ProxiedHttp extends HttpAgent {
  proxyPort = 0;

  override createConnection(): Socket {
    return connect(this.proxyPort, '127.0.0.1');
  }
}

class ProxiedHttps extends HttpsAgent {
  proxyPort = 0;

  override createConnection(
    { host, port }: { readonly host?: string; readonly port?: number | string },
    created: Created,
  ): undefined {
    const path = `${host}:${port}`;
    const request = startRequest({ port: this.proxyPort, method: 'CONNECT', path, agent: false });
    request.on('error', (error) => created(error, new Socket()));
    request.on('connect', ({ statusCode = 0, rawHeaders }, socket) => {
      if (statusCode === 200) {
        created(null, startTls({ socket, ...(host !== undefined && { servername: host }) }));
        return;
      }
      // What a proxy says instead of opening the way is played back as if the host had said it.
      const pairs = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}\r\n`] : [],
      );
      const replay = new Socket({ writable: false });
      created(null, replay);
      socket.on('data', () => {});
      socket.destroy();
      setImmediate(() => {
        replay.push(`HTTP/1.1 ${statusCode} No\r\n${pairs.join('')}\r\nA page of the proxy`);
        replay.push(null);
      });
    });
    request.end();
    return undefined;
  }
}
