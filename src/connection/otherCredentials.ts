import type { WorkspaceFolder } from 'vscode';
import type { SourceId } from '../service/credentials.ts';
import { Secret } from '../service/secret.ts';
import { askImport } from './connectionDialogs.ts';
import { isUsable, type Lookup, othersInOrder, type UsableSource } from './sourceSelection.ts';

/**
 * Offers to import the credentials that `otherSource` finds.
 * @returns the source to import; false if there's no such source, or if the user wants to enter new
 * values; undefined if the user closed the prompt
 */
export async function offerImport(
  lookup: Lookup | undefined,
  owner: WorkspaceFolder | null,
): Promise<SourceId | false | undefined> {
  const other = lookup && otherSource(lookup, owner);
  if (!other) return false;
  const imports = await askImport(other, lookup.found.folder);
  return imports && other.id;
}

/**
 * If the editor's credentials are in use for a folder, returns an external source that contains
 * other credentials for the same service. Undefined if there's no such source, or if the user
 * declined it.
 */
function otherSource(
  { found, choice }: Lookup,
  owner: WorkspaceFolder | null,
): UsableSource | undefined {
  if (choice.kind !== 'ready' || choice.connection.source !== 'editor') return undefined;
  if (!found.record || found.folder.workspaceFolder !== owner) return undefined;
  const { account = '', apiKey } = Secret.open(found.record);
  return othersInOrder(found)
    .filter(isUsable)
    .find(({ service, values, decision }) => {
      const given = Secret.open(values);
      const isSame = given.apiKey === apiKey && (given.account ?? '') === account;
      return decision !== 'declined' && service.word === found.settings.service.word && !isSame;
    });
}
