import type { WorkspaceFolder } from 'vscode';
import type { CredentialAccess } from './access.ts';
import type { Answer } from './approvals.ts';
import {
  type Found,
  outsideSource,
  type SourceId,
  type UsableSource,
  usable,
  valuesOf,
} from './choose.ts';
import { forgetPreferences, preferSource, projectSubject, sourceSubject } from './find.ts';
import { warnOfLeftKey } from './leftover.ts';
import { activeFolder } from './outside.ts';
import { askSource } from './sourceApproval.ts';

/** What a user can do with a source, other than to use it. */

/**
 * Lets a source go before the others in this folder. One that is not approved is asked about first,
 * so that closing the question leaves everything as it was.
 * @returns whether it is in use now
 */
export async function prefer(access: CredentialAccess, id: SourceId): Promise<boolean> {
  const owner = activeFolder();
  const { found } = await access.lookPatiently(owner);
  const source = outsideSource(found, id);
  const complete = source && usable(found, source);
  if (source && !complete) return false;
  if (complete && source.answer !== 'approved') {
    const answer = await askSource(complete, found.folder);
    if (answer === 'import') await importSource(access, complete, found, owner);
    else if (answer) await remember(access, complete, found, answer);
    if (answer !== 'approved') return false;
  }
  await preferSource(access.options, found.folder, id);
  if (!source) await access.require();
  const { choice } = await access.look(owner);
  return choice.kind === 'ready' && choice.source === id;
}

/** Forgets what was answered about a source, or about the project of the folder for the editor. */
export async function forget(access: CredentialAccess, id: SourceId): Promise<void> {
  const { approvals } = access.options;
  const { found } = await access.lookPatiently();
  const { settings, folder } = found;
  const source = outsideSource(found, id);
  const values = source && valuesOf(source.text);
  if (found.preferred === id) await preferSource(access.options, folder, 'editor');
  if (source && values) {
    await approvals.forget(sourceSubject(source.id, values, folder, settings));
  } else if (!source) await approvals.forget(projectSubject(folder, settings.folderProjectId));
  await access.look();
}

/** Takes the values of a source into secret storage and the user settings, by the set-up. */
export async function importFrom(access: CredentialAccess, id: SourceId): Promise<void> {
  const owner = activeFolder();
  const { found } = await access.lookPatiently(owner);
  const source = outsideSource(found, id);
  const values = source && valuesOf(source.text);
  if (source && values) await importSource(access, { id: source.id, values }, found, owner);
}

/** @returns whether the values are the editor's now; then they are not used from there any more */
export async function importSource(
  access: CredentialAccess,
  source: Pick<UsableSource, 'id' | 'values'>,
  found: Found,
  owner: WorkspaceFolder | undefined,
): Promise<boolean> {
  if (!(await access.setUp(undefined, source.values))) return false;
  await remember(access, source, found, 'refused');
  await preferSource(access.options, found.folder, 'editor');
  if (source.id === 'envFile' && owner) warnOfLeftKey(owner).catch(() => {});
  return true;
}

/** Keeps an answer about exactly these values in this folder. */
export function remember(
  { options: { approvals } }: CredentialAccess,
  { id, values }: Pick<UsableSource, 'id' | 'values'>,
  { folder, settings }: Found,
  answer: Answer,
): Promise<void> {
  return approvals.remember(sourceSubject(id, values, folder, settings), answer);
}

/**
 * Deletes the key, and every yes to another source; a no stays. Looks at no folder, which could be
 * out of reach.
 * @throws if secret storage keeps the key
 */
export async function signOut({ options }: CredentialAccess): Promise<void> {
  await options.approvals.forgetApproved();
  await forgetPreferences(options);
  await options.keys.delete();
}
