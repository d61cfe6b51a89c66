import type { QuickPickItem } from 'vscode';
import type { CredentialSource } from '../config/settings.ts';
import {
  capitalized,
  listOf,
  needsSetting,
  resourceName,
  settingLabel,
  settingNames,
} from '../messages/settingLabels.ts';
import type { SourceId } from '../service/credentials.ts';
import { Secret } from '../service/secret.ts';
import type { SettingName } from '../service/service.ts';
import { isUnencrypted } from '../service/serviceUrl.ts';
import { addressName, BAD_SOURCE, projectPlace } from './connectionMessages.ts';
import {
  SOURCE_ACTIONS,
  sourceFaultText,
  sourceName,
  sourceProblem,
  WHY_NOT_USED,
} from './sourceMessages.ts';
import {
  type Choice,
  editorSourceProject,
  externalSource,
  faultySource,
  selectEditorSource,
} from './sourceSelection.ts';
import { type ExternalSource, isUsable, type SourceSnapshot } from './sourceTypes.ts';

/** Builds the menus and the tooltip lines that describe the three sources. Pure. */

export type SourceAction = keyof typeof SOURCE_ACTIONS;

export interface SourceRow extends QuickPickItem {
  readonly source: SourceId;
}

export interface SourceChoice extends QuickPickItem {
  readonly value: CredentialSource;
  /**
   * The reason why this source can't be chosen. Never set for the editor, because choosing the
   * editor prompts for missing values.
   */
  readonly problem?: string | undefined;
}

export interface ActionItem extends QuickPickItem {
  readonly action: SourceAction;
}

/**
 * Returns a row for the editor and a row for each external source that has a setting or a problem.
 */
export function sourceRows(found: SourceSnapshot, choice: Choice): SourceRow[] {
  const external = found.external.filter(isWorthShowing);
  return (['editor', ...external.map(({ id }) => id)] as const).map((source) => {
    const inUse = isInUse(source, choice);
    const name = capitalized(sourceName(source, found));
    return {
      source,
      label: `$(${inUse ? 'pass-filled' : 'circle-large-outline'}) ${name}`,
      description: inUse ? 'in use' : '',
      // Shown below the name, because the section heading covers the end of the name's line.
      detail: detailOf(source, found, choice),
    };
  });
}

/**
 * Returns an item for each value of `hostedModel.credentialSource`. Each source's item includes the
 * source's state.
 */
export function sourceChoices(found: SourceSnapshot, choice: Choice): SourceChoice[] {
  const all: readonly SourceId[] = ['editor', ...found.external.map(({ id }) => id)];
  const { credentialSource } = found.settings;
  const marks = (value: CredentialSource, inUse: boolean) =>
    [inUse && 'in use', value === credentialSource && 'current setting'].filter(Boolean).join(', ');
  const automatic: SourceChoice = {
    value: 'auto',
    label: 'Automatic',
    description: marks('auto', false),
    detail: all.map((source) => sourceName(source, found)).join(', then '),
  };
  const sources = all.map((source): SourceChoice => {
    const external = externalSource(found, source);
    const issue = external && sourceIssue(external, found);
    const name = capitalized(sourceName(source, found));
    return {
      value: source,
      label: name,
      description: marks(source, isInUse(source, choice)),
      detail: detailOf(source, found, choice),
      problem: issue ? `${name} can’t be used (${sourceState(source, found)}).` : undefined,
    };
  });
  return [automatic, ...sources];
}

function detailOf(source: SourceId, found: SourceSnapshot, choice: Choice): string {
  const state = isInUse(source, choice) ? '' : sourceState(source, found);
  return [state, maskedValues(source, found)].filter(Boolean).join(' · ');
}

export function sourceMenu(source: SourceId, found: SourceSnapshot, choice: Choice) {
  return {
    title: `Hosted Model: ${sourceName(source, found)}`,
    placeHolder: isInUse(source, choice) ? 'In use' : capitalized(sourceState(source, found)),
    items: actionsFor(source, found),
  };
}

/**
 * Returns the actions for a source, in the order of the menu. Every source has at least one action.
 */
export function actionsFor(source: SourceId, found: SourceSnapshot): ActionItem[] {
  const external = externalSource(found, source);
  const issue = sourceIssue(external, found);
  const isReadFile = source === 'envFile' && external?.text.kind === 'read';
  const actions: (SourceAction | false)[] = [
    !issue && !!external?.values && 'import',
    external?.decision === 'approved' && 'forgetApproval',
    external?.decision === 'declined' && 'forgetDecision',
    (issue === 'bad-address' || issue === 'bad-project') && 'openSettings',
    issue === 'untrusted' && 'manageTrust',
    isReadFile && 'open',
    // Offer setup if the editor is the source, or if the missing values can't be added to a `.env`
    // file.
    (!external || (issue === 'missing' && !isReadFile)) && 'setUp',
  ];
  return actions
    .filter((action) => action !== false)
    .map((action) => ({ label: SOURCE_ACTIONS[action], action }));
}

/** The reason why a source can't be used, even if the settings name it. */
type SourceIssue = 'missing' | 'bad-address' | 'bad-project' | 'untrusted';

/** @param external undefined for the editor */
function sourceIssue(
  external: ExternalSource | undefined,
  found: SourceSnapshot,
): SourceIssue | undefined {
  if (!external) {
    const { kind } = selectEditorSource(found);
    return kind === 'missing' || kind === 'bad-address' || kind === 'bad-project'
      ? kind
      : undefined;
  }
  const { text, values } = external;
  if (text.kind === 'unread') return text.why === 'untrusted' ? 'untrusted' : 'missing';
  if (!values) return 'missing';
  // The service address was validated when the source was read, so only the identity address can be
  // invalid.
  return isUsable(external) ? undefined : 'bad-address';
}

function isInUse(source: SourceId, choice: Choice): boolean {
  return choice.kind === 'ready' && choice.connection.source === source;
}

export function sourceState(source: SourceId, found: SourceSnapshot): string {
  const external = externalSource(found, source);
  if (external) {
    if (sourceIssue(external, found) === 'bad-address') {
      return `the ${addressName('authUrl')} in the settings is invalid`;
    }
    const fallback =
      external.decision === 'approved' ? 'approved, but not used' : 'complete, but not approved';
    return sourceProblem(external) ?? fallback;
  }
  const editor = selectEditorSource(found);
  if (editor.kind === 'missing') {
    // Empty if only a header's secret is missing, or if the service needs no key and hasn't been
    // set up.
    const names = settingNames(editor.names, found.settings);
    return names ? `lacks ${names}` : 'not set up';
  }
  return editor.kind === 'ready'
    ? 'complete, but not used'
    : `not used, because ${WHY_NOT_USED[editor.kind]}`;
}

/**
 * True if the source contains a setting or has a problem. A missing or empty source needs no row.
 */
function isWorthShowing({ text }: ExternalSource): boolean {
  if (text.kind === 'read') {
    const { named, issues } = text.reading;
    return named.length > 0 || issues.length > 0 || text.namesOtherService === true;
  }
  return !['no-folder', 'no-file', 'virtual'].includes(text.why);
}

/** Returns a sentence that explains which source is used and why. */
export function reasonText(source: SourceId, found: SourceSnapshot): string {
  const from = `Credentials come from ${sourceName(source, found)}`;
  const { credentialSource } = found.settings;
  if (source === credentialSource)
    return `${from}, because hostedModel.credentialSource is “${source}”.`;
  const named = externalSource(found, credentialSource);
  if (named)
    return `${from}, because ${sourceName(named.id, found)} can’t be used (${sourceProblem(named)}).`;
  if (source === 'editor') {
    const others = sourcesBehindEditor(found);
    return others ? `${from}, which take precedence over ${others}.` : `${from}.`;
  }
  const causes = [editorCause(found), source === 'environment' && envFileCause(found)];
  const why = listOf(causes.filter((cause) => typeof cause === 'string'));
  return why ? `${from}, because ${why}.` : `${from}.`;
}

/**
 * Lists the usable external sources that the editor takes precedence over. Empty if there are none.
 */
function sourcesBehindEditor(found: SourceSnapshot): string {
  const { kind } = selectEditorSource(found);
  if (kind === 'missing' || kind === 'bad-address') return '';
  const others = found.external.filter((one) => isUsable(one) && one.decision !== 'declined');
  return listOf(others.map(({ id }) => sourceName(id, found)));
}

/**
 * Returns a clause that explains why the editor source isn't used. Undefined if all values are set
 * and the addresses in the settings are valid.
 */
function editorCause(found: SourceSnapshot): string | undefined {
  const editor = selectEditorSource(found);
  if (editor.kind === 'bad-address') {
    return `the ${addressName(editor.setting)} in the settings can’t be used`;
  }
  if (editor.kind !== 'missing') return undefined;
  const [name] = editor.names;
  return name
    ? `secret storage and user settings have no usable ${settingLabel(name, found.settings)}`
    : 'the service’s setup is incomplete';
}

/**
 * Returns a clause that explains why the environment is used instead of the `.env` file. Undefined
 * if there's no folder that can contain a `.env` file.
 */
function envFileCause(found: SourceSnapshot): string | undefined {
  const file = externalSource(found, 'envFile');
  if (!file) return undefined;
  const { text, decision } = file;
  const name = sourceName('envFile', found);
  if (text.kind === 'unread') {
    if (text.why === 'no-file') return 'there is no .env file';
    const isReadable = text.why !== 'no-folder' && text.why !== 'virtual';
    return isReadable ? `${name} can’t be used` : undefined;
  }
  if (text.reading.named.length === 0) return `${name} has no settings for this service`;
  if (!isUsable(file)) return `${name} can’t be used`;
  return decision === 'declined'
    ? `you declined or imported ${name}`
    : `you haven’t approved ${name}`;
}

/**
 * Returns the values in use, as tooltip lines. The source itself is named in `Connection.reason`.
 * No part of a key is shown. If an external source needs approval, or if no source is usable
 * because of the `.env` file or `hostedModel.credentialSource`, returns a line about that problem
 * instead. In all other cases without a connection, returns undefined.
 */
export function provenanceLines(
  found: SourceSnapshot,
  choice: Choice,
): readonly string[] | undefined {
  if (choice.kind !== 'ready') {
    if (choice.kind === 'ask-source') {
      const { id } = choice.source;
      return [`${capitalized(sourceName(id, found))} is ${sourceState(id, found)}.`];
    }
    if (choice.kind === 'bad-source') return [BAD_SOURCE];
    const faulty = choice.kind === 'missing' ? faultySource(found) : undefined;
    return faulty?.id === 'envFile' ? [sourceFaultText(faulty, found)] : undefined;
  }
  const { connection } = choice;
  const { source, projectId, account } = connection;
  const { auth, service } = connection.approved;
  const values: readonly (readonly [SettingName, label: string, value: string | undefined])[] = [
    ['apiKey', settingLabel('apiKey', connection), `sent to ${new URL(auth).host}`],
    ['account', settingLabel('account', connection), account],
    ['projectId', resourceName(connection), projectId],
    ['url', 'service', new URL(service).host],
  ];
  const warning = isUnencrypted(connection.serviceUrl)
    ? ['Not encrypted: anyone on the network can read what you send.']
    : [];
  const lines = values.flatMap(([name, label, value]) => {
    if (!value || (name === 'apiKey' && !needsSetting('apiKey', connection))) return [];
    const place = source === 'editor' ? ` (from ${editorPlace(name, found)})` : '';
    return `${capitalized(label)}: ${value}${place}`;
  });
  return [...warning, ...lines];
}

function editorPlace(name: SettingName, found: SourceSnapshot): string {
  if (name === 'apiKey' || name === 'account') return 'secret storage';
  return name === 'projectId' ? projectPlace(found.settings) : 'user settings';
}

/**
 * Shortens a project ID, as in `1a2b…`. Four characters are enough to recognize the project. IDs of
 * at most 8 characters aren't shown at all.
 */
function maskedId(text: string): string {
  return text.length > 8 ? `${text.slice(0, 4)}…` : '…';
}

function namesKey({ text }: ExternalSource): boolean {
  return text.kind === 'read' && text.reading.named.includes('apiKey');
}

/** Returns a source's values for display, with the key masked and the project ID shortened. */
function maskedValues(id: SourceId, found: SourceSnapshot): string {
  const source = externalSource(found, id);
  const hasKey = source ? namesKey(source) : found.record !== undefined;
  const values = source
    ? source.values && Secret.open(source.values)
    : { ...editorSourceProject(found.settings), url: found.settings.url };
  const { projectId = '', url = '', resource } = values ?? {};
  const host = URL.canParse(url) ? new URL(url).host : '';
  return [
    hasKey && 'key ••••••••',
    projectId && `${resourceName({ resource })} ${maskedId(projectId)}`,
    host,
  ]
    .filter(Boolean)
    .join(', ');
}
