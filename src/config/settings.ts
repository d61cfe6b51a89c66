import { type Uri, workspace } from 'vscode';
import { type Inspected, remoteValue, userValue } from '../privateApi.ts';
import { readServices, type ServiceIssue } from '../service/addedServices.ts';
import { MODEL_ID } from '../service/api/modelId.ts';
import type { Parameters } from '../service/api/parameters.ts';
import type { SourceId } from '../service/credentials.ts';
import { cleanValue } from '../service/credentials.ts';
import type { ConcurrencyOptions } from '../service/http/concurrencyLimit.ts';
import {
  APIS,
  hasMovableIdentity,
  type Operation,
  type ResourceKind,
  type Service,
  serviceFor,
  services,
} from '../service/services.ts';
import { Configuration, chosenService, RESOURCE_KINDS, targetForFolder } from './configuration.ts';

/** The validated settings, read as one snapshot at the time of use. */

/** The settings of the editor source, without the key. */
export interface SourceSettings {
  /** The service of the editor source. If `serviceProblem` is set, the first built-in service. */
  readonly service: Service;
  /** True if the settings name the service; false if it is the first one that is set up. */
  readonly isServiceSet: boolean;
  /** All known services: the built-in ones, then the user's own. */
  readonly services: readonly Service[];
  /** Set if the service in the settings is unknown, or its entry is invalid. */
  readonly serviceProblem?: ServiceProblem | undefined;
  /** As typed, unchecked. `connection/sourceSelection.ts` validates both addresses. */
  readonly authUrl: string;
  readonly url: string;
  /** The ID of the project, space, or deployment; `resource` states which. */
  readonly projectId: string;
  readonly resource?: ResourceKind | undefined;
  /** True if the ID comes from a workspace, folder, or remote machine, not the user settings. */
  readonly isProjectOfFolder: boolean;
}

export interface Settings extends SourceSettings {
  readonly credentialSource: CredentialSource;
  readonly modelId: string;
  /** True if a setting names the model; false if it is the service's default. */
  readonly isModelSet?: boolean;
  /**
   * The model ID that a workspace, folder, or remote machine sets. It applies to any service used
   * there.
   */
  readonly folderModelId?: string;
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** As typed, unchecked. */
  readonly insertMode: string;
  readonly limits: ConcurrencyOptions;
  /** True if other models are offered a tool that sends text to this one. */
  readonly offersTool: boolean;
  /** Tokens that one key may use per day before chat stops; 0 for no budget. */
  readonly dailyTokenBudget: number;
  /**
   * As typed, unchecked. `templates/templateSources.ts` validates them. Each level is kept, because
   * in VS Code a workspace's list hides the user's own list entirely.
   */
  readonly templates: Readonly<Record<SettingLevel, readonly unknown[]>>;
}

/** The source to use; `auto` for the first usable one. */
export type CredentialSource = 'auto' | SourceId;

/** @see readServices */
export type ServiceProblem = Pick<ServiceIssue, 'word'> & Partial<ServiceIssue>;

/** The settings file that contains a value. */
export type SettingLevel = 'user' | 'remote' | 'workspace' | 'folder';

const COMMAND_QUEUE = 50;
/** More than anyone uses per day. */
const MAX_TOKENS = 1e12;
/** Reads the settings that apply to a document, or to the window. */
export function readSettings(scope?: Uri): Settings {
  const configuration = new Configuration(scope);
  const text = (name: string) => configuration.text(name);
  const { own, issues } = readServices(listOf(userValue(configuration.inspected('services'))));
  const all = [...services, ...own];
  const word = chosenService();
  const known = word === '' ? services[0] : serviceFor(word, all);
  const service = known ?? services[0];
  // VS Code's list of models renders the ID as Markdown, which may run commands.
  const modelId = MODEL_ID.test(text('modelId')) ? text('modelId') : '';
  return {
    service,
    isServiceSet: word !== '',
    services: all,
    serviceProblem: known ? undefined : (issues.find((issue) => issue.word === word) ?? { word }),
    authUrl: (hasMovableIdentity(service) && text('authUrl')) || service.authUrl,
    url: text('url'),
    ...projectIn(configuration),
    credentialSource: credentialSourceIn(configuration, scope),
    modelId: modelId || service.defaultModelId,
    isModelSet: modelId !== '',
    folderModelId: modelId === configuration.own('modelId') ? '' : modelId,
    operation: operationOf(service, text('operation')),
    parameters: objectOf(configuration.get('parameters')),
    insertMode: text('insertMode'),
    limits: {
      limit: bounded(configuration.get('maxConcurrentRequests'), 1, 8),
      minIntervalMs: bounded(configuration.get('minRequestInterval'), 0, 60_000),
      queue: COMMAND_QUEUE,
    },
    offersTool: configuration.get('offerTool') === true,
    dailyTokenBudget: bounded(configuration.get('dailyTokenBudget'), 0, MAX_TOKENS),
    templates: listsOf(configuration.inspected('templates')),
  };
}

/** Returns the window's settings with the project from the user settings, which set-up changes. */
export function readUserSettings(): Settings {
  return { ...readSettings(), ...userProject(new Configuration()) };
}

/** Returns the settings for another service, which has its own models and operations. */
export function settingsFor(service: Service, settings: Settings): Settings {
  if (service.word === settings.service.word) return settings;
  if (service.isFirstSetUp && !settings.isServiceSet) return defaultSettings(service, settings);
  return {
    ...settings,
    ...{ service, serviceProblem: undefined, authUrl: service.authUrl, url: '' },
    ...{ projectId: '', resource: undefined, isProjectOfFolder: false },
    // The user picked their model for the other service. The model of a folder applies to any
    // service.
    modelId: settings.folderModelId || service.defaultModelId,
    operation: operationOf(service, settings.operation),
  };
}

/**
 * Returns the settings, with the first service that has a stored key if they name none.
 * @param stored the words of all services that have a stored key
 */
export function withStoredService(settings: Settings, stored: readonly string[]): Settings {
  if (settings.isServiceSet) return settings;
  const first = settings.services.find((service) => stored.includes(service.word));
  return first ? settingsFor({ ...first, isFirstSetUp: true }, settings) : settings;
}

/** Returns the settings for the service of an empty `hostedModel.service`. */
function defaultSettings(service: Service, settings: Settings): Settings {
  const { authUrl, modelId, isModelSet, service: assumed } = settings;
  const isAuthUrlSet = authUrl !== assumed.authUrl && hasMovableIdentity(service);
  return {
    ...settings,
    service,
    authUrl: isAuthUrlSet ? authUrl : service.authUrl,
    modelId: isModelSet ? modelId : service.defaultModelId,
    operation: operationOf(service, settings.operation),
  };
}

/** The operation in the settings, or chat if the API doesn't have it. */
function operationOf({ api }: Service, operation: string): Operation {
  const known: readonly Operation[] = APIS[api.kind].operations;
  return known.find((one) => one === operation) ?? 'chat';
}

const CREDENTIAL_SOURCES: readonly CredentialSource[] = [
  'auto',
  'editor',
  'envFile',
  'environment',
];

/**
 * Folder settings apply only to the folder's own documents. VS Code would apply those of a single
 * folder everywhere, but documents outside of it have no `.env` file.
 */
function credentialSourceIn(configuration: Configuration, scope: Uri | undefined) {
  const value =
    targetForFolder(scope) === 'user'
      ? configuration.inspected('credentialSource').globalValue
      : configuration.get('credentialSource');
  return CREDENTIAL_SOURCES.find((source) => source === value) ?? 'auto';
}

/** Any ID of a folder overrides all IDs of the user. Placeholders count as unset. */
function projectIn(configuration: Configuration) {
  for (const resource of RESOURCE_KINDS) {
    const name = `${resource}Id`;
    const projectId = configuration.text(name);
    const isOfFolder = projectId !== configuration.own(name);
    if (isOfFolder && cleanValue(projectId).value !== '') {
      return { projectId, resource, isProjectOfFolder: true };
    }
  }
  return userProject(configuration);
}

function userProject(configuration: Configuration) {
  const resource = RESOURCE_KINDS.find((name) => configuration.own(`${name}Id`) !== '');
  const projectId = resource ? configuration.own(`${resource}Id`) : '';
  return { projectId, resource, isProjectOfFolder: false };
}

function listsOf(found: Inspected): Settings['templates'] {
  const ofTrusted = (value: unknown) => (workspace.isTrusted ? listOf(value) : []);
  return {
    user: listOf(userValue(found)),
    remote: ofTrusted(remoteValue(found)),
    workspace: ofTrusted(found.workspaceValue),
    // In a single-folder window, the folder settings are the workspace settings.
    folder: ofTrusted(workspace.workspaceFile && found.workspaceFolderValue),
  };
}

// Settings files can contain anything, regardless of the schema. A value of another type counts as
// unset.

function objectOf(value: unknown): Parameters {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Clamps a number to its range. Any other value counts as the minimum. */
function bounded(value: unknown, least: number, most: number): number {
  const number = typeof value === 'number' && Number.isFinite(value) ? value : least;
  return Math.min(most, Math.max(least, Math.round(number)));
}
