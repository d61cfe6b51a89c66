import { askImport } from './connectionDialogs.ts';
import { importSource, type ResolveOptions } from './resolveObstacle.ts';
import { sourceWithOtherCredentials } from './sourceSelection.ts';

/**
 * Opens setup at the account step, or at the key step if there's no account step, so that the user
 * can correct the credentials. Starts at the service step if the service doesn't need a key. If an
 * external source has different credentials, which may be newer, first offers to import them.
 * @returns the result from setup; false if the user closed the prompt
 */
export async function changeKey(options: ResolveOptions): Promise<boolean> {
  const lookup = await options.lookUp();
  const { found } = lookup;
  const other = sourceWithOtherCredentials(lookup);
  const answer = other ? await askImport(other, found.folder) : 'enter';
  // Import the values that the prompt was about, even if the source has changed since.
  if (other && answer === 'import') return importSource(options, other, found, { isRepair: true });
  if (answer === undefined) return false;
  return options.setUp({ missing: ['account', 'apiKey'], isRepair: true });
}
