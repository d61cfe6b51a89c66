import { commands, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import { openSettings } from '../ui/openSettings.ts';
import { renderStatus, type StatusFacts } from './statusView.ts';

interface CommandItem extends QuickPickItem {
  readonly run: () => Thenable<unknown>;
}

/**
 * Shows a menu with the status, the commands, and further rows. Runs the picked command.
 * @param prompt the reason that this connection is used; undefined without a connection
 * @param sections rows that aren't commands, grouped under headings
 * @returns the row that the user picked; undefined for a command or if the menu was closed
 */
export async function showMenu<Row extends QuickPickItem>(
  facts: StatusFacts,
  prompt: string | undefined,
  sections: readonly { readonly label: string; readonly rows: readonly Row[] }[],
): Promise<Row | undefined> {
  const { words } = renderStatus(facts, Date.now());
  const rows = sections.flatMap(({ label, rows }) =>
    rows.length > 0 ? [{ label, kind: QuickPickItemKind.Separator }, ...rows] : [],
  );
  const picked = await window.showQuickPick<CommandItem | QuickPickItem>(
    [...commandItems(facts), ...rows],
    {
      title: `Hosted Model: ${words}`,
      placeHolder: 'Choose an action',
      ...(prompt !== undefined && { prompt }),
    },
  );
  if (picked && 'run' in picked) await picked.run();
  return sections.flatMap(({ rows }) => rows).find((row) => row === picked);
}

/** Returns the commands, starting with those that are most relevant in this state. */
function commandItems({ isSetUp, token }: StatusFacts): CommandItem[] {
  const item = (icon: string, label: string, name: string): CommandItem => ({
    label: `$(${icon}) ${label}`,
    run: () => commands.executeCommand(`hostedModel.${name}`),
  });
  const setUp = item('tools', 'Set Up...', 'setUp');
  const withKey = [
    item('sparkle', 'Generate from selection', 'generateFromSelection'),
    item('list-flat', 'Generate with Template...', 'generateWithTemplate'),
    item('comment-discussion', 'Use in Chat', 'useInChat'),
    item('refresh', 'Refresh Token', 'refreshToken'),
    setUp,
    item('sign-out', 'Sign Out', 'signOut'),
  ];
  const always = [
    item('pulse', 'Diagnose Connection', 'diagnose'),
    item('list-selection', 'Select Model...', 'selectModel'),
    item('go-to-file', 'Show Last Response', 'showLastResponse'),
    item('graph', 'Show Usage', 'showUsage'),
    { label: '$(gear) Open Settings', run: openSettings },
    item('output', 'Show Log', 'showLog'),
  ];
  if (!isSetUp) return [setUp, ...always];
  const first = token.kind === 'refused' ? [setUp] : [];
  return [...new Set([...first, ...withKey, ...always])];
}
