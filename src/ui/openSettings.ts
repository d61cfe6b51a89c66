import { commands } from 'vscode';

const COMMAND = 'workbench.action.openSettings';
const OF_THIS_EXTENSION = '@ext:hosted-model.hosted-model';

/** Opens VS Code's settings, filtered to those of this extension. */
export async function openSettings(): Promise<void> {
  await commands.executeCommand(COMMAND, OF_THIS_EXTENSION);
}

/** The same as the target of a Markdown link, and the command that the link has to be allowed. */
export const SETTINGS_LINK = {
  command: COMMAND,
  target: `${COMMAND}?${encodeURIComponent(JSON.stringify([OF_THIS_EXTENSION]))}`,
} as const;
