import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Received } from './connections.ts';
import type { Emulator } from './emulator.ts';

/**
 * A server that stands in for an unapproved host. Each process keeps a list of these servers, so
 * that a suite can check at the end what the servers received.
 */
export interface Unapproved {
  readonly received: Received;
}

/**
 * A server that accepts any TCP connection until the process ends. It never completes a TLS
 * handshake.
 */
export interface UnapprovedListener extends Unapproved {
  /** The host, including the port. */
  readonly host: string;
  /** The `http:` URL. */
  readonly url: string;
  /** The `https:` URL. Even the first message of a TLS handshake counts as received bytes. */
  readonly secureUrl: string;
}

/** A working service that must not be contacted until the user approves it. */
export interface AwaitingApproval extends Unapproved {
  /**
   * Stops counting connections and bytes. Call this just before the user approves the service.
   * @throws AssertionError if the service has already been contacted
   */
  approve(): void;
}

export interface UnapprovedTotal extends Received {
  readonly listeners: number;
}

declare global {
  // This variable is global, because the extension host loads two bundles: one with the tests'
  // entry point, and one with the tests. Each bundle has its own copy of this module.
  var unapprovedOfTests: Set<Unapproved> | undefined;
}

/** An error response, which makes clients fail immediately instead of waiting. */
const ANSWER = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Starts a listener on 127.0.0.1 that doesn't keep the process running. */
export async function startUnapproved(): Promise<UnapprovedListener> {
  let connections = 0;
  let bytes = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.unref();
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    socket.once('data', () => socket.end(ANSWER));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return counted({
    host,
    url: `http://${host}`,
    secureUrl: `https://${host}`,
    get received() {
      return { connections, bytes };
    },
  });
}

/**
 * Counts the connections and bytes that a service receives from now on, until `approve` is called
 * or the service is closed.
 */
export function notApprovedYet(emulator: Emulator): AwaitingApproval {
  const before = emulator.received;
  let untilApproval: Received | undefined;
  return counted({
    get received() {
      const { connections, bytes } = untilApproval ?? emulator.received;
      return { connections: connections - before.connections, bytes: bytes - before.bytes };
    },
    approve() {
      assertUntouched(this);
      untilApproval ??= emulator.received;
    },
  });
}

/** @throws AssertionError if any of these servers has received a connection or data */
export function assertUntouched(...unapproved: readonly Unapproved[]): void {
  for (const { received } of unapproved) {
    assert.deepEqual(
      { ...received },
      { connections: 0, bytes: 0 },
      'an unapproved host was contacted',
    );
  }
}

/**
 * Returns the number of unapproved servers in this process, and the number of connections and bytes
 * that they have received.
 */
export function totalOfUnapproved(): UnapprovedTotal {
  const all = [...(globalThis.unapprovedOfTests ?? [])].map(({ received }) => received);
  return sumOf(all.map((received) => ({ ...received, listeners: 1 })));
}

export function sumOf(totals: readonly UnapprovedTotal[]): UnapprovedTotal {
  const sum = { listeners: 0, connections: 0, bytes: 0 };
  for (const { listeners, connections, bytes } of totals) {
    sum.listeners += listeners;
    sum.connections += connections;
    sum.bytes += bytes;
  }
  return sum;
}

function counted<One extends Unapproved>(one: One): One {
  globalThis.unapprovedOfTests ??= new Set();
  globalThis.unapprovedOfTests.add(one);
  return one;
}
