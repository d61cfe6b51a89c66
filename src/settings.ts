import {
  ConfigurationTarget,
  Disposable,
  type Uri,
  type WorkspaceConfiguration,
  workspace,
} from 'vscode';
import type { Parameters } from './service/generation/parameters.ts';
import type { LimiterOptions } from './service/http/limiter.ts';
import { type Operation, type Vendor, vendorFor, vendors } from './service/vendors.ts';

/** The only caller of getConfiguration. Values are read as one snapshot, at the moment of use. */

export interface Settings {
  readonly vendor: Vendor;
  /** As typed, unchecked: `credentials/sourceSelection.ts` decides what it is good for. */
  readonly authUrl: string;
  readonly url: string;
  /** Of the user settings of this machine. */
  readonly projectId: string;
  /** Another one that a workspace, a folder or a remote machine sets; used after approval only. */
  readonly folderProjectId: string;
  readonly modelId: string;
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** As typed; the insert modes themselves know which there are. */
  readonly insertMode: string;
  readonly limits: LimiterOptions;
  readonly keepTokenFresh: boolean;
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

/** Whose settings file a value stands in. */
export type SettingLevel = 'user' | 'remote' | 'workspace' | 'folder';

/** What VS Code tells of a setting; those of one machine each are not among its types. */
interface Inspected {
  readonly globalValue?: unknown;
  readonly globalLocalValue?: unknown;
  readonly globalRemoteValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

const SECTION = 'hostedModel';
/** VS Code's own: with it on, nothing of chat is there. */
const AI_SETTING = 'chat.disableAIFeatures';
const COMMAND_QUEUE = 50;
/** More than anybody uses on a day. */
const MOST_TOKENS = 1e12;
/** Between two readings of changed settings. */
const LEAST_APART_MS = 100;
/** What people call a setting for the key, which does not exist. */
const KEY_NAMES = ['apiKey', 'apikey', 'api_key', 'key'] as const;
type KeyName = (typeof KEY_NAMES)[number];

/** The settings that hold for a document, or for the window. */
export function readSettings(scope?: Uri): Settings {
  const configuration = workspace.getConfiguration(SECTION, scope);
  const text = (name: string) => textOf(configuration.get<unknown>(name));
  const projectId = ownValue(configuration, 'projectId');
  const vendor = vendorFor(text('vendor')) ?? vendors[0];
  if (!vendor) throw new Error('No vendor entry');
  return {
    vendor,
    authUrl: text('authUrl') || vendor.authUrl,
    url: text('url'),
    projectId,
    folderProjectId: text('projectId') === projectId ? '' : text('projectId'),
    modelId: text('modelId') || vendor.defaultModelId,
    operation: text('operation') === 'generation' ? 'generation' : 'chat',
    parameters: objectOf(configuration.get<unknown>('parameters')),
    insertMode: text('insertMode'),
    limits: {
      limit: bounded(configuration.get<unknown>('maxConcurrentRequests'), 1, 8),
      minIntervalMs: bounded(configuration.get<unknown>('minRequestInterval'), 0, 60_000),
      queue: COMMAND_QUEUE,
    },
    keepTokenFresh: configuration.get<unknown>('keepTokenFresh') !== false,
    offersTool: configuration.get<unknown>('offerTool') === true,
    dailyTokenBudget: bounded(configuration.get<unknown>('dailyTokenBudget'), 0, MOST_TOKENS),
    templates: listsOf(configuration.inspect<unknown>('templates') ?? {}),
  };
}

/** Whether the user has turned off what VS Code calls AI features, on any level. */
export function isAiDisabled(): boolean {
  const found = workspace.getConfiguration().inspect(AI_SETTING) ?? {};
  return Object.entries(found).some(([name, value]) => name.endsWith('Value') && value === true);
}

/** Has VS Code turn on its chat, where nobody has turned it off. */
export async function enableAi(): Promise<void> {
  const { Global } = ConfigurationTarget;
  await workspace.getConfiguration().update(AI_SETTING, false, Global);
}

/**
 * A key that the user put into the settings file, where every extension can read it and Settings
 * Sync copies it: the name of that setting and the text. Never used as it stands.
 */
export function findKeyInSettings(): { readonly name: KeyName; readonly text: string } | undefined {
  const configuration = workspace.getConfiguration(SECTION);
  for (const name of KEY_NAMES) {
    const text = ownValue(configuration, name);
    if (text) return { name, text };
  }
  return undefined;
}

export type WritableSettings = Partial<
  Pick<Settings, 'url' | 'authUrl' | 'projectId' | 'modelId'> & Record<KeyName, ''>
>;

/** Writes to the user settings. An empty value removes the setting. @throws if VS Code refuses */
export async function writeSettings(values: WritableSettings): Promise<void> {
  const configuration = workspace.getConfiguration(SECTION);
  for (const [name, value] of Object.entries(values)) {
    await configuration.update(name, value || undefined, ConfigurationTarget.Global);
  }
}

/**
 * A program that writes settings one by one makes an event of each: they are heard together, a
 * moment after the first of them.
 */
export function onDidChangeSettings(listener: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const subscription = workspace.onDidChangeConfiguration((event) => {
    const isOfAi = event.affectsConfiguration(AI_SETTING);
    if (!isOfAi && !event.affectsConfiguration(SECTION)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      listener();
    }, LEAST_APART_MS);
  });
  return Disposable.from(subscription, { dispose: () => clearTimeout(timer) });
}

/**
 * The value of the user's own settings file. `globalValue` is not that alone: a remote machine's
 * settings file, which a dev container writes, hides it there (measured). The value without it is
 * there at run time, though not among the types.
 */
function ownValue(configuration: WorkspaceConfiguration, name: string): string {
  return textOf(userValue(configuration.inspect<unknown>(name) ?? {}));
}

function userValue(found: Inspected): unknown {
  return 'globalLocalValue' in found ? found.globalLocalValue : found.globalValue;
}

function listsOf(found: Inspected): Settings['templates'] {
  const ofTrusted = (value: unknown) => (workspace.isTrusted ? listOf(value) : []);
  return {
    user: listOf(userValue(found)),
    remote: ofTrusted(found.globalRemoteValue),
    workspace: ofTrusted(found.workspaceValue),
    // Where one folder is all there is, its settings are those of the workspace.
    folder: ofTrusted(workspace.workspaceFile && found.workspaceFolderValue),
  };
}

// Settings files hold anything, whatever the schema says; a value of another type counts as unset.

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

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
