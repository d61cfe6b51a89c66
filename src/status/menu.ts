import { commands, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { SourceId } from '../credentials/sourceSelection.ts';
import type { SourceRow } from '../credentials/sourceView.ts';
import { renderStatus, type StatusFacts } from './statusView.ts';

interface CommandItem extends QuickPickItem {
  readonly command: string;
}

type MenuItem = CommandItem | SourceRow | QuickPickItem;

/**
 * The state in words, what can be done about it, and where the credentials come from.
 * @returns the source that the user picked; undefined if it was a command or nothing
 */
export async function showMenu(
  facts: StatusFacts,
  sources: readonly SourceRow[],
): Promise<SourceId | undefined> {
  const { words } = renderStatus(facts, Date.now());
  const items: MenuItem[] = [
    ...commandItems(facts),
    { label: 'Where the credentials come from', kind: QuickPickItemKind.Separator },
    ...sources,
  ];
  const picked = await window.showQuickPick(items, {
    title: `Hosted Model: ${words}`,
    placeHolder: 'Choose an action',
  });
  if (picked && 'source' in picked) return picked.source;
  if (picked && 'command' in picked) await commands.executeCommand(picked.command);
  return undefined;
}

/** What fits the state comes first. */
function commandItems({ isSetUp, token }: StatusFacts): CommandItem[] {
  const item = (icon: string, label: string, name: string): CommandItem => ({
    label: `$(${icon}) ${label}`,
    command: `hostedModel.${name}`,
  });
  const setUp = item('tools', 'Set Up Credentials', 'setUp');
  const setKey = item('key', 'Set API Key', 'setApiKey');
  const withKey = [
    item('sparkle', 'Generate from selection', 'generateFromSelection'),
    item('list-flat', 'Generate With Template', 'generateWithTemplate'),
    item('refresh', 'Refresh Token', 'refreshToken'),
    setKey,
    setUp,
    item('sign-out', 'Sign Out', 'signOut'),
  ];
  const always = [
    item('pulse', 'Diagnose Connection', 'diagnose'),
    item('list-selection', 'Select Model', 'selectModel'),
    item('go-to-file', 'Show Last Result', 'showLastResult'),
    item('gear', 'Open Settings', 'openSettings'),
    item('output', 'Show Log', 'showLog'),
  ];
  if (!isSetUp) return [setUp, ...always];
  return token.kind === 'refused'
    ? [setKey, ...withKey.filter((one) => one !== setKey), ...always]
    : [...withKey, ...always];
}
