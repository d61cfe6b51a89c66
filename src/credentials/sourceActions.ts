import type { WorkspaceFolder } from 'vscode';
import type { CredentialAccess } from './access.ts';
import { type Found, type SourceId, type UsableSource, valuesOf } from './choose.ts';
import { preferSource, projectSubject, sourceSubject } from './find.ts';
import { warnOfLeftKey } from './leftover.ts';
import { activeFolder } from './outside.ts';

/** What a user can do with a source, other than to use it. */

/**
 * Lets a source go before the others in this workspace, and asks about it if nobody has.
 * @returns whether it is in use now
 */
export async function prefer(access: CredentialAccess, id: SourceId): Promise<boolean> {
  const { found } = await access.look();
  if (found.outside.find((one) => one.id === id)?.answer === 'refused') await forget(access, id);
  await preferSource(access.options, id);
  await access.require();
  const { choice } = await access.look();
  return choice.kind === 'ready' && choice.source === id;
}

/** Forgets what was answered about a source, or about the project of the folder for the editor. */
export async function forget(access: CredentialAccess, id: SourceId): Promise<void> {
  const { approvals } = access.options;
  const { found } = await access.look();
  const { settings, folder, outside } = found;
  const source = outside.find((one) => one.id === id);
  const values = source && valuesOf(source.text);
  if (source && values) {
    await approvals.forget(sourceSubject(source.id, values, folder, settings));
  } else if (!source) await approvals.forget(projectSubject(folder, settings.folderProjectId));
  if (found.preferred === id) await preferSource(access.options, 'editor');
  await access.look();
}

/** Takes the values of a source into secret storage and the user settings, by the set-up. */
export async function importFrom(access: CredentialAccess, id: SourceId): Promise<void> {
  const owner = activeFolder();
  const { found } = await access.look(owner);
  const source = found.outside.find((one) => one.id === id);
  const values = source && valuesOf(source.text);
  if (source && values) await importSource(access, { id: source.id, values }, found, owner);
}

/** @returns whether the values are the editor's now; then they are not used from there any more */
export async function importSource(
  access: CredentialAccess,
  { id, values }: Pick<UsableSource, 'id' | 'values'>,
  { folder, settings }: Found,
  owner: WorkspaceFolder | undefined,
): Promise<boolean> {
  if (!(await access.setUp(undefined, values))) return false;
  await access.options.approvals.remember(sourceSubject(id, values, folder, settings), 'refused');
  if (id === 'envFile' && owner) void warnOfLeftKey(owner);
  return true;
}

/**
 * Deletes the key, and every yes to another source; a no stays. Looks at no folder, which could be
 * out of reach.
 * @throws if secret storage keeps the key
 */
export async function signOut({ options }: CredentialAccess): Promise<void> {
  await options.approvals.forgetApproved();
  await preferSource(options, 'editor');
  await options.keys.delete();
}
