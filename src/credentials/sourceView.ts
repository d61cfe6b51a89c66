import type { QuickPickItem } from 'vscode';
import type { SettingName } from '../service/credentials.ts';
import { capitalized, settingNames, sourceName, sourceProblem } from './credentialMessages.ts';
import {
  chooseEditor,
  type EditorSelection,
  type ExternalSource,
  editorProject,
  externalSource,
  isUsable,
  type SourceId,
  type SourceSelection,
  type SourceSnapshot,
} from './sourceSelection.ts';

/** The three sources as people see them: rows of the menu with what can be done, and the tooltip. Pure. */

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

/** What can be done with a source that was picked. */
export function sourceMenu(source: SourceId, found: SourceSnapshot, choice: SourceSelection) {
  return {
    title: `Hosted Model: ${sourceName(source, found)}`,
    placeHolder: isInUse(source, choice) ? 'In use' : stateOf(source, found),
    items: actionsFor(source, found, choice),
  };
}

/** What is offered for a source, in this order: always at least one way on. */
export function actionsFor(
  source: SourceId,
  found: SourceSnapshot,
  choice: SourceSelection,
): ActionItem[] {
  const outside = externalSource(found, source);
  const issue = issueOf(outside, found);
  const answer = outside ? outside.answer : found.projectAnswer;
  const isReadFile = source === 'envFile' && outside?.text.kind === 'read';
  const items: (ActionItem | false)[] = [
    !issue && !isInUse(source, choice) && item('check', 'Use This Instead', 'prefer'),
    !issue && !!outside && item('lock', 'Import into Secret Storage', 'import'),
    answer === 'approved' &&
      item(
        'discard',
        outside ? 'Forget Approval' : "Forget Approval of the Folder's Project",
        'forget',
      ),
    answer === 'refused' && item('discard', 'Forget Refusal', 'forget'),
    issue === 'bad-address' && item('gear', 'Open Settings', 'openSettings'),
    issue === 'untrusted' && item('workspace-trusted', 'Manage Workspace Trust', 'manageTrust'),
    isReadFile && item('go-to-file', 'Open .env', 'open'),
    // What cannot be mended at its own place is not needed once the editor has it.
    (!outside || (issue === 'missing' && !isReadFile)) &&
      item('tools', 'Set Up Credentials', 'setUp'),
  ];
  return items.filter((one) => one !== false);
}

/** Why a source would not be in use, whatever the user chose. */
type Issue = 'missing' | 'bad-address' | 'untrusted';

/** @param outside undefined for the editor */
function issueOf(outside: ExternalSource | undefined, found: SourceSnapshot): Issue | undefined {
  if (!outside) {
    const { kind } = chooseEditor(found);
    return kind === 'missing' || kind === 'bad-address' ? kind : undefined;
  }
  const { text, values } = outside;
  if (text.kind === 'unread') return text.why === 'untrusted' ? 'untrusted' : 'missing';
  if (!values) return 'missing';
  // Its own address was checked when it was read: the identity address is left.
  return isUsable(outside) ? undefined : 'bad-address';
}

function item(icon: string, label: string, action: SourceAction): ActionItem {
  return { label: `$(${icon}) ${label}`, action };
}

function isInUse(source: SourceId, choice: SourceSelection): boolean {
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

/** What is in use, as lines for the tooltip. Keys are never shown, not in part. */
export function provenanceLines(
  found: SourceSnapshot,
  choice: SourceSelection,
): readonly string[] | undefined {
  if (choice.kind !== 'ready') return undefined;
  const { source, credentials } = choice;
  const { auth, service } = credentials.approved;
  return [
    line('API key', `sent to ${new URL(auth).host}`, 'apiKey'),
    line('Project', credentials.projectId, 'projectId'),
    line('Service', new URL(service).host, 'url'),
  ];

  function line(label: string, value: string, name: SettingName): string {
    const place = placeOf(name, source, found);
    const others = placesOf(name, found).filter((other) => other !== place);
    const also = others.length > 0 ? `; also in ${others.join(' and ')}, not used` : '';
    return `${label}: ${value} (${place}${also})`;
  }
}

const OF_USER = 'user settings';
/** A folder, a workspace file or a remote machine: VS Code does not tell them apart. */
const OF_FOLDER = 'settings of the folder or machine';
const OF_KEY = 'secret storage';

/** The place of one setting of the source that is in use. */
function placeOf(name: SettingName, source: SourceId, found: SourceSnapshot): string {
  if (source !== 'editor') return sourceName(source, found);
  if (name === 'apiKey') return OF_KEY;
  const isOfFolder = name === 'projectId' && found.projectAnswer === 'approved';
  return isOfFolder ? OF_FOLDER : OF_USER;
}

/** Every place of one setting. The editor may have two of a project: the user's and the folder's. */
function placesOf(name: SettingName, found: SourceSnapshot): string[] {
  const { record, settings, outside } = found;
  const ofEditor = {
    apiKey: [record && OF_KEY],
    projectId: [settings.projectId && OF_USER, settings.folderProjectId && OF_FOLDER],
    url: [settings.url && OF_USER],
  }[name];
  const ofOthers = outside.map((one) => isNamed(name, one) && sourceName(one.id, found));
  return [...ofEditor, ...ofOthers].filter((place): place is string => !!place);
}

function isNamed(name: SettingName, { text }: ExternalSource): boolean {
  return text.kind === 'read' && text.reading.named.some(({ setting }) => setting === name);
}

/** A project ID that is only told apart from others: `1a2b…`. */
function masked(text: string): string {
  return text.length > 8 ? `${text.slice(0, 4)}…` : '…';
}

/** The values of a source as they may be shown: the key not at all. */
function maskedValues(id: SourceId, found: SourceSnapshot): string {
  const source = externalSource(found, id);
  const hasKey = source ? isNamed('apiKey', source) : found.record !== undefined;
  const values = source
    ? source.values
    : { projectId: editorProject(found), url: found.settings.url };
  const { projectId = '', url = '' } = values ?? {};
  const host = URL.canParse(url) ? new URL(url).host : '';
  return [hasKey && 'key ••••••••', projectId && `project ${masked(projectId)}`, host]
    .filter(Boolean)
    .join(', ');
}
