/**
 * Simulates slow network links, such as a link to another continent, on the loopback interface. The
 * simulation runs in its own process so that no other work delays the traffic.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { answerParent } from './child.ts';
import { clockMs } from './editor/stage/protocol.ts';

/** The properties of all links. They can change at any time. */
export interface Pace {
  /** Round-trip time in milliseconds. Each direction takes half of this time. */
  readonly roundTripMs: number;
  /** Round trips before a new connection accepts data. TCP and TLS 1.3 need one round trip each. */
  readonly handshakes?: number;
  /** Milliseconds without traffic after which the far end closes a connection. */
  readonly idleMs?: number;
}

/**
 * A new connection, or the first byte of a request or response, at the near end of a link. Clients
 * connect to the near end.
 */
export interface LineEvent {
  /** The port at the near end of the link. */
  readonly port: number;
  /** Connection number across all links, starting at 1. */
  readonly connection: number;
  readonly kind: 'opened' | 'asked' | 'answered';
  /** The time of the event in milliseconds, as returned by `clockMs`. */
  readonly atMs: number;
}

let pace: Pace = { roundTripMs: 0 };
let connections = 0;
const events: LineEvent[] = [];

answerParent({
  /** Opens a link to a port on this machine. @returns the port that clients connect to */
  open: async (farPort: number) => {
    const server = createServer({ allowHalfOpen: true }, (near) => join(near, port, farPort));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return port;
  },
  pace: (wanted: Pace) => {
    pace = wanted;
  },
  /** Returns the events since the previous call. */
  events: () => events.splice(0),
});

function join(near: Socket, port: number, farPort: number): void {
  const far = connect({ port: farPort, host: '127.0.0.1', allowHalfOpen: true });
  connections += 1;
  const connection = connections;
  const note = (kind: LineEvent['kind']) =>
    events.push({ port, connection, kind, atMs: clockMs() });
  let isAsked = false;
  note('opened');
  const opensAt = clockMs() + (pace.handshakes ?? 0) * pace.roundTripMs;
  near.on('data', () => {
    if (!isAsked) note('asked');
    isAsked = true;
  });
  pass(near, far, opensAt);
  pass(far, near, opensAt, () => {
    if (isAsked) note('answered');
    isAsked = false;
  });
  if (pace.idleMs !== undefined) far.setTimeout(pace.idleMs, () => far.destroy());
}

/**
 * Forwards data in order, half a round trip after it arrives. Data that arrives before `opensAt` is
 * forwarded half a round trip after `opensAt`.
 */
function pass(from: Socket, to: Socket, opensAt: number, onPart = () => {}): void {
  let last: Promise<unknown> = Promise.resolve();
  const later = (what: () => void) => {
    const dueAt = Math.max(clockMs(), opensAt) + pace.roundTripMs / 2;
    last = last.then(() => untilClock(dueAt)).then(what);
  };
  from.setNoDelay();
  from.on('data', (bytes) =>
    later(() => {
      onPart();
      to.write(bytes);
    }),
  );
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => later(() => to.end()));
}

async function untilClock(atMs: number): Promise<void> {
  const early = atMs - clockMs();
  if (early > 0) await pause(early);
}
