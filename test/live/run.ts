/**
 * `npm run test:live`: sends the extension's requests to a real service, and reports how its
 * responses differ from the emulator's. The emulator's responses are based on
 * test/emulator/recordings.json. Generates at most 200 tokens. Sends nothing if the environment
 * contains no credentials.
 */
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { services } from '../../src/service/builtInServices.ts';
import type { Credentials } from '../../src/service/credentials.ts';
import { holdsSecret, redact } from '../../src/service/masking.ts';
import { parseServiceUrl } from '../../src/service/serviceUrl.ts';
import { startEmulator } from '../emulator/emulator.ts';
import { recordedModels } from '../emulator/models.ts';
import { defaultApiKey, defaultProjectId } from '../emulator/settings.ts';
import { readEnvironment } from '../unit/dotenv/reading.ts';
import { differencesOf } from './differences.ts';
import { type LiveRun, takeSteps } from './steps.ts';
import { MOST_TOKENS } from './witness.ts';

const [service] = services;

const { values: options } = parseArgs({
  options: {
    model: { type: 'string', default: service.defaultModelId },
    identity: { type: 'string', default: service.authUrl },
  },
});

const credentials = credentialsFrom(process.env, options.identity);
if (typeof credentials === 'string') {
  console.log(credentials);
  process.exitCode = credentials.startsWith('Skipped') ? 0 : 1;
} else {
  process.exitCode = await compareWithEmulator(credentials, options.model);
}

/** Returns the credentials, or a message that explains why the test can't run. */
function credentialsFrom(
  environment: Readonly<Record<string, string | undefined>>,
  identity: string,
): Credentials | string {
  const { values, missing, named, issues } = readEnvironment(environment, service);
  if (named.length === 0) {
    const names = 'VENDOR_API_KEY, VENDOR_PROJECT_ID, and VENDOR_URL';
    return `Skipped, because the environment has no credentials. Set ${names}, or another set of names from docs/credentials.md. This test runs the extension's client against the live service, and generates at most ${MOST_TOKENS} tokens.`;
  }
  const wrong = issues
    .filter(({ isError }) => isError)
    .map(({ name, kind }) => `${name} (${kind})`);
  const [address, auth] = [parseServiceUrl(values?.url ?? ''), parseServiceUrl(identity)];
  if (!auth.ok)
    return `Not run, because the address after --identity can't be used: ${auth.problem}.`;
  if (!values || !address.ok) {
    return `Not run. Missing: ${missing.join(', ') || 'none'}. Invalid: ${wrong.join(', ') || 'none'}.`;
  }
  if (values.resource === 'deployment') {
    return 'Not run, because there are no recordings of a deployment to compare with.';
  }
  return {
    ...{ service, ...values, authUrl: auth.url, serviceUrl: address.url },
    approved: { auth: auth.origin, service: address.origin },
  };
}

async function compareWithEmulator(target: Credentials, modelId: string): Promise<0 | 1> {
  const { serviceUrl, authUrl, projectId } = target;
  const isListed = service.regions.some(({ url }) => url === serviceUrl);
  const expected = await onEmulator(modelId);
  const found = await takeSteps({ credentials: target, modelId });
  const { text, isAsRecorded } = comparison(expected, found);
  const report = [
    `Hosted Model ${manifest.version}, Node ${process.versions.node}, ${process.platform}`,
    // The report may be published, so it doesn't name a company's own hosts.
    `Service: ${isListed ? new URL(serviceUrl).host : 'your own host'}. Model: ${modelId}`,
    authUrl === service.authUrl ? '' : 'Identity service: your own host',
    ...['', text, ''],
    `The service counted ${found.generated} generated tokens. The requests allowed ${found.allowed}, and the limit is ${MOST_TOKENS}.`,
  ].join('\n');
  // As with the extension's own reports, a report that contains a secret isn't shown at all.
  if (holdsSecret(report, [...found.secrets, projectId]) || redact(report) !== report) {
    console.log('The result isn’t shown, because it contains a key, a token, or a project ID.');
    return 1;
  }
  console.log(report);
  return isAsRecorded && found.generated <= MOST_TOKENS ? 0 : 1;
}

/** Runs the steps against an emulated service to get the expected responses. */
async function onEmulator(modelId: string): Promise<LiveRun> {
  const [model, ...others] = recordedModels;
  const answer = () => Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');
  const models = [{ functions: [], ...model, model_id: modelId }, ...others];
  const emulator = await startEmulator({ answer, models });
  const { url } = emulator;
  try {
    return await takeSteps({
      credentials: {
        ...{ service, apiKey: defaultApiKey, projectId: defaultProjectId },
        ...{ authUrl: url, serviceUrl: url, approved: { auth: url, service: url } },
      },
      modelId,
    });
  } finally {
    await emulator.close();
  }
}

function comparison(expected: LiveRun, found: LiveRun) {
  const lines: string[] = [];
  const counts = { same: 0, differs: 0 };
  for (const [name, step] of expected.steps) {
    const other = found.steps.get(name);
    if (!other) continue;
    const { otherwise, beyond } = differencesOf(step, other);
    const isSame = otherwise.length === 0;
    counts[isSame ? 'same' : 'differs'] += 1;
    lines.push(`${isSame ? 'as recorded' : 'DIFFERS    '}  ${name}: ${other.outcome}`);
    lines.push(...otherwise.map((one) => `    ${one}`), ...beyond.map((one) => `    (${one})`));
  }
  lines.push('', `${counts.same} steps match the recordings, and ${counts.differs} differ.`);
  return { text: lines.join('\n'), isAsRecorded: counts.differs === 0 };
}
