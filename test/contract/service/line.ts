import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface LineOptions {
  /** Milliseconds that everything takes each way. */
  readonly delayMs?: number;
  /** Milliseconds after which the far end closes a connection that nobody uses, and does not say so before. */
  readonly closesIdleMs?: number;
}

/** A line to a service, of which a test can cut what lies idle, or stop what comes in. */
export interface Line {
  readonly url: string;
  /** Connections of this moment. */
  readonly open: number;
  /** When the near end of a connection was closed for being idle, on the clock of `performance`. */
  readonly closedAt: readonly number[];
  /** Ends every connection of this moment, as a service does with idle ones, or resets it. */
  cut(how: 'close' | 'reset'): void;
  /** Nothing passes any more on the connections of this moment; new ones work. */
  swallow(): void;
  close(): void;
}

export async function lineTo(url: string, options: LineOptions = {}): Promise<Line> {
  const all = new Set<Connection>();
  const closedAt: number[] = [];
  const server = createServer((near) => {
    const connection = new Connection(near, Number(new URL(url).port), options, closedAt);
    all.add(connection);
    near.on('close', () => all.delete(connection));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closedAt,
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
  readonly #options: LineOptions;
  readonly #closedAt: number[];
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(near: Socket, port: number, options: LineOptions, closedAt: number[]) {
    this.#near = near;
    this.#far = connect(port, '127.0.0.1');
    this.#options = options;
    this.#closedAt = closedAt;
    for (const end of [near, this.#far]) {
      end.on('error', () => {});
      // As Node’s own http has it: else a small write waits for the acknowledgement of the last one.
      end.setNoDelay(true);
    }
    near.on('data', (bytes) => this.#later(() => this.#pass(bytes, this.#far)));
    this.#far.on('data', (bytes) => this.#later(() => this.#pass(bytes, near)));
    near.on('close', () => this.#end());
    this.#far.on('close', () => this.#later(() => near.end()));
  }

  cut(how: 'close' | 'reset'): void {
    if (how === 'reset') this.#near.resetAndDestroy();
    else this.#near.end();
  }

  #pass(bytes: Uint8Array, to: Socket): void {
    // What comes to an end that is closed is answered with a reset.
    if (this.#isClosed) return void this.#later(() => this.#near.resetAndDestroy());
    if (this.isSwallowing) return;
    to.write(bytes);
    const { closesIdleMs } = this.#options;
    if (closesIdleMs === undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#closeIdle(), closesIdleMs);
  }

  #closeIdle(): void {
    this.#isClosed = true;
    this.#far.destroy();
    this.#later(() => {
      this.#closedAt.push(performance.now());
      this.#near.end();
    });
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#far.destroy();
  }

  #later(what: () => void): void {
    const { delayMs = 0 } = this.#options;
    if (delayMs === 0) what();
    else setTimeout(what, delayMs);
  }
}
