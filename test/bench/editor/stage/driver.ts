/** The side of the benchmark that the driver in the extension host reports to. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import type { Orders } from './protocol.ts';

/** Milliseconds from the address of a window to the start of its extension host, and for an order. */
const [startMs, orderMs] = [60_000, 180_000];

export class Drivers {
  readonly port: number;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets = new Set<Socket>();

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      // A host that ends with its window may reset the connection.
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async listen(): Promise<Drivers> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Drivers(server);
  }

  /** The driver of the next extension host that starts. */
  async next(): Promise<Driver> {
    const [socket] = await once(this.#server, 'connection', {
      signal: AbortSignal.timeout(startMs),
    });
    return new Driver(socket as Socket);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** Carries out one order at a time. */
export class Driver {
  readonly #socket: Socket;
  readonly #lines: Interface;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = createInterface({ input: socket });
  }

  /** @throws Error with what the driver failed with, or if it does not answer within 3 minutes */
  async do<Name extends keyof Orders>(
    name: Name,
    order: Orders[Name]['order'],
  ): Promise<Orders[Name]['answer']> {
    const answered = once(this.#lines, 'line', { signal: AbortSignal.timeout(orderMs) });
    this.#socket.write(`${JSON.stringify({ name, order })}\n`);
    const [line] = (await answered) as [string];
    const { value, error } = JSON.parse(line) as { value?: Orders[Name]['answer']; error?: string };
    if (value === undefined) throw new Error(`In the extension host: ${error}`);
    return value;
  }
}
