import { commands } from 'vscode';
import { undocumentedCommands } from '../undocumentedApi.ts';

const COMMAND = undocumentedCommands.openSettings;
const OF_THIS_EXTENSION = '@ext:hosted-model.hosted-model';

/**
 * Opens the settings editor.
 * @param query the text in the search box; by default, finds all settings of this extension
 */
export async function openSettings(query = OF_THIS_EXTENSION): Promise<void> {
  await commands.executeCommand(COMMAND, query);
}

/**
 * Opens the settings editor at the workspace settings. From there, the user can switch to a folder.
 */
export async function openSettingsOfWorkspace(query: string): Promise<void> {
  await commands.executeCommand(undocumentedCommands.openWorkspaceSettings, query);
}

/**
 * Returns a Markdown link target that opens the settings editor, and the command that the link
 * runs.
 * @param query see `openSettings`
 */
export function settingsLink(query = OF_THIS_EXTENSION) {
  const target = `${COMMAND}?${encodeURIComponent(JSON.stringify([query]))}`;
  return { command: COMMAND, target };
}
