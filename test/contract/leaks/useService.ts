import { type EmulatorOptions, startEmulator } from '../../emulator/emulator.ts';
import type { Fault } from '../../emulator/faults.ts';
import { isOtherAuthPath } from '../../emulator/otherAuthMethods.ts';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import { defaultProjectId } from '../../emulator/settings.ts';
import { FakeKeyring, FakeState } from '../../unit/connection/fakes.ts';
import { FakeTime, settled } from '../../unit/service/fixtures.ts';
import { tokenPath } from '../service/world.ts';
import { SinkEditor } from './sinkEditor.ts';
import type { Stores, Windows } from './window.ts';

/** The extension's deadline for response headers, in milliseconds. */
const START_MS = 180_000;

export const KEY_SOURCES = ['secret storage', '.env'] as const;
export type KeySource = (typeof KEY_SOURCES)[number];

/** The settings entry and the stored record of an added service. */
export interface AddedService {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly record: Readonly<Record<string, unknown>>;
}

export interface Scenario {
  readonly key: string;
  readonly source: KeySource;
  /** The faults that apply to all requests. A service without a fault responds normally. */
  readonly answers?: { readonly identity?: Fault; readonly inference?: Fault };
  /** Settings that differ from the defaults. `path` is appended to the service's address. */
  readonly values?: {
    readonly projectId?: string;
    readonly modelId?: string;
    readonly path?: string;
  };
  /** The added service to use. If undefined, the service is IBM watsonx.ai. */
  readonly added?: (url: string) => AddedService;
  readonly emulator?: EmulatorOptions;
  readonly editor?: SinkEditor;
  readonly stores?: Partial<Stores>;
}

/** Runs commands one after another in a new window, with a new emulated service. */
export async function useService(
  opened: Windows,
  scenario: Scenario,
  commands: readonly string[],
): Promise<{ readonly editor: SinkEditor; readonly requests: readonly ReceivedRequest[] }> {
  const { key, source, answers } = scenario;
  const { editor = new SinkEditor(), values = {}, added } = scenario;
  const { projectId = defaultProjectId, modelId, path = '' } = values;
  const stores = {
    keyring: new FakeKeyring(),
    globalState: new FakeState(),
    workspaceState: new FakeState(),
    ...scenario.stores,
  };
  const emulator = await startEmulator({ apiKeys: [key], ...scenario.emulator });
  const { url } = emulator;
  editor.addFolder('/work');
  editor.userSettings.set('insertMode', 'newDocument');
  if (!added) editor.userSettings.set('authUrl', url);
  if (modelId !== undefined) editor.userSettings.set('modelId', modelId);
  if (added) {
    const { entry, record } = added(url);
    editor.userSettings.set('service', entry['word']).set('services', [entry]);
    const stored = JSON.stringify({ ...record, definition: JSON.stringify(entry) });
    stores.keyring.values.set(`hostedModel.key.${entry['word']}`, stored);
  } else if (source === 'secret storage') {
    editor.userSettings.set('url', url + path).set('projectId', projectId);
    const record = JSON.stringify({ apiKey: key, authUrl: url, serviceUrl: url });
    stores.keyring.values.set('hostedModel.key.ibm', record);
  } else {
    const given = { API_KEY: key, PROJECT_ID: projectId, URL: url + path };
    const lines = Object.entries(given).map(([name, value]) => `IBM_${name}=${value}`);
    editor.files.set('/work/.env', lines.join('\n'));
  }
  const { identity, inference } = answers ?? {};
  const isInference = ({ path }: ReceivedRequest) => /^(\/ml)?\/v1\//.test(path);
  const isIdentity = ({ path }: ReceivedRequest) =>
    path === tokenPath || isOtherAuthPath(path, emulator.settings);
  if (identity) emulator.faults.always(isIdentity, identity);
  if (inference) emulator.faults.always(isInference, inference);
  const time = identity?.neverAnswers || inference?.neverAnswers ? new FakeTime() : undefined;
  const isSilence = identity?.neverAnswers ? tokenPath : isInference;
  try {
    await opened.open(editor, stores, async (run) => {
      for (const command of commands) {
        const over = run(command);
        if (time) await passSilences(time, () => emulator.count(isSilence), over);
        await over;
      }
    });
    return { editor, requests: [...emulator.requests] };
  } finally {
    time?.end();
    await emulator.close();
  }
}

/**
 * Moves the clock past the deadline of each request that gets no response, until the work is done.
 */
async function passSilences(time: FakeTime, silences: () => number, work: Promise<void>) {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  for (let passed = 0; !isOver; ) {
    await settled();
    if (silences() === passed) continue;
    passed = silences();
    await time.pass(START_MS);
  }
  await over;
}
