/** A line to the server of a window that is as slow as one to another continent. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowLine {
  readonly port: number;
  /** Milliseconds that every byte takes each way from now on; 0 at the start. */
  delayMs: number;
  close(): void;
}

export async function slowLineTo(port: number): Promise<SlowLine> {
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    const later = (what: () => void) => {
      if (line.delayMs === 0) what();
      else setTimeout(what, line.delayMs);
    };
    from.on('data', (bytes) => later(() => to.write(bytes)));
    from.on('end', () => later(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => sockets.delete(from));
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line: SlowLine = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return line;
}
