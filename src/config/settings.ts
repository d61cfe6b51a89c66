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

/** What the settings are good for. They are read as one snapshot, at the moment of use. */

/** What the editor's own source is made of, beside the key. */
export interface SourceSettings {
  /** That of the editor's own source; the first built-in one where `vendorProblem` says why. */
  readonly service: Service;
  /** True if the settings name the service; false if it is the first one that is set up. */
  readonly isServiceSet: boolean;
  /** All that are known: the built-in ones, then the user's own. */
  readonly services: readonly Service[];
  /** The service that is set is not known, or its entry cannot be used. */
  readonly serviceProblem?: ServiceProblem | undefined;
  /** As typed, unchecked: `connection/sourceSelection.ts` decides what it is good for. */
  readonly authUrl: string;
  readonly url: string;
  /** The project ID of requests, or the ID of another kind of resource. */
  readonly projectId: string;
  readonly resource?: ResourceKind | undefined;
  /** True if the ID comes from a workspace, a folder, or a remote machine, not the user settings. */
  readonly isProjectOfFolder: boolean;
}

export interface Settings extends SourceSettings {
  readonly credentialSource: CredentialSource;
  readonly modelId: string;
  /** True if a setting names the model; false if it is the service's default. */
  readonly isModelSet?: boolean;
  /** Where a workspace, a folder or a remote machine sets it: for whichever service is used there. */
  readonly folderModelId?: string;
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** As typed; the insert modes themselves know which there are. */
  readonly insertMode: string;
  readonly limits: ConcurrencyOptions;
  /** Whether other models are offered a tool that hands text to this one. */
  readonly offersTool: boolean;
  /** Tokens that one key may use on a day before chat stops; 0 for no budget. */
  readonly dailyTokenBudget: number;
  /**
   * As typed, unchecked: `templates/templateSources.ts` decides what they are good for. Of every
   * level, since VS Code lets the list of a workspace hide the user's own as a whole.
   */
  readonly templates: Readonly<Record<SettingLevel, readonly unknown[]>>;
}

/** The source to use; `auto` for the first one that can be used. */
export type CredentialSource = 'auto' | SourceId;

/** @see readVendors */
export type ServiceProblem = Pick<ServiceIssue, 'word'> & Partial<ServiceIssue>;

/** Whose settings file a value stands in. */
export type SettingLevel = 'user' | 'remote' | 'workspace' | 'folder';

const COMMAND_QUEUE = 50;
/** More than anybody uses on a day. */
const MOST_TOKENS = 1e12;
/** The settings that hold for a document, or for the window. */
export function readSettings(scope?: Uri): Settings {
  const configuration = new Configuration(scope);
  const text = (name: string) => configuration.text(name);
  const { own, issues } = readServices(listOf(userValue(configuration.inspected('services'))));
  const all = [...services, ...own];
  const word = chosenService();
  const known = word === '' ? services[0] : serviceFor(word, all);
  const service = known ?? services[0];
  // VS Code's list of models renders it as Markdown that may run commands.
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
    dailyTokenBudget: bounded(configuration.get('dailyTokenBudget'), 0, MOST_TOKENS),
    templates: listsOf(configuration.inspected('templates')),
  };
}

/** Returns the window's settings with the project from the user settings, which set-up changes. */
export function readUserSettings(): Settings {
  return { ...readSettings(), ...userProject(new Configuration()) };
}

/** The same settings for another service, which has models and operations of its own. */
export function settingsFor(service: Service, settings: Settings): Settings {
  if (service.word === settings.service.word) return settings;
  if (service.isFirstSetUp && !settings.isServiceSet) return defaultSettings(service, settings);
  return {
    ...settings,
    ...{ service, serviceProblem: undefined, authUrl: service.authUrl, url: '' },
    ...{ projectId: '', resource: undefined, isProjectOfFolder: false },
    // The user's own was picked from the list of the other one; that of a folder is for its source.
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

/** An API without the operation that is set has chat. */
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
 * The settings of a folder apply only to its own documents. VS Code would apply those of the only
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
    // Where one folder is all there is, its settings are those of the workspace.
    folder: ofTrusted(workspace.workspaceFile && found.workspaceFolderValue),
  };
}

// Settings files hold anything, whatever the schema says; a value of another type counts as unset.

function objectOf(value: unknown): Parameters {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number out of range counts as the nearest one in it. */
function bounded(value: unknown, least: number, most: number): number {
  const number = typeof value === 'number' && Number.isFinite(value) ? value : least;
  return Math.min(most, Math.max(least, Math.round(number)));
}
