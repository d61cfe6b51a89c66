import { commands, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import { ACTION_LABELS } from '../messages/actions.ts';
import { openSettings } from '../ui/openSettings.ts';
import { lacksSetUp, renderStatus, type StatusFacts } from './statusView.ts';

/** A menu row and the function to call if the user picks it. */
export interface MenuItem extends QuickPickItem {
  readonly run: () => unknown;
}

interface MenuSection {
  readonly label: string;
  readonly rows: readonly MenuItem[];
}

/** Determines which of the optional rows are listed. */
interface Available {
  /** Cancels all generations in progress; undefined if there are none. */
  readonly cancel: (() => unknown) | undefined;
  readonly hasResponse: boolean;
  readonly hasUsage: boolean;
  /** Prompts for approval; undefined if no source or address needs approval. */
  readonly approve: (() => unknown) | undefined;
}

/**
 * Shows a menu with the status, the commands, and other sections. Runs the action that the user
 * picks.
 * @param connection the reason that the connection is in use, and its model's display name;
 * undefined if there is no connection
 * @param sections the other sections, each with its heading
 */
export async function showMenu(
  facts: StatusFacts,
  connection: { readonly reason: string; readonly model: string } | undefined,
  available: Available,
  sections: readonly MenuSection[],
): Promise<void> {
  const { words } = renderStatus(facts, Date.now());
  const { first, last } = commandSections(facts, connection?.model, available);
  const rows = [...first, ...sections, ...last].flatMap(({ label, rows }) =>
    rows.length > 0 ? [{ label, kind: QuickPickItemKind.Separator }, ...rows] : [],
  );
  const picked = await window.showQuickPick<MenuItem | QuickPickItem>(rows, {
    title: `Hosted Model: ${words}`,
    placeHolder: 'Select an action',
    ...(connection && { prompt: connection.reason }),
  });
  if (picked && 'run' in picked) await picked.run();
}

/**
 * Returns the sections that contain commands. The `first` sections go before all other sections,
 * and the `last` ones after them.
 */
function commandSections(
  facts: StatusFacts,
  model: string | undefined,
  { cancel, hasResponse, hasUsage, approve }: Available,
) {
  const { isSetUp, refreshesTokens, token } = facts;
  const item = (icon: string, label: string, name: string, description = ''): MenuItem => ({
    label: `$(${icon}) ${label}`,
    description,
    run: () => commands.executeCommand(`hostedModel.${name}`),
  });
  const setUp = item('tools', 'Set Up...', 'setUp');
  const isRejected = token.kind === 'rejected';
  const isUrgent = isRejected || lacksSetUp(facts);
  const first: MenuSection[] = [
    {
      label: 'Setup',
      rows: [
        ...(approve ? [{ label: `$(pass) ${ACTION_LABELS.approve}`, run: approve }] : []),
        ...(isUrgent ? [setUp] : []),
      ],
    },
    {
      label: 'Generate',
      rows: [
        ...(cancel
          ? [{ label: '$(stop-circle) Cancel', description: 'In all documents', run: cancel }]
          : []),
        ...(isSetUp
          ? [
              item('sparkle', 'Generate from selection', 'generateFromSelection'),
              item('symbol-snippet', 'Generate with Template...', 'generateWithTemplate'),
            ]
          : []),
        ...(hasResponse ? [item('go-to-file', 'Show Last Response', 'showLastResponse')] : []),
      ],
    },
    {
      label: 'Model',
      rows: [
        item('list-selection', 'Select Model...', 'selectModel', model),
        ...(isSetUp ? [item('comment-discussion', 'Use in Chat', 'useInChat')] : []),
        ...(hasUsage ? [item('graph', 'Show Usage', 'showUsage')] : []),
      ],
    },
    {
      label: 'Connection',
      rows: [
        item('pulse', 'Diagnose Connection', 'diagnose'),
        ...(refreshesTokens ? [item('refresh', 'Refresh Token', 'refreshToken')] : []),
        ...(isUrgent ? [] : [setUp]),
      ],
    },
  ];
  const last: MenuSection[] = [
    {
      label: 'Hosted Model',
      rows: [
        { label: '$(gear) Open Settings', run: openSettings },
        item('output', 'Show Log', 'showLog'),
        ...(isSetUp ? [item('sign-out', 'Sign Out', 'signOut')] : []),
      ],
    },
  ];
  return { first, last };
}
