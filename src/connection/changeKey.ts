import { Secret } from '../service/secret.ts';
import { askImport } from './connectionDialogs.ts';
import { importSource, type ResolveOptions } from './resolveObstacle.ts';
import { type Lookup, othersInOrder } from './sourceSelection.ts';
import { isUsable, type UsableSource } from './sourceTypes.ts';

/**
 * Opens setup at the account step, or at the key step if there's no account step, so that the user
 * can correct the credentials. Starts at the service step if the service doesn't need a key. If an
 * external source has different credentials, which may be newer, first offers to import them.
 * @returns the result from setup; false if the user closed the prompt
 */
export async function changeKey(options: ResolveOptions): Promise<boolean> {
  const looked = await options.lookUp();
  const { found } = looked;
  const other = otherSource(looked);
  const answer = other ? await askImport(other, found.folder) : 'enter';
  // Import the values that the prompt was about, even if the source has changed since.
  if (other && answer === 'import') return importSource(options, other, found, { isRepair: true });
  if (answer === undefined) return false;
  return options.setUp({ missing: ['account', 'apiKey'], isRepair: true });
}

/**
 * If the editor's credentials are in use, returns an external source that contains other
 * credentials for the same service. Undefined if there's no such source, or if the user declined
 * it.
 */
export function otherSource({ found, choice }: Lookup): UsableSource | undefined {
  if (choice.kind !== 'ready' || choice.connection.source !== 'editor') return undefined;
  if (!found.record) return undefined;
  const { account = '', apiKey } = Secret.open(found.record);
  return othersInOrder(found)
    .filter(isUsable)
    .find(({ service, values, decision }) => {
      const given = Secret.open(values);
      const isSame = given.apiKey === apiKey && (given.account ?? '') === account;
      return decision !== 'declined' && service.word === found.settings.service.word && !isSame;
    });
}
