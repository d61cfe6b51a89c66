import assert from 'node:assert/strict';
import type { Connections } from '../../../src/connection/connections.ts';
import type { Lookup } from '../../../src/connection/sourceSelection.ts';
import { Connection } from '../../../src/service/connection.ts';
import { FakeKeyring, FakeState } from '../../unit/connection/fakes.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import type { Stores, Windows } from '../leaks/window.ts';

/**
 * The state that a release stored. `npm run record-state` recorded the state once, with that
 * release's code. Every later release must be able to read it.
 */
export interface StoredState {
  readonly version: string;
  readonly note: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The environment variables of VS Code. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly globalState: Readonly<Record<string, unknown>>;
  readonly workspaces: readonly StoredWorkspace[];
  /** Most recent first. */
  readonly lastUsedTemplates: readonly string[];
}

export interface Workspace {
  readonly title: string;
  /** The path to the folder, or an empty string if no folder is open. */
  readonly folder: string;
  /** The content of the `.env` file, or an empty string if there is none. */
  readonly envFile: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface StoredWorkspace extends Workspace {
  readonly workspaceState: Readonly<Record<string, unknown>>;
  /** The result of `outcomeOf` in the release that stored the state. */
  readonly outcome: ReturnType<typeof outcomeOf>;
}

/**
 * Returns the credentials that the extension would use, their source, and the user's decision on
 * each external source.
 */
export function outcomeOf({ found, choice }: Lookup) {
  const connection = choice.kind === 'ready' ? choice.connection : undefined;
  const { apiKey, projectId, authUrl, serviceUrl } = connection
    ? Connection.credentials(connection)
    : {};
  return {
    kind: choice.kind,
    source: connection?.source ?? '',
    ...{ apiKey, projectId, authUrl, serviceUrl },
    answers: Object.fromEntries(found.external.map(({ id, decision }) => [id, decision ?? 'none'])),
  };
}

/** Creates an editor with an open workspace. */
export function editorWith(
  { folder, envFile, settings }: Workspace,
  userSettings: StoredState['settings'],
): SinkEditor {
  const editor = new SinkEditor();
  for (const [name, value] of Object.entries(userSettings)) editor.userSettings.set(name, value);
  // If no folder is open, VS Code has no workspace settings, so these are user settings.
  const ofWorkspace = folder === '' ? editor.userSettings : editor.folderSettings;
  for (const [name, value] of Object.entries(settings)) ofWorkspace.set(name, value);
  editor.path = `${folder}/a.txt`;
  if (folder !== '') editor.addFolder(folder);
  if (envFile !== '') editor.files.set(`${folder}/.env`, envFile);
  return editor;
}

/** Creates stores with the state that an earlier release saved. */
export function storesWith(
  { secrets, globalState }: Pick<StoredState, 'secrets' | 'globalState'>,
  workspaceState: StoredWorkspace['workspaceState'],
): Stores {
  const stores = {
    keyring: new FakeKeyring(),
    globalState: new FakeState(),
    workspaceState: new FakeState(),
  };
  for (const [name, text] of Object.entries(secrets)) stores.keyring.values.set(name, text);
  for (const [name, value] of Object.entries(globalState)) {
    stores.globalState.values.set(name, value);
  }
  for (const [name, value] of Object.entries(workspaceState)) {
    stores.workspaceState.values.set(name, value);
  }
  return stores;
}

/** Creates a window's connections as `app.ts` does, except that requests and *Set Up* fail. */
export async function connectionsIn(
  windows: Windows,
  editor: SinkEditor,
  { keyring, globalState, workspaceState }: Stores,
  environment: StoredState['environment'],
): Promise<Connections> {
  windows.showing(editor, () => {});
  const { SourceApprovals } = await import('../../../src/connection/sourceApprovals.ts');
  const { Connections: Made } = await import('../../../src/connection/connections.ts');
  const { KeyStore } = await import('../../../src/connection/keyStore.ts');
  const secrets = keyring.window();
  const { ServiceRuntime } = await import('../../../src/service/serviceRuntime.ts');
  const fetch = async () => assert.fail('nothing may be sent');
  return new Made({
    keys: new KeyStore(secrets, globalState, () => {}),
    approvals: new SourceApprovals(secrets, globalState),
    workspaceState,
    environment,
    runtime: new ServiceRuntime({ http: { fetch } }),
    runSetUp: async () => assert.fail('nothing may be asked'),
    inBackground: (work) => void work.catch(assert.ifError),
  });
}
