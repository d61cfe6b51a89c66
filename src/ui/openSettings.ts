import { commands } from 'vscode';
import { undocumentedCommands } from '../undocumentedApi.ts';

const COMMAND = undocumentedCommands.openSettings;
const OF_THIS_EXTENSION = '@ext:hosted-model.hosted-model';

/**
 * Opens the settings editor. A button that calls this function has the label
 * `ACTION_LABELS.openSettings`.
 * @param query the text in the search box, such as a setting's full name; the default finds all
 * settings of this extension
 */
export async function openSettings(query = OF_THIS_EXTENSION): Promise<void> {
  await commands.executeCommand(COMMAND, query);
}

/**
 * Opens the workspace settings in the settings editor, where the user can switch to a folder.
 */
export async function openSettingsOfWorkspace(query: string): Promise<void> {
  await commands.executeCommand(undocumentedCommands.openWorkspaceSettings, query);
}

/**
 * The target of a Markdown link to this extension's settings, and the command that the link runs.
 */
export const SETTINGS_LINK = {
  command: COMMAND,
  target: `${COMMAND}?${encodeURIComponent(JSON.stringify([OF_THIS_EXTENSION]))}`,
} as const;
