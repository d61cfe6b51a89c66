import { ConfigurationTarget, Disposable, type Uri, workspace } from 'vscode';
import { ServiceError } from '../service/errors.ts';
import { AI_SETTING, type Inspected, remoteValue, userValue } from '../undocumentedApi.ts';

/**
 * The only module that calls `getConfiguration`. Reads and writes raw values, and reports changes.
 * The values are validated in `settings.ts`.
 */

const SECTION = 'hostedModel';
/** Milliseconds between a settings change and the call to the listener. */
const NOTIFY_AFTER_MS = 100;

/** The raw settings for a folder, or for the window if no folder is given. */
export class Configuration {
  readonly #values;

  constructor(folder?: Uri) {
    this.#values = workspace.getConfiguration(SECTION, folder);
  }

  get(name: string): unknown {
    return this.#values.get<unknown>(name);
  }

  text(name: string): string {
    return textOf(this.get(name));
  }

  inspected(name: string): Inspected {
    return this.#values.inspect<unknown>(name) ?? {};
  }

  /**
   * Returns the user's value for a string setting, ignoring workspace, folder, and remote settings.
   */
  own(name: string): string {
    return textOf(userValue(this.inspected(name)));
  }

  /**
   * True if the value in use is set by a workspace, folder, or remote machine, even if it equals
   * the user's value.
   */
  isOverridden(name: string): boolean {
    const found = this.inspected(name);
    // In Restricted Mode, workspace and folder values aren't used.
    const ofWorkspace = found.workspaceFolderValue ?? found.workspaceValue;
    return (workspace.isTrusted && ofWorkspace !== undefined) || remoteValue(found) !== undefined;
  }
}

/** Returns `hostedModel.service` in lowercase. Empty if it isn't set. */
export function serviceInSettings(): string {
  return new Configuration().text('service').toLowerCase();
}

/** True if VS Code's AI features are disabled at any settings level. */
export function isAiDisabled(): boolean {
  const found = workspace.getConfiguration().inspect(AI_SETTING) ?? {};
  return Object.entries(found).some(([name, value]) => name.endsWith('Value') && value === true);
}

/**
 * Enables VS Code's AI features in the user settings. Workspace and folder settings can still
 * disable them.
 */
export async function enableAi(): Promise<void> {
  const { Global } = ConfigurationTarget;
  await workspace.getConfiguration().update(AI_SETTING, false, Global);
}

type Written =
  | 'url'
  | 'authUrl'
  | 'projectId'
  | 'spaceId'
  | 'deploymentId'
  | 'modelId'
  | 'service'
  | 'credentialSource';
type WritableSettings = Partial<Record<Written, string>>;

/** The settings to write to: `user`, `workspace`, or the URI of a folder. */
export type SettingsTarget = 'user' | 'workspace' | Uri;

/**
 * Returns the settings that a value must be written to so that it applies to a folder.
 * @param folder undefined for documents outside the workspace
 */
export function targetForFolder(folder: Uri | undefined): SettingsTarget {
  return folder ?? (workspace.workspaceFile ? 'workspace' : 'user');
}

/**
 * Returns the settings from which a folder gets the value of `name`. If neither the folder settings
 * nor the workspace settings contain it, returns `user`.
 */
export function targetOfSetting(name: Written, folder: Uri | undefined): SettingsTarget {
  return targetWith(name, folder, (value) => value !== undefined);
}

/**
 * Returns the settings from which a folder gets a parameter in `hostedModel.parameters`. VS Code
 * merges the parameters from all levels. If neither the folder settings nor the workspace settings
 * contain the parameter, returns `user`.
 */
export function targetOfParameter(name: string, folder: Uri | undefined): SettingsTarget {
  return targetWith('parameters', folder, (value) => name in objectOf(value));
}

function targetWith(
  name: Written | 'parameters',
  folder: Uri | undefined,
  isSetIn: (value: unknown) => boolean,
): SettingsTarget {
  const { workspaceFolderValue, workspaceValue } = new Configuration(folder).inspected(name);
  if (folder && isSetIn(workspaceFolderValue)) return folder;
  const isOfWorkspace = targetForFolder(folder) !== 'user' && isSetIn(workspaceValue);
  return isOfWorkspace ? 'workspace' : 'user';
}

/**
 * Writes settings. An empty value removes the setting.
 * @throws {ServiceError} `settings-not-written` if VS Code can't write a setting
 */
export async function writeSettings(
  values: WritableSettings,
  target: SettingsTarget = 'user',
): Promise<void> {
  for (const [name, value] of Object.entries(values)) await write(name, value || undefined, target);
}

/**
 * Sets one parameter in `hostedModel.parameters`, and keeps the others.
 * @throws {ServiceError} `settings-not-written` if VS Code can't write the settings
 */
export async function writeParameter(
  name: string,
  value: number,
  target: SettingsTarget,
): Promise<void> {
  const folder = typeof target === 'string' ? undefined : target;
  const found = new Configuration(folder).inspected('parameters');
  const workspaceOrFolderValue = folder ? found.workspaceFolderValue : found.workspaceValue;
  // In a remote window, VS Code may write user settings to the remote machine's settings, so keep
  // the parameters from both files.
  const current = target === 'user' ? found.globalValue : workspaceOrFolderValue;
  await write('parameters', { ...objectOf(current), [name]: value }, target);
}

/** Returns the entries of `hostedModel.services` in the user settings, without validating them. */
export function serviceEntries(): readonly unknown[] {
  const value = userValue(new Configuration().inspected('services'));
  return Array.isArray(value) ? value : [];
}

/**
 * Writes `hostedModel.services` to the user settings.
 * @throws {ServiceError} `settings-not-written` if VS Code can't write a setting
 */
export async function writeServiceEntries(entries: readonly unknown[]): Promise<void> {
  await write('services', entries.length > 0 ? entries : undefined, 'user');
}

/** @param value undefined to remove the setting */
async function write(name: string, value: unknown, target: SettingsTarget): Promise<void> {
  const { Global, Workspace, WorkspaceFolder } = ConfigurationTarget;
  const folder = typeof target === 'string' ? undefined : target;
  const own = target === 'workspace' ? Workspace : Global;
  const level = folder ? WorkspaceFolder : own;
  try {
    await workspace.getConfiguration(SECTION, folder).update(name, value, level);
  } catch {
    throw new ServiceError('settings-not-written');
  }
}

/**
 * Calls the listener shortly after a change to this extension's settings or to the setting for AI
 * features. If several settings change within `NOTIFY_AFTER_MS`, the listener is called only once.
 */
export function onDidChangeSettings(listener: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const subscription = workspace.onDidChangeConfiguration((event) => {
    const isOfAi = event.affectsConfiguration(AI_SETTING);
    if (!isOfAi && !event.affectsConfiguration(SECTION)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      listener();
    }, NOTIFY_AFTER_MS);
  });
  return Disposable.from(subscription, { dispose: () => clearTimeout(timer) });
}

// Settings files can contain anything, regardless of the schema. A value of the wrong type counts
// as empty.

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : {};
}
