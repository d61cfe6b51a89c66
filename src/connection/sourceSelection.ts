import type { ServiceProblem, Settings, SourceSettings } from '../config/settings.ts';
import { isWellFormed } from '../dotenv/settingValue.ts';
import type { Connection } from '../service/connection.ts';
import {
  type Credentials,
  missingSettings,
  type ServiceKey,
  type SourceId,
} from '../service/credentials.ts';
import { cleanValue } from '../service/pastedValue.ts';
import { Secret } from '../service/secret.ts';
import {
  headerSecretsOf,
  neededSettings,
  type Service,
  type SettingName,
} from '../service/service.ts';
import {
  type AddressProblem,
  compareWithApproved,
  credentialsFor,
  type DestinationChange,
  parseDestination,
} from './approvedDestination.ts';
import {
  type EditorSource,
  type ExternalSource,
  isUsable,
  type SourceSnapshot,
  type UnreadReason,
  type UsableSource,
} from './sourceTypes.ts';

/**
 * Selects the credential source based on the settings, the contents of the sources, and the user's
 * approvals. Pure.
 */

interface ReadySelection {
  readonly kind: 'ready';
  readonly source: SourceId;
  readonly credentials: Credentials;
}

/** The reason why the editor's credentials can't be used. */
type EditorObstacle =
  | { readonly kind: 'missing'; readonly names: readonly SettingName[] }
  /** The service in the settings is unknown, or its entry is invalid. */
  | { readonly kind: 'bad-service'; readonly problem: ServiceProblem }
  /** An address in the settings is invalid, so nothing may be sent to it. */
  | ({ readonly kind: 'bad-address' } & AddressProblem)
  /** The project, space, or deployment ID in the settings is malformed. */
  | { readonly kind: 'bad-project' }
  /** The service's entry, program, or addresses differ from what the user approved. */
  | ({ readonly kind: 'unapproved' } & DestinationChange);

export type EditorSourceSelection = ReadySelection | EditorObstacle;

/** The reason why a command has no connection. */
export type SourceObstacle =
  | EditorObstacle
  /** The selected source can be used, but the user hasn't approved it. */
  | { readonly kind: 'ask-source'; readonly source: UsableSource }
  /** The value of `hostedModel.credentialSource` is invalid. */
  | { readonly kind: 'bad-source' }
  /** `hostedModel.credentialSource` names this source, which can't be used. */
  | { readonly kind: 'source-unusable'; readonly source: ExternalSource };

export type SourceSelection = ReadySelection | SourceObstacle;

export type Choice = { readonly kind: 'ready'; readonly connection: Connection } | SourceObstacle;

export interface Lookup {
  readonly found: SourceSnapshot;
  readonly choice: Choice;
}

/**
 * Selects the source that `hostedModel.credentialSource` names. With `auto`, the order is the
 * editor, an approved `.env` file, an approved environment, and then sources that the user hasn't
 * decided about. Values from different sources are never mixed. If no source can be used, returns
 * the obstacle. With `auto`, the environment is never used in place of a faulty `.env` file.
 */
export function choose(found: SourceSnapshot): SourceSelection {
  return withOtherKeys(chooseSource(found), found);
}

/**
 * Selects the source to use if there's no folder: the editor, unless the settings name another
 * source or an invalid one.
 */
export function chooseWithoutFolder(found: SourceSnapshot): SourceSelection {
  const isInvalid = found.settings.credentialSource === 'invalid';
  return isInvalid || namedSource(found) ? choose(found) : chooseEditor(found);
}

/** Selects the editor source, regardless of the other sources. */
export function chooseEditor(found: SourceSnapshot): SourceSelection {
  return withOtherKeys(selectEditorSource(found), found);
}

function withOtherKeys(choice: SourceSelection, { keys }: SourceSnapshot): SourceSelection {
  if (choice.kind !== 'ready') return choice;
  const { credentials } = choice;
  const others = new Map(Secret.open(keys).map((key) => [keyIdentity(key), key]));
  others.delete(keyIdentity(credentials));
  return { ...choice, credentials: { ...credentials, otherKeys: [...others.values()] } };
}

/** Returns a string that identifies a key together with everything that affects how it's sent. */
function keyIdentity({ service, account = '', apiKey, headerSecrets }: ServiceKey): string {
  return JSON.stringify([service.word, service.definition, account, apiKey, headerSecrets]);
}

function chooseSource(found: SourceSnapshot): SourceSelection {
  const editor = selectEditorSource(found);
  // The service in the settings applies to every source, so a problem with it affects all of them.
  if (editor.kind === 'bad-service') return editor;
  if (found.settings.credentialSource === 'invalid') return { kind: 'bad-source' };
  const named = namedSource(found);
  if (named) {
    // Don't try another source, because a repository could break its `.env` file to switch accounts
    // without the user noticing.
    const unusable = { kind: 'source-unusable', source: named } as const;
    return externalSelection(named) ?? identityProblem([named]) ?? unusable;
  }
  if (editor.kind !== 'missing' && editor.kind !== 'bad-address') return editor;
  const others = othersInOrder(found);
  // A typo in the `.env` file must not cause the environment's account to be billed.
  if (others.some(isFaultyFile)) return editor;
  // Likewise, don't skip a file with all required values just because its identity address is
  // invalid. Another account could be billed instead.
  const files = others.filter(({ id, decision }) => id === 'envFile' && decision !== 'declined');
  const addressProblem = identityProblem(files);
  if (addressProblem) return addressProblem;
  for (const decision of ['approved', undefined] as const) {
    for (const source of others.filter((one) => one.decision === decision)) {
      const selection = externalSelection(source);
      if (selection) return selection;
    }
  }
  return identityProblem(others) ?? editor;
}

/**
 * Returns the `.env` file or environment that `hostedModel.credentialSource` names. Undefined if
 * the setting names neither, if the user declined the source, or if the workspace isn't trusted.
 */
function namedSource(found: SourceSnapshot): ExternalSource | undefined {
  const named = externalSource(found, found.settings.credentialSource);
  return named && named.decision !== 'declined' && !isUntrusted(named) ? named : undefined;
}

/** Returns the external sources to try if the editor source can't be used. */
export function othersInOrder({ settings, external }: SourceSnapshot): readonly ExternalSource[] {
  return settings.credentialSource === 'editor' ? [] : external;
}

/**
 * The reasons why an unread `.env` file counts as absent rather than faulty.
 */
const ABSENT: ReadonlySet<UnreadReason> = new Set([
  'no-folder',
  'untrusted',
  'virtual',
  'no-file',
  // Some Python virtual environments are folders named `.env`.
  'folder',
]);

/**
 * True if a `.env` file names a setting, but doesn't contain a complete, error-free set of values.
 * Also true if the file can't be read, because it may name a setting.
 */
export function isFaultyFile({ id, text, values }: ExternalSource): boolean {
  if (id !== 'envFile' || values) return false;
  return text.kind === 'read' ? text.reading.named.length > 0 : !ABSENT.has(text.why);
}

/**
 * True if fixing the source's errors would make it usable. A placeholder counts as both an error
 * and a missing value.
 */
export function hasOnlyErrors({ text, values }: ExternalSource): boolean {
  if (text.kind !== 'read' || values) return false;
  const { named, missing, issues } = text.reading;
  const isFaulty = (name: string) => issues.some((one) => one.isError && one.name === name);
  return named.length > 0 && missing.every(isFaulty);
}

/**
 * Finds the external source whose errors or missing values explain why no source is usable. Missing
 * values count only if the editor has no stored key, because in that case, the user probably meant
 * to use the external source.
 */
export function faultySource(found: SourceSnapshot): ExternalSource | undefined {
  return othersInOrder(found).find((source) => {
    const { text, values, decision } = source;
    if (text.kind !== 'read' || values || decision === 'declined') return false;
    return text.reading.named.length > 0 && (hasOnlyErrors(source) || !found.record);
  });
}

/**
 * Selects the source if it's approved, or else returns the missing approval as the obstacle.
 * Undefined if the source can't be used.
 */
function externalSelection(source: ExternalSource): SourceSelection | undefined {
  if (!isUsable(source)) return undefined;
  if (source.decision !== 'approved') return { kind: 'ask-source', source };
  const values = Secret.open(source.values);
  const credentials = credentialsFor(source.service, values, source.destination);
  return { kind: 'ready', source: source.id, credentials };
}

/**
 * Returns the problem with the identity address of the first complete source. Undefined if the
 * address is valid, or if no source is complete.
 */
function identityProblem(sources: readonly ExternalSource[]): SourceSelection | undefined {
  const target = sources.find(({ values }) => values)?.destination;
  return target && 'setting' in target ? { kind: 'bad-address', ...target } : undefined;
}

/**
 * True if Restricted Mode prevented the source from being read. In that case, the editor's
 * credentials are used, even if the settings name the source.
 */
function isUntrusted({ text }: ExternalSource): boolean {
  return text.kind === 'unread' && text.why === 'untrusted';
}

/**
 * Returns the service of the connection, or of the source that needs approval. In all other
 * cases, returns the service in the settings.
 */
export function serviceInUse({ found, choice }: Lookup): Service {
  if (choice.kind === 'ready') return choice.connection.service;
  return choice.kind === 'ask-source' ? choice.source.service : found.settings.service;
}

/** True if the obstacle is a missing approval. */
export function needsApproval({ kind }: Pick<Choice, 'kind'>): boolean {
  return kind === 'unapproved' || kind.startsWith('ask-');
}

/** Returns the external source with this ID; undefined if there's none. */
export function externalSource(
  { external }: SourceSnapshot,
  source: Settings['credentialSource'],
): ExternalSource | undefined {
  return external.find(({ id }) => id === source);
}

/**
 * Returns the project, space, or deployment ID in the settings, and its kind. The ID is empty if
 * the service doesn't need one.
 */
export function editorSourceProject({ service, projectId, resource }: SourceSettings) {
  return neededSettings(service).includes('projectId')
    ? { projectId, resource }
    : { projectId: '', resource: undefined };
}

/** Returns the project IDs in the settings and in every complete source, used or not. */
export function projectIdsIn({ settings, external }: SourceSnapshot): string[] {
  const ofSources = external.flatMap(({ values }) => (values ? Secret.open(values) : []));
  return [settings, ...ofSources].map(({ projectId }) => projectId);
}

function secretNames(service: Service): SettingName[] {
  return neededSettings(service).filter((name) => name === 'apiKey');
}

/** Creates credentials from the stored key and the settings, or returns the obstacle. */
export function selectEditorSource({
  settings,
  record: stored,
  program,
}: EditorSource): EditorSourceSelection {
  const { service, serviceProblem, url, authUrl } = settings;
  const record = stored && Secret.open(stored);
  if (serviceProblem) return { kind: 'bad-service', problem: serviceProblem };
  const project = editorSourceProject(settings);
  const projectId = cleanValue(project.projectId).value;
  const { account, apiKey } = record ?? {};
  const names = missingSettings(service, { account, apiKey, projectId, url });
  if (names.length > 0 || !record) return { kind: 'missing', names };
  const wanted = parseDestination(authUrl, url, service);
  if ('setting' in wanted) return { kind: 'bad-address', ...wanted };
  if (projectId !== '' && !isWellFormed('projectId', projectId)) return { kind: 'bad-project' };
  const binding = compareWithApproved(record, service, wanted, program);
  if (binding === 'tampered') return { kind: 'missing', names: secretNames(service) };
  if (binding !== 'same') return { kind: 'unapproved', ...binding };
  const { headerSecrets = {} } = record;
  if (headerSecretsOf(service).some((label) => !headerSecrets[label])) {
    return { kind: 'missing', names: [] };
  }
  const { resource } = project;
  const credentials = credentialsFor(service, { ...record, projectId, resource }, wanted);
  return { kind: 'ready', source: 'editor', credentials };
}

/**
 * Returns the first external source that has different credentials for the same service and that the
 * user hasn't declined. Undefined if there's none, if the editor's credentials aren't in use, or if
 * the settings allow only the editor.
 */
export function sourceWithOtherCredentials({ found, choice }: Lookup): UsableSource | undefined {
  if (choice.kind !== 'ready' || choice.connection.source !== 'editor') return undefined;
  if (!found.record) return undefined;
  const { account = '', apiKey } = Secret.open(found.record);
  return othersInOrder(found)
    .filter(isUsable)
    .find(({ service, values, decision }) => {
      const given = Secret.open(values);
      const isSame = given.apiKey === apiKey && (given.account ?? '') === account;
      return decision !== 'declined' && service.word === found.settings.service.word && !isSame;
    });
}
