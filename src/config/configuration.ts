import { ConfigurationTarget, Disposable, type Uri, workspace } from 'vscode';
import { AI_SETTING, type Inspected, userValue } from '../privateApi.ts';

/**
 * The only caller of getConfiguration: what settings files hold, as it stands there, and changes of
 * it. What the values are good for is decided in `settings.ts`, which loads with the first use.
 */

const SECTION = 'hostedModel';
/** Between two readings of changed settings. */
const LEAST_APART_MS = 100;

/** The values that hold for a document, or for the window. */
export class Configuration {
  readonly #values;

  constructor(scope?: Uri) {
    this.#values = workspace.getConfiguration(SECTION, scope);
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

  /** The text of the user's own settings file. */
  own(name: string): string {
    return textOf(userValue(this.inspected(name)));
  }
}

/** What requests can name; set once, and the more special of two wins. */
export const RESOURCE_KINDS = ['deployment', 'space', 'project'] as const;

/** What is shown and done before anything has loaded that knows the services. */
export function readStartupSettings(scope?: Uri) {
  const configuration = new Configuration(scope);
  const text = (name: string) => configuration.text(name);
  const resource = RESOURCE_KINDS.find((name) => text(`${name}Id`) !== '');
  return {
    ...{ authUrl: text('authUrl'), url: text('url'), modelId: text('modelId') },
    ...{ projectId: resource ? text(`${resource}Id`) : '', resource },
  };
}

/** The word in `hostedModel.service`. Empty means the first service that is set up. */
export function chosenService(): string {
  return new Configuration().text('service').toLowerCase();
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

/** Names of settings that are written. */
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

/** The settings of the user, of the workspace, or of a folder. */
export type SettingsTarget = 'user' | 'workspace' | Uri;

/**
 * The settings to write to for a folder.
 * @param folder undefined for documents outside of every folder
 */
export function targetForFolder(folder: Uri | undefined): SettingsTarget {
  return folder ?? (workspace.workspaceFile ? 'workspace' : 'user');
}

/** The settings that contain the value that applies to a folder. */
export function targetOfSetting(name: Written, folder: Uri | undefined): SettingsTarget {
  const { workspaceFolderValue, workspaceValue } = new Configuration(folder).inspected(name);
  if (folder && workspaceFolderValue !== undefined) return folder;
  const isOfWorkspace = targetForFolder(folder) !== 'user' && workspaceValue !== undefined;
  return isOfWorkspace ? 'workspace' : 'user';
}

/**
 * Writes settings. An empty value removes the setting.
 * @throws if VS Code refuses
 */
export async function writeSettings(
  values: WritableSettings,
  target: SettingsTarget = 'user',
): Promise<void> {
  const { Global, Workspace, WorkspaceFolder } = ConfigurationTarget;
  const folder = typeof target === 'string' ? undefined : target;
  const configuration = workspace.getConfiguration(SECTION, folder);
  const own = target === 'workspace' ? Workspace : Global;
  for (const [name, value] of Object.entries(values)) {
    await configuration.update(name, value || undefined, folder ? WorkspaceFolder : own);
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

// Settings files hold anything, whatever the schema says.

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
