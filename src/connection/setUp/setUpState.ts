import { type Settings, settingsFor } from '../../config/settings.ts';
import type { ResourceKind } from '../../service/apiCapabilities.ts';
import type { Credentials } from '../../service/credentials.ts';
import {
  headerSecretsOf,
  neededSettings,
  type Service,
  type SettingName,
} from '../../service/service.ts';
import type { ServiceRuntime } from '../../service/serviceRuntime.ts';
import type { Question, StepAnswer } from '../../ui/steps.ts';
import { credentialsFor, type Destination, parseDestination } from '../approvedDestination.ts';
import type { KeyRecord, KeyStore } from '../keyStore.ts';
import type { SetUpReason } from '../resolveObstacle.ts';
import { readSettingsInUse } from '../serviceSettingsWriter.ts';
import { programOf } from '../sources.ts';
import { problemOfKey } from './answerChecks.ts';
import type { ServiceDraft } from './serviceDraft.ts';
import type { NewService } from './serviceEntry.ts';

/** The state of setup: its steps, the current values, and the answers so far. */

export type StepName = 'service' | SettingName | 'headerSecrets' | 'save';

export interface StepProblem {
  readonly step: StepName;
  readonly text: string;
}

export interface StepPosition extends Question {
  /** True if the user came back from the next step. */
  readonly isReturning?: boolean;
}

/**
 * Runs one step of setup, and stores the user's answers in `setUp`. If the step returns a problem,
 * setup continues with the step where the user can fix it.
 */
export type AskStep = (
  setUp: SetUp,
  position: StepPosition,
) => Promise<StepAnswer<'answered' | 'saved' | StepProblem>>;

export interface SetUpOptions {
  readonly keys: KeyStore;
  readonly runtime: ServiceRuntime;
}

export interface SetUp extends SetUpOptions, ServiceAnswers {
  readonly draft: ServiceDraft;
  /**
   * The values to import from another source. They're prefilled, except for the key, which is kept
   * if the user doesn't enter another one.
   */
  readonly imported?: SetUpReason['imported'];
}

/** The part of the state that is replaced if the user picks another service. */
interface ServiceAnswers {
  readonly settings: Settings;
  readonly steps: readonly StepName[];
  /** The service that this setup adds or changes. */
  readonly added?: NewService | undefined;
  /**
   * False if the last test found no model list at the address of `added`; undefined before the
   * first test.
   */
  hasModelList?: boolean;
  /** The stored record, as last read during this setup. */
  stored: KeyRecord | undefined;
  /** True if there is a valid stored record whose key wasn't rejected. */
  canKeepStored: boolean;
  account: string;
  apiKey: string;
  projectId: string;
  /** The kind of resource that `projectId` identifies. */
  readonly resource: ResourceKind | undefined;
  url: string;
  /** The secret values of the service's headers, keyed by label. */
  headerSecrets: Readonly<Record<string, string>>;
  /** The path to the program that the service's command starts, as returned by `programOf`. */
  readonly program: string | undefined;
}

/**
 * Returns the answers for a service, prefilled from another source, secret storage, or the
 * settings.
 */
export async function prefilledFor(
  service: Service,
  { keys, runtime, imported }: Pick<SetUp, 'keys' | 'runtime' | 'imported'>,
): Promise<ServiceAnswers> {
  const settings = settingsFor(service, await readSettingsInUse(keys));
  const stored = await keys.read(service.word);
  const { account, apiKey = '', url = settings.url } = imported ?? {};
  const { projectId = '', resource } = imported?.projectId === undefined ? settings : imported;
  return {
    settings,
    steps: stepsFor(service, imported !== undefined),
    stored,
    canKeepStored: canKeep(stored, service, runtime),
    account: account || (stored?.account ?? ''),
    apiKey: problemOfKey(apiKey, service) ? '' : apiKey,
    projectId,
    resource,
    url: service.url || url,
    headerSecrets: stored?.headerSecrets ?? {},
    program: await programOf(service),
  };
}

/**
 * Returns the setup steps for a service.
 * @param isImported if true, leaves out the step in which the user picks a service
 */
export function stepsFor(service: Service, isImported: boolean): StepName[] {
  return [
    ...(isImported ? [] : ['service' as const]),
    ...neededSettings(service),
    ...(headerSecretsOf(service).length > 0 ? ['headerSecrets' as const] : []),
    'save',
  ];
}

/**
 * True if there is a stored record, its key is well formed and wasn't rejected, and its addresses
 * are valid.
 */
export function canKeep(
  stored: KeyRecord | undefined,
  service: Service,
  runtime: Pick<ServiceRuntime, 'isRejected'>,
): boolean {
  if (!stored) return false;
  const { apiKey, authUrl, serviceUrl } = stored;
  const isParsed = 'authHost' in parseDestination(authUrl, serviceUrl, service);
  return isParsed && !problemOfKey(apiKey, service) && !runtime.isRejected(apiKey);
}

/** Returns the key that the user entered or imported, or else the stored key, with its service. */
export function keyOf({ apiKey, stored, settings: { service } }: SetUp) {
  return { apiKey: apiKey || (stored?.apiKey ?? ''), service };
}

export function answeredCredentials(setUp: SetUp, target: Destination): Credentials {
  const { settings, account, projectId, resource, headerSecrets, program } = setUp;
  const { apiKey } = keyOf(setUp);
  const values = { account, apiKey, projectId, resource, headerSecrets, program };
  return credentialsFor(settings.service, values, target);
}

/**
 * Identifies the key to keep if the user doesn't enter another one: the stored key, the imported
 * key, or the last key typed. Undefined if there is no key to keep.
 */
export function keptKey({ apiKey, imported, stored, canKeepStored }: SetUp) {
  if (apiKey === '') return stored && canKeepStored ? 'stored' : undefined;
  return apiKey === imported?.apiKey ? 'imported' : 'typed';
}
