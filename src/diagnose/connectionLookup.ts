import { setTimeout } from 'node:timers/promises';
import type { WorkspaceFolder } from 'vscode';
import type { Connections } from '../connection/connections.ts';
import type { Connection } from '../service/connection.ts';

/** Looks up the connection that a diagnosis is about, with a time limit. */

/**
 * Milliseconds to wait for secret storage and the folder, which may never respond. On a busy
 * machine, they can take several seconds. A keyring that takes even longer is probably waiting for
 * the user to enter a password.
 */
export const LOOKUP_MS = 10_000;

/** Looks up the connections that can be used now, either for text in a folder or for chat. */
export type LookUp = () => Promise<readonly Connection[]>;

/** Returns a function that looks up a folder's connection. */
export function lookUpFor(
  { connections }: { readonly connections: Connections },
  folder: WorkspaceFolder | null,
): LookUp {
  return async () => {
    const { choice } = await connections.peek(folder);
    return choice.kind === 'ready' ? [choice.connection] : [];
  };
}

/** True if a new lookup finds the same connection. False if the lookup times out. */
export async function isStillUsed(connection: Connection, lookUp: LookUp): Promise<boolean> {
  const found = await within(LOOKUP_MS, lookUp());
  return found?.some((one) => one.isSameAs(connection)) ?? false;
}

/** Awaits a lookup of credentials. Returns undefined if it takes longer than `patienceMs`. */
export function within<Found>(
  patienceMs: number,
  lookup: Promise<Found>,
): Promise<Found | undefined> {
  const late = setTimeout(patienceMs, undefined, { ref: false });
  return Promise.race([lookup, late]);
}
