import type { WorkspaceFolder } from 'vscode';
import type {
  CredentialSource,
  ServiceProblem,
  Settings,
  SourceSettings,
} from '../config/settings.ts';
import type { SourceReading, SourceValues } from '../dotenv/envFile.ts';
import { isWellFormed } from '../dotenv/settingValue.ts';
import type { Connection } from '../service/connection.ts';
import type { SourceId } from '../service/credentials.ts';
import {
  type Credentials,
  cleanValue,
  missingSettings,
  type ServiceKey,
} from '../service/credentials.ts';
import { neededSettings, type Service, type SettingName } from '../service/services.ts';
import type { ApprovalAnswer, Subject } from './approvals.ts';
import {
  type AddressProblem,
  bindingOf,
  type ChangedBinding,
  credentialsFor,
  type Destination,
  destination,
} from './binding.ts';
import type { KeyRecord } from './keyStore.ts';

/** Which of the three sources is used: a pure rule over what was found in each. */

export type ExternalSourceId = Exclude<SourceId, 'editor'>;

/** What was found, before anybody is asked whether it may be used. */
export type ExternalText =
  | { readonly kind: 'unread'; readonly why: UnreadReason }
  | {
      readonly kind: 'read';
      readonly reading: SourceReading;
      /** True if the source names other services but not the one in the settings. */
      readonly isOfOther?: boolean;
    };

export type UnreadReason =
  | 'no-folder'
  | 'untrusted'
  | 'virtual'
  | 'no-file'
  | 'symbolic-link'
  | 'not-a-file'
  | 'too-large'
  | 'not-text'
  | 'unreadable';

/** Everything that was found, read once; nothing in it has been asked about yet. */
export interface SourceSnapshot {
  readonly settings: Settings;
  readonly record: KeyRecord | undefined;
  /** Every key that is stored or in a source, used or not. No prompt may contain one. */
  readonly keys: readonly ServiceKey[];
  readonly folder: Folder;
  /** In the order in which they are used. */
  readonly outside: readonly ExternalSource[];
}

export interface Folder {
  /** Empty in a window without a folder. */
  readonly uri: string;
  /** For people, in ASCII. */
  readonly path: string;
  readonly name: string;
  /** Null where no folder answers for what is found. */
  readonly workspaceFolder: WorkspaceFolder | null;
}

export interface ExternalSource {
  readonly id: ExternalSourceId;
  readonly text: ExternalText;
  /** Only if they are complete and free of errors. */
  readonly values?: SourceValues | undefined;
  /** The service that they are for. */
  readonly service?: Service;
  /** Where the values lead. The identity address is the user's own, whichever source they are from. */
  readonly destination?: Destination | AddressProblem | undefined;
  /** What an answer about exactly these values is kept under. */
  readonly subject?: Subject;
  /** What was answered about them; undefined if nothing. */
  readonly answer?: ApprovalAnswer | undefined;
}

export interface UsableSource extends ExternalSource {
  readonly service: Service;
  readonly values: SourceValues;
  readonly destination: Destination;
  readonly subject: Subject;
}

interface ReadySelection {
  readonly kind: 'ready';
  readonly source: SourceId;
  readonly credentials: Credentials;
}

/** What keeps the editor's own credentials from being used. */
type EditorObstacle =
  | { readonly kind: 'missing'; readonly names: readonly SettingName[] }
  /** The service that the settings name is not known, or its entry has a mistake. */
  | { readonly kind: 'bad-service'; readonly problem: ServiceProblem }
  /** An address that no key may be sent to, whoever set it. */
  | ({ readonly kind: 'bad-address' } & AddressProblem)
  /** A malformed project, space, or deployment ID in the user, workspace, or folder settings. */
  | { readonly kind: 'bad-project' }
  /** The settings lead to a host that was not shown when the key was saved. */
  | ({ readonly kind: 'unapproved' } & ChangedBinding);

/** What the editor alone can come to. */
export type EditorSourceSelection = ReadySelection | EditorObstacle;

/** What keeps a command from a connection. */
export type SourceObstacle =
  | EditorObstacle
  /** Nothing else can be used, and nobody has been asked about this. */
  | { readonly kind: 'ask-source'; readonly source: UsableSource }
  /** `hostedModel.credentialSource` names this source, and it cannot be used. */
  | { readonly kind: 'chosen-unusable'; readonly source: ExternalSource };

export type SourceSelection = ReadySelection | SourceObstacle;

/** A connection, or what stands in the way. */
export type Choice = { readonly kind: 'ready'; readonly connection: Connection } | SourceObstacle;

export interface Lookup {
  readonly found: SourceSnapshot;
  readonly choice: Choice;
}

/**
 * Selects the source in `hostedModel.credentialSource`, or the first of these: the editor, an
 * approved `.env`, an approved environment. Values of two sources are never mixed. If no source can
 * be used, or if the `.env` names a setting but can't be used, the result is the problem of the
 * editor.
 */
export function choose(found: SourceSnapshot): SourceSelection {
  return withOtherKeys(chooseSource(found), found.keys);
}

/**
 * The same where there is no folder to speak for: the editor, unless the settings name another
 * source.
 * @param keys of sources that were not looked at as such, and may not be sent either
 */
export function chooseWithoutFolder(
  found: SourceSnapshot,
  keys: readonly ServiceKey[],
): SourceSelection {
  const selection = namedSource(found) ? chooseSource(found) : selectEditorSource(found);
  return withOtherKeys(selection, [...found.keys, ...keys]);
}

function withOtherKeys(choice: SourceSelection, keys: readonly ServiceKey[]): SourceSelection {
  if (choice.kind !== 'ready') return choice;
  const { credentials } = choice;
  const others = new Map(keys.map((key) => [identityOf(key), key]));
  others.delete(identityOf(credentials));
  return { ...choice, credentials: { ...credentials, otherKeys: [...others.values()] } };
}

/** Equal for two keys that are sent alike. */
function identityOf({ service, account = '', apiKey }: ServiceKey): string {
  return JSON.stringify([service.word, service.definition, account, apiKey]);
}

function chooseSource(found: SourceSnapshot): SourceSelection {
  const editor = selectEditorSource(found);
  // The service in the settings applies to every source.
  if (editor.kind === 'bad-service') return editor;
  const named = namedSource(found);
  if (named) {
    // Another account must not take its place without a word: a repository can change the file.
    const unusable = { kind: 'chosen-unusable', source: named } as const;
    return externalSelection(named) ?? identityProblem([named]) ?? unusable;
  }
  if (editor.kind !== 'missing' && editor.kind !== 'bad-address') return editor;
  const others = othersInOrder(found);
  // A typo in the file must not cause the environment's account to be billed.
  if (others.some(isFaultyFile)) return editor;
  for (const answer of ['approved', undefined] as const) {
    for (const source of others.filter((one) => one.answer === answer)) {
      const selection = externalSelection(source);
      if (selection) return selection;
    }
  }
  return identityProblem(others) ?? editor;
}

/**
 * The `.env` file or environment that `hostedModel.credentialSource` names. Undefined if the order
 * applies, also because the user declined the source, or the folder isn't trusted.
 */
function namedSource(found: SourceSnapshot): ExternalSource | undefined {
  const named = externalSource(found, found.settings.credentialSource);
  return named && named.answer !== 'refused' && !isUntrusted(named) ? named : undefined;
}

/** The sources that are tried after the editor. */
export function othersInOrder({ settings, outside }: SourceSnapshot): readonly ExternalSource[] {
  return settings.credentialSource === 'editor' ? [] : outside;
}

/** True for a `.env` file that names a setting, but has no complete set without errors. */
function isFaultyFile({ id, text, values }: ExternalSource): boolean {
  if (id !== 'envFile' || text.kind !== 'read' || values) return false;
  return text.reading.named.length > 0;
}

/** A usable source, if it is approved, or the question about it; undefined if it cannot be used. */
function externalSelection(source: ExternalSource): SourceSelection | undefined {
  if (!isUsable(source)) return undefined;
  if (source.answer !== 'approved') return { kind: 'ask-source', source };
  const credentials = credentialsFor(source.service, source.values, source.destination);
  return { kind: 'ready', source: source.id, credentials };
}

/** What is wrong with the identity address, where it alone keeps a source from being used. */
function identityProblem(sources: readonly ExternalSource[]): SourceSelection | undefined {
  const target = sources.find(({ values }) => values)?.destination;
  return target && 'setting' in target ? { kind: 'bad-address', ...target } : undefined;
}

/** Restricted Mode reads no source; there the user's own key serves. */
function isUntrusted({ text }: ExternalSource): boolean {
  return text.kind === 'unread' && text.why === 'untrusted';
}

/** The service of the source that is used, or would be after an approval; else that of the editor. */
export function serviceInUse({ found, choice }: Lookup): Service {
  if (choice.kind === 'ready') return choice.connection.service;
  return choice.kind === 'ask-source' ? choice.source.service : found.settings.service;
}

/** Whether the choice waits for an answer of the user. */
export function isQuestion({ kind }: Pick<Choice, 'kind'>): boolean {
  return kind === 'unapproved' || kind.startsWith('ask-');
}

/** What was found in a source outside the editor; undefined for the editor itself and `auto`. */
export function externalSource(
  { outside }: SourceSnapshot,
  source: CredentialSource,
): ExternalSource | undefined {
  return outside.find(({ id }) => id === source);
}

export function isUsable(source: ExternalSource): source is UsableSource {
  return source.destination !== undefined && 'authHost' in source.destination;
}

/** The project, space, or deployment ID of the editor. Empty if the service needs none. */
export function editorSourceProject({ service, projectId, resource }: SourceSettings) {
  return neededSettings(service).includes('projectId')
    ? { projectId, resource }
    : { projectId: '', resource: undefined };
}

/**
 * What the editor alone comes to: the stored key with the settings. Says exactly what stands in the
 * way if they cannot be used.
 */
export function selectEditorSource({
  settings,
  record,
}: Pick<SourceSnapshot, 'settings' | 'record'>): EditorSourceSelection {
  const { service, serviceProblem, url, authUrl } = settings;
  if (serviceProblem) return { kind: 'bad-service', problem: serviceProblem };
  const project = editorSourceProject(settings);
  const projectId = cleanValue(project.projectId).value;
  const { account, apiKey } = record ?? {};
  const names = missingSettings(service, { account, apiKey, projectId, url });
  if (names.length > 0 || !record) return { kind: 'missing', names };
  const wanted = destination(authUrl, url);
  if ('setting' in wanted) return { kind: 'bad-address', ...wanted };
  if (projectId !== '' && !isWellFormed('projectId', projectId)) return { kind: 'bad-project' };
  const binding = bindingOf(record, service, wanted);
  if (binding === 'tampered') return { kind: 'missing', names: ['apiKey'] };
  if (binding !== 'same') return { kind: 'unapproved', ...binding };
  const { resource } = project;
  const credentials = credentialsFor(service, { ...record, projectId, resource }, wanted);
  return { kind: 'ready', source: 'editor', credentials };
}
