import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Credentials } from '../../../src/service/credentials.ts';
import { type CheckResult, type Diagnosis, diagnose } from '../../../src/service/diagnose.ts';
import type { HttpOptions } from '../../../src/service/http.ts';
import { Session } from '../../../src/service/session.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../emulator/emulator.ts';
import { ibm, modelId } from './world.ts';

/** A diagnosis against the emulator, and what must hold whatever it finds. */

const apiKey = 'C4nary-Key_0123456789';
const projectId = 'c4nary-project-0123';

export const settings = {
  modelId,
  operation: 'chat',
  limits: { limit: 3, queue: 50, minIntervalMs: 0 },
} as const;

export interface Examination {
  readonly emulator: Emulator;
  readonly session: Session;
  readonly credentials: Credentials;
  readonly examine: (signal?: AbortSignal) => Promise<Found>;
}

export interface Found {
  readonly diagnosis: Diagnosis;
  /** `check state` for every call of the listener. */
  readonly events: readonly string[];
  /** `check state` for each check at the end. */
  readonly states: readonly string[];
}

export interface ExaminationOptions {
  readonly emulator?: EmulatorOptions;
  readonly credentials?: Partial<Credentials> | ((url: string) => Partial<Credentials>);
  readonly http?: HttpOptions;
  readonly modelId?: string;
}

const open: (() => Promise<void>)[] = [];

export async function startExamination(options: ExaminationOptions = {}): Promise<Examination> {
  const emulator = await startEmulator({
    apiKeys: [apiKey],
    projectIds: [projectId],
    ...options.emulator,
  });
  const { url } = emulator;
  const chosen =
    typeof options.credentials === 'function' ? options.credentials(url) : options.credentials;
  const addresses = { authUrl: url, serviceUrl: url, ...chosen };
  const credentials: Credentials = {
    vendor: ibm,
    apiKey,
    projectId,
    ...addresses,
    approved: {
      auth: new URL(addresses.authUrl).origin,
      service: new URL(addresses.serviceUrl).origin,
    },
    ...chosen,
  };
  const session = new Session({ http: { waitMs: () => 1, ...options.http } });
  open.push(async () => {
    session.dispose();
    await emulator.close();
  });
  const examine = async (signal = new AbortController().signal) => {
    const results: CheckResult[] = [];
    const chosenSettings = { ...settings, modelId: options.modelId ?? modelId };
    const diagnosis = await diagnose(
      { session, credentials, settings: chosenSettings },
      (result) => results.push(result),
      signal,
    );
    assertHarmless(emulator, [diagnosis, results], credentials);
    const line = ({ check, state }: CheckResult) => `${check} ${state}`;
    return { diagnosis, events: results.map(line), states: diagnosis.results.map(line) };
  };
  return { emulator, session, credentials, examine };
}

export async function endExaminations(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()));
}

/** No text was generated, no secret told, and no credential sent where none is needed. */
function assertHarmless(
  emulator: Emulator,
  told: readonly unknown[],
  { apiKey: key, projectId: project }: Credentials,
): void {
  for (const { path, text, headers } of emulator.requests) {
    assert.doesNotMatch(path, /text\/(chat|generation)/);
    if (path === '/identity/token' && text === '') assert.equal(headers.authorization, undefined);
    if (path.endsWith('_specs')) assert.equal(headers.authorization ?? text, '');
  }
  const texts = [JSON.stringify(told), inspect(told, { depth: 12, showHidden: true })].join('\n');
  for (const secret of [key, project, 'c4nary', ...emulator.tokensIssued]) {
    assert.ok(!texts.toLowerCase().includes(secret.toLowerCase()), `${secret} in ${texts}`);
  }
}
