import type { ConnectionStores } from './connectionStores.ts';

/**
 * Key of a flag in `workspaceState`. The flag is true if the last connection used values from a
 * `.env` file or the environment. The values themselves aren't stored.
 */
export const USES_EXTERNAL_SOURCE = 'hostedModel.usesExternalSource';

/**
 * True if the user has signed out in any window. If no sign-out was announced, the user counts as
 * signed out once no keys are left. However, if this workspace uses an external source and an
 * approval remains, the user still counts as signed in.
 * @param isSignOut true if a window announced a sign-out
 */
export async function hasSignedOut(
  { keys, approvals, workspaceState }: ConnectionStores,
  isSignOut: boolean,
): Promise<boolean> {
  // Read the flag before waiting for the key store, because a lookup that runs in the meantime
  // could switch from the removed key to an external source.
  const usesExternalSource = workspaceState.get(USES_EXTERNAL_SOURCE, false);
  if (isSignOut) return true;
  if ((await keys.services()).length > 0) return false;
  // A sign-out in this profile deletes the approvals, too.
  return !usesExternalSource || !approvals.hasApprovals;
}

/**
 * Forgets that an external source was used, and deletes the approvals that the sign-out has
 * invalidated. Called after a sign-out in any window, even in another VS Code profile.
 */
export async function forgetExternalSources({
  approvals,
  workspaceState,
}: Pick<ConnectionStores, 'approvals' | 'workspaceState'>): Promise<void> {
  await workspaceState.update(USES_EXTERNAL_SOURCE, undefined);
  await approvals.forgetEnded();
}
