/** Sends commands from the benchmark to the driver, an extension in the measured window. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import type { Orders } from './protocol.ts';

/** Timeouts for starting an extension host and for carrying out one command, in milliseconds. */
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
      // An extension host may reset the connection when its window closes.
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async listen(): Promise<Drivers> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Drivers(server);
  }

  /** Waits until the driver in the next extension host connects. */
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

/** Sends commands to one driver, one at a time. */
export class Driver {
  readonly #socket: Socket;
  readonly #lines: Interface;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = createInterface({ input: socket });
  }

  /** @throws {Error} if the driver reports an error or doesn't respond within 3 minutes */
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
