import { ProgressLocation, type WorkspaceFolder, window } from 'vscode';
import { GETTING_TOKEN } from './checkMessages.ts';
import type { DiagnosisDeps } from './runChecks.ts';

/**
 * Gets a new token for a folder's connection, and clears the last failure. Prompts for missing
 * values and approvals.
 * @param owner null for documents outside the workspace; defaults to the active folder
 * @returns true if there is a new token; false if the service needs no token; undefined if there is
 * no connection
 * @throws {ServiceError} if getting the token fails or is canceled
 */
export async function refreshToken(
  { connections, status }: DiagnosisDeps,
  owner?: WorkspaceFolder | null,
): Promise<boolean | undefined> {
  const connection = await connections.for(owner);
  if (!connection) return undefined;
  // If the user signs out before the token request is sent, don't send the key.
  const { signOutSignal } = connections;
  const progress = { location: ProgressLocation.Window, title: GETTING_TOKEN };
  const { hasToken } = await window.withProgress(progress, () =>
    connection.refreshToken(signOutSignal),
  );
  status.update({ lastFailure: undefined });
  return hasToken;
}
