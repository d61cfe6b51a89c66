import { window } from 'vscode';
import { SHORTEST_SOUGHT } from '../service/secrets/secretSearch.ts';
import type { Answer } from './approvals.ts';
import type { Folder, UsableSource } from './sourceSelection.ts';

/** The questions before something that a folder brings is used for the first time. */

/** Said of a key that is as short as a word. */
export const NOT_SOUGHT = `Text is not searched for a key of fewer than ${SHORTEST_SOUGHT} characters before it is sent.`;

/**
 * Asks whether the credentials of a `.env` file or the environment may be used in a folder (R4 of
 * docs/threat-model.md). Enter presses the button that uses nothing.
 * @returns undefined if the question was closed
 */
export async function askSource(
  { id, values, destination: { authHost, serviceHost } }: UsableSource,
  folder: Folder,
): Promise<Answer | 'import' | undefined> {
  const refuse = 'Do Not Use';
  const use = 'Use These Values';
  const importThem = 'Import into Secret Storage';
  const [what, others] =
    id === 'envFile'
      ? ['the .env file of this folder', 'the file']
      : ['the environment of VS Code', 'the environment'];
  const hosts =
    authHost === serviceHost
      ? `The API key and selected text go to ${serviceHost}`
      : `The API key goes to ${authHost}\nSelected text goes to ${serviceHost}`;
  const answer = await window.showWarningMessage(
    `Use the API key, project and service URL from ${what}?`,
    {
      modal: true,
      detail: [
        `Folder: ${folder.path || 'none'}`,
        hosts,
        `The text goes to the account that this key belongs to. Whoever wrote ${others} chose account and service: say yes only if you know who that is.`,
        ...(values.apiKey.length < SHORTEST_SOUGHT ? [`The key is short. ${NOT_SOUGHT}`] : []),
        'The answer holds for exactly these values in this folder: any change asks again. Importing copies them into secret storage and your settings, for all folders.',
      ].join('\n\n'),
    },
    refuse,
    use,
    importThem,
  );
  if (answer === importThem) return 'import';
  if (answer === use) return 'approved';
  return answer === refuse ? 'refused' : undefined;
}

/**
 * Asks whether requests from a folder may be billed to the project its settings name. The user's
 * own is the button that Enter presses: VS Code would not give that place to one that also closes.
 * @returns undefined if the question was closed
 */
export async function askProject(
  projectId: string,
  folder: Folder,
  { hasOwn }: { readonly hasOwn: boolean },
): Promise<Answer | undefined> {
  const use = "Use the Folder's Project";
  const own = hasOwn ? 'Use My Project' : 'Do Not Use';
  const answer = await window.showWarningMessage(
    'Use the project ID from the settings of this folder or remote machine?',
    {
      modal: true,
      detail: [
        `Folder: ${folder.path}\nProject ID: ${projectId}`,
        'Requests from this folder are then billed to that project, and its members may see them. Your API key and the hosts stay as they are.',
        'The answer holds for exactly this project in this folder.',
      ].join('\n\n'),
    },
    own,
    use,
  );
  if (answer === use) return 'approved';
  return answer === own ? 'refused' : undefined;
}

/**
 * Asks whether the order of the sources may hold again, when the source that was chosen for a
 * folder cannot be used: text must not go to another account without a word.
 */
export async function askInstead(name: string, problem: string): Promise<boolean> {
  const instead = 'Use the Others Again';
  const answer = await window.showWarningMessage(
    `The source that you chose for this folder cannot be used: ${name} (${problem}).`,
    {
      modal: true,
      detail:
        'Nothing was sent. Mend it, or let the other sources be used again: secret storage and user settings first.',
    },
    instead,
  );
  return answer === instead;
}
