import { startEmulator } from '../../emulator/emulator.ts';
import type { Fault } from '../../emulator/faults.ts';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import { defaultProjectId } from '../../emulator/settings.ts';
import { FakeKeyring, FakeState } from '../../unit/credentials/fakes.ts';
import { tokenPath } from '../service/world.ts';
import { SinkEditor } from './sinkEditor.ts';
import type { Stores, Windows } from './window.ts';

/** Where the key comes from. */
export const KEY_SOURCES = ['secret storage', '.env'] as const;
export type KeySource = (typeof KEY_SOURCES)[number];

export interface Scenario {
  readonly key: string;
  readonly source: KeySource;
  /** What both services answer to everything; the normal answer where it is left out. */
  readonly answers?: { readonly identity?: Fault; readonly inference?: Fault };
  readonly editor?: SinkEditor;
  readonly stores?: Partial<Stores>;
}

/** Runs commands one after the other in a window of its own, with a service of its own. */
export async function useService(
  opened: Windows,
  scenario: Scenario,
  commands: readonly string[],
): Promise<{ readonly editor: SinkEditor; readonly requests: readonly ReceivedRequest[] }> {
  const { key, source, answers } = scenario;
  const { editor = new SinkEditor() } = scenario;
  const stores = {
    keyring: new FakeKeyring(),
    globalState: new FakeState(),
    workspaceState: new FakeState(),
    ...scenario.stores,
  };
  const emulator = await startEmulator({ apiKeys: [key] });
  const { url } = emulator;
  editor.addFolder('/work');
  editor.userSettings.set('authUrl', url).set('insertMode', 'newDocument');
  if (source === 'secret storage') {
    editor.userSettings.set('url', url).set('projectId', defaultProjectId);
    const record = JSON.stringify({ apiKey: key, authUrl: url, serviceUrl: url });
    stores.keyring.values.set('hostedModel.key', record);
  } else {
    const lines = [`IBM_API_KEY=${key}`, `IBM_PROJECT_ID=${defaultProjectId}`, `IBM_URL=${url}`];
    editor.files.set('/work/.env', lines.join('\n'));
  }
  if (answers?.identity) emulator.faults.always(tokenPath, answers.identity);
  if (answers?.inference) {
    emulator.faults.always(({ path }) => path.startsWith('/ml/v1/'), answers.inference);
  }
  try {
    await opened.open(editor, stores, async (run) => {
      for (const command of commands) await run(command);
    });
    return { editor, requests: [...emulator.requests] };
  } finally {
    await emulator.close();
  }
}
