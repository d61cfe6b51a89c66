import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Received } from './connections.ts';
import type { Emulator } from './emulator.ts';

/**
 * Servers that stand for hosts nobody approved. Each of a process is counted, also after the test
 * it was for, so that a suite can tell at its end what all of them received.
 */
export interface Unapproved {
  readonly received: Received;
}

/** It takes whatever comes, TLS or not, until the process ends. */
export interface UnapprovedListener extends Unapproved {
  /** With its port. */
  readonly host: string;
  /** Its address without TLS. */
  readonly url: string;
  /** Its address with TLS; the first message of a handshake counts like any other bytes. */
  readonly secureUrl: string;
}

/** A service that works, and must not be spoken to until the user has agreed to it. */
export interface AwaitingApproval extends Unapproved {
  /**
   * To be called just before the user agrees: what comes later does not count.
   * @throws AssertionError if something came before
   */
  approve(): void;
}

export interface UnapprovedTotal extends Received {
  readonly listeners: number;
}

declare global {
  // The tests in the extension host are bundled one by one, each with its own copy of this module.
  var unapprovedOfTests: Set<Unapproved> | undefined;
}

/** Whoever speaks to a listener fails at once, instead of waiting for an answer. */
const ANSWER = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Starts a listener on 127.0.0.1. It keeps no process running. */
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

/** Counts what a service receives from now on until it is approved, or until it is closed. */
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

/** @throws AssertionError unless none of them has received a connection or a byte */
export function assertUntouched(...unapproved: readonly Unapproved[]): void {
  for (const { received } of unapproved) {
    assert.deepEqual({ ...received }, { connections: 0, bytes: 0 }, 'a host that nobody approved');
  }
}

/** What all of this process received so far. */
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
