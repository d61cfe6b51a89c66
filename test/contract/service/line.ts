import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface LineOptions {
  /** Delay in each direction, in milliseconds. */
  readonly delayMs?: number;
}

/** A relay between a client and a service. A test can close, reset, or stall the connections. */
export interface Line {
  readonly url: string;
  /** Number of open connections. */
  readonly open: number;
  /** Closes or resets every open connection, as a service does with idle connections. */
  cut(how: 'close' | 'reset'): void;
  /** Drops all further data on the open connections. New connections aren't affected. */
  swallow(): void;
  close(): void;
}

export async function lineTo(url: string, options: LineOptions = {}): Promise<Line> {
  const all = new Set<Connection>();
  const server = createServer((near) => {
    const connection = new Connection(near, Number(new URL(url).port), options);
    all.add(connection);
    near.on('close', () => all.delete(connection));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get open() {
      return all.size;
    },
    cut: (how) => {
      for (const connection of all) connection.cut(how);
    },
    swallow: () => {
      for (const connection of all) connection.isSwallowing = true;
    },
    close: () => {
      server.close();
      for (const connection of all) connection.cut('reset');
    },
  };
}

class Connection {
  isSwallowing = false;
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #delayMs: number;

  constructor(near: Socket, port: number, { delayMs = 0 }: LineOptions) {
    this.#near = near;
    this.#delayMs = delayMs;
    this.#far = connect(port, '127.0.0.1');
    for (const end of [near, this.#far]) {
      end.on('error', () => {});
      // Like Node's http, sends small writes immediately. By default, a small write waits until the
      // previous write is acknowledged.
      end.setNoDelay(true);
    }
    near.on('data', (bytes) => {
      // If the service has closed the connection, further data from the client causes a reset.
      if (this.#far.destroyed) near.resetAndDestroy();
      else this.#later(() => this.#pass(bytes, this.#far));
    });
    this.#far.on('data', (bytes) => this.#later(() => this.#pass(bytes, near)));
    near.on('close', () => this.#far.destroy());
    this.#far.on('close', () => this.#later(() => near.end()));
  }

  cut(how: 'close' | 'reset'): void {
    if (how === 'reset') this.#near.resetAndDestroy();
    this.#far.destroy();
    this.#near.end();
  }

  #pass(bytes: Uint8Array, to: Socket): void {
    if (!this.isSwallowing) to.write(bytes);
  }

  #later(what: () => void): void {
    if (this.#delayMs === 0) what();
    else setTimeout(what, this.#delayMs);
  }
}
