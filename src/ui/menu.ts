import { commands, type QuickPickItem, window } from 'vscode';
import { renderStatus, type StatusFacts } from './statusView.ts';

interface MenuItem extends QuickPickItem {
  readonly command: string;
}

/** The state in words, and what can be done about it. */
export async function showMenu(facts: StatusFacts): Promise<void> {
  const { words } = renderStatus(facts, Date.now());
  const picked = await window.showQuickPick(items(facts), {
    title: `Hosted Model: ${words}`,
    placeHolder: 'Choose an action',
  });
  if (picked) await commands.executeCommand(picked.command);
}

/** What fits the state comes first. */
function items({ isSetUp, token }: StatusFacts): MenuItem[] {
  const item = (icon: string, label: string, name: string): MenuItem => ({
    label: `$(${icon}) ${label}`,
    command: `hostedModel.${name}`,
  });
  const setUp = item('tools', 'Set Up Credentials', 'setUp');
  const setKey = item('key', 'Set API Key', 'setApiKey');
  const withKey = [
    item('sparkle', 'Generate from selection', 'generateFromSelection'),
    item('refresh', 'Refresh Token', 'refreshToken'),
    setKey,
    setUp,
    item('sign-out', 'Sign Out', 'signOut'),
  ];
  const always = [
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
