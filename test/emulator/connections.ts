import type { Server } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Connection number, starting at 1 for the first connection opened. */
  readonly number: number;
  /** Resolves when the connection is closed by either side. */
  readonly closed: Promise<void>;
}

/**
 * The number of connections that a server has accepted, and the number of bytes that it has
 * received, including invalid data.
 */
export interface Received {
  readonly connections: number;
  readonly bytes: number;
}

/** Tracks a server's open connections, and how much the server has received on all connections. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  #count = 0;
  #bytesOfClosed = 0;

  constructor(server: Server) {
    server.on('connection', (socket) => this.#add(socket));
  }

  get size(): number {
    return this.#open.size;
  }

  get received(): Received {
    let bytes = this.#bytesOfClosed;
    for (const { bytesRead } of this.#open.keys()) bytes += bytesRead;
    return { connections: this.#count, bytes };
  }

  of(socket: Socket): Connection {
    return this.#open.get(socket) ?? { number: 0, closed: Promise.resolve() };
  }

  async destroyAll(): Promise<void> {
    const all = [...this.#open];
    for (const [socket] of all) socket.destroy();
    await Promise.all(all.map(([, { closed }]) => closed));
  }

  #add(socket: Socket): void {
    this.#count += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.set(socket, { number: this.#count, closed: promise });
    socket.on('close', () => {
      this.#bytesOfClosed += socket.bytesRead;
      this.#open.delete(socket);
      resolve();
    });
    // Without a listener, a connection reset by a client would cause an uncaught error. No action
    // is needed, because the `close` event follows.
    socket.on('error', () => {});
  }
}
