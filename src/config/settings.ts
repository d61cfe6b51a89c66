import { type Uri, workspace } from 'vscode';
import { readServices, type ServiceIssue } from '../service/addedServices.ts';
import type { Parameters } from '../service/api/parameters.ts';
import { APIS, type Operation, type ResourceKind } from '../service/apiCapabilities.ts';
import { serviceFor, services } from '../service/builtInServices.ts';
import type { SourceId } from '../service/credentials.ts';
import type { ConcurrencyOptions } from '../service/http/concurrencyLimit.ts';
import { MODEL_ID } from '../service/modelId.ts';
import { cleanValue } from '../service/pastedValue.ts';
import { canOverrideAuthUrl, type Service } from '../service/service.ts';
import { type Inspected, remoteValue, userValue } from '../undocumentedApi.ts';
import {
  Configuration,
  objectOf,
  serviceEntries,
  serviceInSettings,
  targetForFolder,
} from './configuration.ts';

/** Reads and validates the settings. The returned objects are snapshots, which never change. */

/** The settings that, together with a stored key, make up the editor source. */
export interface SourceSettings {
  /**
   * The service in the settings, or the first built-in service if the setting is empty or invalid.
   * If the setting is empty, `withStoredService` may select another service.
   */
  readonly service: Service;
  /** True if the settings name a service, even an invalid one. */
  readonly isServiceSet: boolean;
  /** The built-in services, followed by the services that the user added. */
  readonly services: readonly Service[];
  /** Set if the service in the settings is unknown, or if its entry is invalid. */
  readonly serviceProblem?: ServiceProblem | undefined;
  /**
   * `authUrl` and `url` aren't validated until a source is selected (see
   * `connection/sourceSelection.ts`).
   */
  readonly authUrl: string;
  readonly url: string;
  /** The ID of the project, space, or deployment; `resource` is its kind. */
  readonly projectId: string;
  readonly resource?: ResourceKind | undefined;
  /** True if the ID is set by a workspace, folder, or remote machine, not by the user. */
  readonly isProjectOverridden: boolean;
}

/**
 * The settings that apply to a folder or to the window. Name a field after its setting. Give a
 * boolean a name that reads like a statement, such as `offersTool`.
 */
export interface Settings extends SourceSettings {
  /** If this is `invalid`, no source may be used. */
  readonly credentialSource: CredentialSource | 'invalid';
  readonly modelId: string;
  /** True if the settings name a valid model; if false, `modelId` is the service's default. */
  readonly isModelSet?: boolean;
  /** The invalid model ID in the settings, if any. The service's default is used instead. */
  readonly invalidModelId?: string;
  /** The model ID that a workspace, folder, or remote machine sets. Applies to any service. */
  readonly overridingModelId?: string;
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** The ID of an insert mode, or any other text that the user entered. */
  readonly insertMode: string;
  readonly limits: ConcurrencyOptions;
  /** True if other models in VS Code's chat can use a tool that sends text to the user's model. */
  readonly offersTool: boolean;
  /**
   * Maximum number of tokens that chat, agents, and other extensions may use per key per day; 0 for
   * no limit. If this is `invalid`, they can't use any tokens.
   */
  readonly dailyTokenBudget: number | 'invalid';
  /**
   * The templates in the settings, grouped by level. VS Code itself would return only the templates
   * from the most specific level. The lists are validated in `templates/templateSources.ts`.
   */
  readonly templates: Readonly<Record<SettingLevel, readonly unknown[]>>;
}

/**
 * The source to use. For the order that `auto` follows, see `choose` in
 * `connection/sourceSelection.ts`.
 */
export type CredentialSource = 'auto' | SourceId;

/**
 * The problem with the service that `hostedModel.service` names. `field` is the invalid field of
 * the service's entry, or undefined if no service has that ID.
 */
export type ServiceProblem = Pick<ServiceIssue, 'word'> & Partial<ServiceIssue>;

export type SettingLevel = 'user' | 'remote' | 'workspace' | 'folder';

/**
 * The kinds of resources that a request can use, most specific first. If the user or a workspace
 * sets several IDs, the most specific one applies.
 */
const RESOURCE_KINDS = ['deployment', 'space', 'project'] as const;
const COMMAND_QUEUE = 50;
/** Upper limit for `dailyTokenBudget`, far more than anyone needs. */
const MAX_TOKENS = 1e12;

/**
 * Reads the settings that apply to a folder or to the window. Call it each time a setting is
 * needed, because users can change settings at any time.
 *
 * Values are validated here, because settings files can contain anything, regardless of the schema.
 * Treat a value of the wrong type as the default, unless the default could select the wrong account
 * or exceed a limit. For a boolean, use `=== true`, or `!== false` if the default is true. For a
 * list, check each item. For a number, use `bounded`.
 * @param folder the folder's URI, for example `activeFolder(document.uri)?.uri`. Needed for
 * settings with `resource` scope. Don't pass a document's URI, because VS Code finds no folder for
 * a notebook cell or a preview.
 */
export function readSettings(folder?: Uri): Settings {
  const configuration = new Configuration(folder);
  const text = (name: string) => configuration.text(name);
  const { own, issues } = readServices(serviceEntries());
  const all = [...services, ...own];
  const word = serviceInSettings();
  const known = word === '' ? services[0] : serviceFor(word, all);
  const service = known ?? services[0];
  // VS Code's model list renders IDs as Markdown, which can contain links that run commands. An
  // invalid ID therefore counts as unset.
  const modelId = MODEL_ID.test(text('modelId')) ? text('modelId') : '';
  return {
    service,
    isServiceSet: word !== '',
    services: all,
    serviceProblem: known ? undefined : (issues.find((issue) => issue.word === word) ?? { word }),
    authUrl: (canOverrideAuthUrl(service) && text('authUrl')) || service.authUrl,
    url: service.url || text('url'),
    ...projectIn(configuration),
    credentialSource: credentialSourceIn(configuration, folder),
    modelId: modelId || service.defaultModelId,
    isModelSet: modelId !== '',
    invalidModelId: modelId === '' ? text('modelId') : '',
    overridingModelId: configuration.isOverridden('modelId') ? modelId : '',
    operation: operationOf(service, text('operation')),
    parameters: objectOf(configuration.get('parameters')),
    insertMode: text('insertMode') || 'below',
    limits: {
      limit: bounded(configuration.get('maxConcurrentRequests'), 1, 8),
      minIntervalMs: bounded(configuration.get('minRequestInterval'), 0, 60_000),
      queue: COMMAND_QUEUE,
    },
    offersTool: configuration.get('offerTool') === true,
    dailyTokenBudget: budgetOf(configuration.get('dailyTokenBudget')),
    templates: listsOf(configuration.inspected('templates')),
  };
}

/**
 * Reads the window's settings, but takes the project from the user settings, because setup changes
 * only the user's project.
 */
export function readUserSettings(): Settings {
  return { ...readSettings(), ...userProject(new Configuration()) };
}

/** True if a project, space, or deployment is set for a folder, or for the window. */
export function isProjectSetIn(folder?: Uri): boolean {
  return projectIn(new Configuration(folder)).projectId !== '';
}

/**
 * Returns the settings for a service. If `settings` is for a different service, uses the given
 * service's addresses and no project. If the service is used only because `hostedModel.service` is
 * empty, keeps the addresses, project, and model in the settings.
 */
export function settingsFor(service: Service, settings: Settings): Settings {
  if (service.word === settings.service.word) return settings;
  if (service.isFirstSetUp && !settings.isServiceSet) return defaultSettings(service, settings);
  return {
    ...settings,
    ...{ service, serviceProblem: undefined, authUrl: service.authUrl, url: service.url },
    ...{ projectId: '', resource: undefined, isProjectOverridden: false },
    // The model in the user settings was picked for the previous service. A model from any other
    // level applies to all services.
    modelId: settings.overridingModelId || service.defaultModelId,
    operation: operationOf(service, settings.operation),
  };
}

/**
 * If the settings don't name a service, returns the settings for the first service with a stored
 * key. Otherwise, or if no key is stored, returns the settings unchanged.
 * @param stored the `word` of each service with a stored key
 */
export function withStoredService(settings: Settings, stored: readonly string[]): Settings {
  if (settings.isServiceSet) return settings;
  const first = settings.services.find((service) => stored.includes(service.word));
  return first ? settingsFor({ ...first, isFirstSetUp: true }, settings) : settings;
}

/** Returns the settings for the service that is used if `hostedModel.service` is empty. */
function defaultSettings(service: Service, settings: Settings): Settings {
  const { authUrl, modelId, isModelSet, service: assumed } = settings;
  const isAuthUrlSet = authUrl !== assumed.authUrl && canOverrideAuthUrl(service);
  return {
    ...settings,
    service,
    url: service.url || settings.url,
    authUrl: isAuthUrlSet ? authUrl : service.authUrl,
    modelId: isModelSet ? modelId : service.defaultModelId,
    operation: operationOf(service, settings.operation),
  };
}

/** Returns the operation in the settings, or `chat` if the API doesn't support that operation. */
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
 * Reads the credential source. In a single-folder window, VS Code applies the folder's settings to
 * documents outside the folder, too. Such documents have no `.env` file, so their source comes only
 * from the user or remote settings.
 */
function credentialSourceIn(configuration: Configuration, folder: Uri | undefined) {
  const value =
    targetForFolder(folder) === 'user'
      ? configuration.inspected('credentialSource').globalValue
      : configuration.get('credentialSource');
  if (value === undefined) return 'auto';
  // Don't treat a misspelled source as `auto`, because another account could be billed.
  return CREDENTIAL_SOURCES.find((source) => source === value) ?? 'invalid';
}

/**
 * Reads the project, space, or deployment ID. An ID set by a workspace, folder, or remote machine
 * overrides all of the user's IDs, unless it's a placeholder.
 */
function projectIn(configuration: Configuration) {
  for (const resource of RESOURCE_KINDS) {
    const name = `${resource}Id`;
    const projectId = configuration.text(name);
    if (configuration.isOverridden(name) && cleanValue(projectId).value !== '') {
      return { projectId, resource, isProjectOverridden: true };
    }
  }
  return userProject(configuration);
}

function userProject(configuration: Configuration) {
  const resource = RESOURCE_KINDS.find((name) => configuration.own(`${name}Id`) !== '');
  const projectId = resource ? configuration.own(`${resource}Id`) : '';
  return { projectId, resource, isProjectOverridden: false };
}

function listsOf(found: Inspected): Settings['templates'] {
  const ofTrusted = (value: unknown) => (workspace.isTrusted ? listOf(value) : []);
  return {
    user: listOf(userValue(found)),
    remote: ofTrusted(remoteValue(found)),
    workspace: ofTrusted(found.workspaceValue),
    // In a single-folder window, the folder settings are the workspace settings, so don't read them
    // twice.
    folder: ofTrusted(workspace.workspaceFile && found.workspaceFolderValue),
  };
}

/** Rounds up so that no positive number becomes 0, which means no limit. */
function budgetOf(value: unknown): Settings['dailyTokenBudget'] {
  if (value === undefined) return 0;
  const isValid = typeof value === 'number' && Number.isFinite(value) && value >= 0;
  return isValid ? Math.min(MAX_TOKENS, Math.ceil(value)) : 'invalid';
}

// Settings files can contain anything, regardless of the schema. A value of the wrong type counts
// as unset.

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Rounds a number and clamps it to a range. A value that isn't a finite number counts as the
 * minimum. Don't use this function if the minimum turns off a limit that protects the user, because
 * an invalid value would then turn off the limit, too. See `budgetOf` for an alternative.
 * @param most a generous maximum. Add it to package.json only if users need to know about it.
 */
function bounded(value: unknown, least: number, most: number): number {
  const number = typeof value === 'number' && Number.isFinite(value) ? value : least;
  return Math.min(most, Math.max(least, Math.round(number)));
}
