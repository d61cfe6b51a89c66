import type { Server } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** 1 for the first one. */
  readonly number: number;
  /** Resolves when it is closed, whoever closed it. */
  readonly closed: Promise<void>;
}

/** The open connections of a server. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  #count = 0;

  constructor(server: Server) {
    server.on('connection', (socket) => this.#add(socket));
  }

  get size(): number {
    return this.#open.size;
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
      this.#open.delete(socket);
      resolve();
    });
    // A client that resets its connection is nothing unusual here; `close` follows.
    socket.on('error', () => {});
  }
}
