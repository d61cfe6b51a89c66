import type { QuickPickItem } from 'vscode';
import { maskedValues } from './provenance.ts';
import { settingNames } from './settingMessages.ts';
import { capitalized, sourceName, sourceProblem } from './sourceMessages.ts';
import {
  chooseEditor,
  type EditorSelection,
  type ExternalSource,
  externalSource,
  type SourceId,
  type SourceSelection,
  type SourceSnapshot,
  usable,
  valuesOf,
} from './sourceSelection.ts';

/** The three sources as rows of the menu, and what can be done with each. Pure. */

export type SourceAction =
  | 'prefer'
  | 'import'
  | 'forget'
  | 'open'
  | 'openSettings'
  | 'manageTrust'
  | 'setUp';

export interface SourceRow extends QuickPickItem {
  readonly source: SourceId;
}

export interface ActionItem extends QuickPickItem {
  readonly action: SourceAction;
}

/** One row for each source that says anything about the settings, with what becomes of it. */
export function sourceRows(found: SourceSnapshot, choice: SourceSelection): SourceRow[] {
  const outside = found.outside.filter(isWorthShowing);
  return (['editor', ...outside.map(({ id }) => id)] as const).map((source) => {
    const inUse = isInUse(source, choice);
    const name = capitalized(sourceName(source, found));
    return {
      source,
      label: `$(${inUse ? 'pass-filled' : 'circle-large-outline'}) ${name}`,
      description: inUse ? 'in use' : '',
      // On a line of its own, where the heading of the list does not cut it.
      detail: [inUse ? '' : stateOf(source, found), maskedValues(source, found)]
        .filter(Boolean)
        .join(' · '),
    };
  });
}

/** What is offered for a source, in this order: always at least one way on. */
export function actionsFor(
  source: SourceId,
  found: SourceSnapshot,
  choice: SourceSelection,
): ActionItem[] {
  const outside = externalSource(found, source);
  const obstacle = outside ? outsideObstacle(found, outside) : editorObstacle(found);
  const answer = outside ? outside.answer : found.projectAnswer;
  const isReadFile = source === 'envFile' && outside?.text.kind === 'read';
  const items: (ActionItem | false)[] = [
    !obstacle && !isInUse(source, choice) && item('check', 'Use This Instead', 'prefer'),
    !obstacle && !!outside && item('lock', 'Import into Secret Storage', 'import'),
    answer === 'approved' &&
      item(
        'discard',
        outside ? 'Forget Approval' : "Forget Approval of the Folder's Project",
        'forget',
      ),
    answer === 'refused' && item('discard', 'Forget Refusal', 'forget'),
    obstacle === 'bad-address' && item('gear', 'Open Settings', 'openSettings'),
    obstacle === 'untrusted' && item('workspace-trusted', 'Manage Workspace Trust', 'manageTrust'),
    isReadFile && item('go-to-file', 'Open .env', 'open'),
    // What cannot be mended at its own place is not needed once the editor has it.
    (!outside || (obstacle === 'missing' && !isReadFile)) &&
      item('tools', 'Set Up Credentials', 'setUp'),
  ];
  return items.filter((one) => one !== false);
}

/** Why a source would not be in use, whatever the user chose. */
type Obstacle = 'missing' | 'bad-address' | 'untrusted';

function editorObstacle(found: SourceSnapshot): Obstacle | undefined {
  const { kind } = chooseEditor(found);
  return kind === 'missing' || kind === 'bad-address' ? kind : undefined;
}

function outsideObstacle(found: SourceSnapshot, source: ExternalSource): Obstacle | undefined {
  const { text } = source;
  if (text.kind === 'unread') return text.why === 'untrusted' ? 'untrusted' : 'missing';
  if (!valuesOf(text)) return 'missing';
  // Its own address was checked when it was read: the identity address is left.
  return usable(found, source) ? undefined : 'bad-address';
}

function item(icon: string, label: string, action: SourceAction): ActionItem {
  return { label: `$(${icon}) ${label}`, action };
}

export function isInUse(source: SourceId, choice: SourceSelection): boolean {
  return choice.kind === 'ready' && choice.source === source;
}

/** Why a source is not in use. */
export function stateOf(source: SourceId, found: SourceSnapshot): string {
  const outside = externalSource(found, source);
  if (outside) {
    const fallback =
      outside.answer === 'approved' ? 'approved, not used' : 'complete, not approved';
    return sourceProblem(outside) ?? fallback;
  }
  const editor = chooseEditor(found);
  return editor.kind === 'missing'
    ? `lacks ${settingNames(editor.names)}`
    : EDITOR_STATES[editor.kind];
}

const EDITOR_STATES: Readonly<Record<Exclude<EditorSelection['kind'], 'missing'>, string>> = {
  ready: 'complete, not used',
  'bad-address': 'not used, since an address in it cannot be used',
  unapproved: 'not used, since its hosts are not approved for the key',
  'ask-project': "not used, since the folder's project is not approved",
};

/** What is said once the user has chosen a source. */
export function chosenText(source: SourceId, found: SourceSnapshot): string {
  const verb = source === 'editor' ? 'are' : 'is';
  return `${sourceName(source, found)} ${verb} used for this folder from now on.`;
}

/** A source that has none of the settings is nothing to choose from. */
function isWorthShowing({ text }: ExternalSource): boolean {
  if (text.kind === 'read') {
    return text.reading.named.length > 0 || text.reading.issues.length > 0;
  }
  return !['no-folder', 'no-file', 'virtual'].includes(text.why);
}
