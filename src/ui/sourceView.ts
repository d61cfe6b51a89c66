import type { QuickPickItem } from 'vscode';
import {
  type Choice,
  chooseEditor,
  type EditorChoice,
  editorProject,
  type Found,
  type OutsideSource,
  type SourceId,
  valuesOf,
} from '../credentials/choose.ts';
import { missingSettings, type SettingName } from '../service/credentials.ts';
import { maskedValues } from './provenance.ts';
import { settingNames } from './settingMessages.ts';
import { capitalized, sourceName, sourceProblem } from './sourceMessages.ts';

/** The three sources as rows of the menu, and what can be done with each. Pure. */

export type SourceAction = 'prefer' | 'import' | 'forget' | 'open' | 'setUp';

export interface SourceRow extends QuickPickItem {
  readonly source: SourceId;
}

export interface ActionItem extends QuickPickItem {
  readonly action: SourceAction;
}

/** One row for each source that says anything about the settings, with what becomes of it. */
export function sourceRows(found: Found, choice: Choice): SourceRow[] {
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

/** What is offered for a source, in this order. */
export function actionsFor(source: SourceId, found: Found, choice: Choice): ActionItem[] {
  const outside = found.outside.find(({ id }) => id === source);
  const isComplete = outside ? valuesOf(outside.text) : missingInEditor(found).length === 0;
  const answer = outside ? outside.answer : found.projectAnswer;
  const items: (ActionItem | false)[] = [
    !!isComplete && !isInUse(source, choice) && item('check', 'Use This Instead', 'prefer'),
    !!outside && !!isComplete && item('lock', 'Import into Secret Storage', 'import'),
    answer === 'approved' &&
      item(
        'discard',
        outside ? 'Forget Approval' : "Forget Approval of the Folder's Project",
        'forget',
      ),
    answer === 'refused' && item('discard', 'Forget Refusal', 'forget'),
    source === 'envFile' &&
      outside?.text.kind === 'read' &&
      item('go-to-file', 'Open .env', 'open'),
    source === 'editor' && item('tools', 'Set Up Credentials', 'setUp'),
  ];
  return items.filter((one) => one !== false);
}

function item(icon: string, label: string, action: SourceAction): ActionItem {
  return { label: `$(${icon}) ${label}`, action };
}

export function isInUse(source: SourceId, choice: Choice): boolean {
  return choice.kind === 'ready' && choice.source === source;
}

/** Why a source is not in use. */
export function stateOf(source: SourceId, found: Found): string {
  const outside = found.outside.find(({ id }) => id === source);
  if (outside) {
    const fallback =
      outside.answer === 'approved' ? 'approved, not used' : 'complete, not approved';
    return sourceProblem(outside) ?? fallback;
  }
  const missing = missingInEditor(found);
  if (missing.length > 0) return `lacks ${settingNames(missing)}`;
  return EDITOR_STATES[chooseEditor(found).kind];
}

const EDITOR_STATES: Readonly<Record<EditorChoice['kind'], string>> = {
  ready: 'complete, not used',
  missing: 'incomplete',
  'bad-address': 'not used, since an address in it cannot be used',
  unapproved: 'not used, since its hosts are not approved for the key',
  'ask-project': "not used, since the folder's project is not approved",
};

function missingInEditor(found: Found): readonly SettingName[] {
  const { record, settings } = found;
  const projectId = editorProject(found);
  return missingSettings({ apiKey: record?.apiKey ?? '', projectId, url: settings.url });
}

/** A source that has none of the settings is nothing to choose from. */
function isWorthShowing({ text }: OutsideSource): boolean {
  if (text.kind === 'read') {
    return text.reading.named.length > 0 || text.reading.findings.length > 0;
  }
  return !['no-folder', 'no-file', 'virtual'].includes(text.why);
}
