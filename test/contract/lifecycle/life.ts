import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { FakeKeyring, FakeState } from '../../unit/connection/fakes.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { type Stores, type Windows, windows } from '../leaks/window.ts';

/** The settings entry of a service that the user added. */
export const acme = {
  word: 'acme',
  name: 'ACME',
  authentication: { kind: 'zenApiKey' },
  api: 'openai',
  defaultModel: 'acme/large',
};

/** An emulated service and its user's stored state. */
export interface Life {
  readonly emulator: Emulator;
  readonly stores: Stores & { readonly keyring: FakeKeyring };
  /**
   * Adds a folder and the user's settings to an editor, by default a new `SinkEditor`. Settings
   * without a value are undefined, because this editor doesn't read defaults from package.json. Its
   * documents can't be edited, so use the insert mode `clipboard`. Call `keepDocument` before
   * commands that act on an earlier response. Test changes to a document or its selections in
   * `test/host`.
   */
  readonly editor: (editor?: SinkEditor) => SinkEditor;
}

export async function startLife(keyring = new FakeKeyring()): Promise<Life> {
  const emulator = await startEmulator({ namesRequestLimit: false });
  const { url } = emulator;
  const record = JSON.stringify({ apiKey: defaultApiKey, authUrl: url, serviceUrl: url });
  keyring.values.set('hostedModel.key.ibm', record);
  return {
    emulator,
    stores: { keyring, globalState: new FakeState(), workspaceState: new FakeState() },
    editor: (editor = new SinkEditor()) => {
      editor.addFolder('/work');
      editor.userSettings
        .set('authUrl', url)
        .set('url', url)
        .set('projectId', defaultProjectId)
        .set('insertMode', 'newDocument');
      return editor;
    },
  };
}

/**
 * Registers mocha hooks that create a new `Life` for each test in a suite. All tests in the suite
 * share `opened`. `emulator.count(pathOf('chat', true))` counts the generations.
 * `editor.textOf('notification')` contains all messages and their buttons. `editor.button` is the
 * button to click.
 */
export function eachWithLife(): { readonly life: Life; readonly opened: Windows } {
  let life: Life;
  let opened: Windows;
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());
  beforeEach(async () => {
    life = await startLife();
  });
  afterEach(() => life.emulator.close());
  return {
    get life() {
      return life;
    },
    get opened() {
      return opened;
    },
  };
}
