import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { type ShownCheck, shownCheck } from '../../../src/diagnose/checkMessages.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import {
  type CheckResult,
  runConnectionChecks,
} from '../../../src/service/checks/connectionChecks.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import type { ServiceError } from '../../../src/service/errors.ts';
import type { HttpOptions } from '../../../src/service/http/http.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../emulator/emulator.ts';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import { type CauseName, causes, shapeOf } from '../../unit/causes.ts';
import { ibm, modelId, tokenPath } from './world.ts';

/** Runs a diagnosis against the emulator, and checks the rules that every diagnosis must follow. */

const apiKey = 'C4nary-Key_0123456789';
const projectId = 'c4nary-project-0123';

export const settings = {
  modelId,
  operation: 'chat',
  limits: { limit: 3, queue: 50, minIntervalMs: 0 },
} as const;

export const modelsPath = '/ml/v1/foundation_model_specs';
export const accessPath = '/ml/v1/text/tokenization';
/** The path that the host check and the token check request from an OpenAI-compatible service. */
export const gatewayAccessPath = '/ml/gateway/v1/models';
export const gatewayChatPath = '/ml/gateway/v1/chat/completions';

/**
 * Returns how many requests each check sent. The checks contact the identity service without a key,
 * list the models, get a token, and test access to the model, in that order.
 */
export const counts = ({ emulator }: { readonly emulator: Emulator }) => [
  emulator.count(({ path, method }) => path === tokenPath && method === 'GET'),
  emulator.count(modelsPath),
  emulator.count(({ path, method }) => path === tokenPath && method === 'POST'),
  emulator.count(({ path }) => path === accessPath || path === gatewayAccessPath),
];

/** Returns a fault with an error response in the service's format. */
export const rejection = (status: number, code: string, message = '') => ({
  status,
  json: { errors: [{ code, message }], trace: 'abc', status_code: status },
});

/** Returns a fault with an error response in the format of an OpenAI-compatible service. */
export const gatewayRejection = (status: number, code: string) => ({
  status,
  json: { error: { message: '', code } },
});

export interface Examination {
  readonly emulator: Emulator;
  readonly runtime: ServiceRuntime;
  readonly credentials: Credentials;
  readonly examine: (signal?: AbortSignal) => Promise<Found>;
}

export interface Diagnosis {
  /** The last result of each check, in the order in which the checks were first reported. */
  readonly results: readonly CheckResult[];
  /** The failure from the first unsuccessful check. */
  readonly failure: ServiceError | undefined;
}

export interface Found {
  readonly diagnosis: Diagnosis;
  /** Each reported result as `check state`, in order. */
  readonly events: readonly string[];
  /** The text shown each time a check waited for a retry. */
  readonly retries: readonly string[];
  /** The last result of each check, as `check state`. */
  readonly states: readonly string[];
}

export interface ExaminationOptions {
  readonly emulator?: EmulatorOptions;
  readonly credentials?: Partial<Credentials> | ((url: string) => Partial<Credentials>);
  readonly http?: HttpOptions;
  readonly modelId?: string;
  readonly mayUse?: () => Promise<boolean>;
}

/** Options for examining an OpenAI-compatible service instead of watsonx.ai. */
export const onGateway: ExaminationOptions = {
  credentials: { service: serviceFor('ibm_gateway') ?? assert.fail(), projectId: '' },
};

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
    service: ibm,
    apiKey,
    projectId,
    ...addresses,
    approved: {
      auth: new URL(addresses.authUrl).origin,
      service: new URL(addresses.serviceUrl).origin,
    },
    ...chosen,
  };
  const runtime = new ServiceRuntime({ http: { waitMs: () => 1, ...options.http } });
  open.push(async () => {
    runtime.dispose();
    await emulator.close();
  });
  const examine = async (signal = new AbortController().signal) => {
    const { mayUse } = options;
    const results: CheckResult[] = [];
    const sentBefore = emulator.requests.length;
    const secrets = [credentials.apiKey, credentials.projectId, 'c4nary'].filter(Boolean);
    const chosenSettings = { ...settings, modelId: options.modelId ?? modelId };
    const failure = await runConnectionChecks(
      { runtime: runtime, credentials, settings: chosenSettings, ...(mayUse && { mayUse }) },
      (result) => results.push(result),
      signal,
    );
    const sent = emulator.requests.slice(sentBefore);
    const running = results.filter(({ state }) => state === 'running');
    const retries = running.map((result) => shownCheck(result).text).filter(Boolean);
    const last = new Map(results.map((result) => [result.check, result]));
    const diagnosis = { results: [...last.values()], failure };
    assertHarmless(sent, [diagnosis, results], [...emulator.tokensIssued, ...secrets]);
    const line = ({ check, state }: CheckResult) => `${check} ${state}`;
    return { diagnosis, retries, events: results.map(line), states: diagnosis.results.map(line) };
  };
  return { emulator, runtime, credentials, examine };
}

export async function endExaminations(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()));
}

/**
 * Asserts that the first failure or warning has this cause's message, fix, and title from
 * docs/troubleshooting.md.
 */
export function assertNamed({ results }: Diagnosis, named: CauseName): void {
  const result = results.find(({ state }) => state === 'failed' || state === 'warning');
  const shown: ShownCheck | undefined = result && shownCheck(result);
  const expected: ShownCheck = causes[named];
  assert.equal(shown && shapeOf(shown), shapeOf(expected));
  assert.deepEqual([shown?.fix, shown?.title], [expected.fix, expected.title]);
}

/**
 * Asserts that no text was generated, no secret was reported, and no credentials were sent in
 * requests that don't need them.
 */
function assertHarmless(
  sent: readonly ReceivedRequest[],
  reported: readonly unknown[],
  secrets: readonly string[],
): void {
  for (const { path, text, headers } of sent) {
    assert.doesNotMatch(path, /text\/(chat|generation)/);
    if (path === '/identity/token' && text === '') assert.equal(headers.authorization, undefined);
    if (path.endsWith('_specs')) assert.equal(headers.authorization ?? text, '');
  }
  const texts = [JSON.stringify(reported), inspect(reported, { depth: 12, showHidden: true })].join(
    '\n',
  );
  for (const secret of secrets) {
    assert.ok(!texts.toLowerCase().includes(secret.toLowerCase()), `${secret} in ${texts}`);
  }
}
