import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { recording } from '../emulator/recordings.ts';
import { defaultApiKey, defaultProjectId } from '../emulator/settings.ts';
import { MOST_TOKENS, Witness } from '../live/witness.ts';
import { endWorlds, failureOf, startWorld } from './service/world.ts';

/** Runs the `test:live` script against the emulator. */

const chat = '/ml/v1/text/chat';

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** @param environment the environment variables, except for `PATH` */
function runLive(environment: Readonly<Record<string, string>>, ...given: string[]) {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const env = { PATH: process.env['PATH'], ...environment };
  const child = execFile(process.execPath, ['test/live/run.ts', ...given], { env }, (_, out, err) =>
    resolve({ code: child.exitCode ?? -1, output: out + err }),
  );
  return promise;
}

const runAgainst = ({ url }: Emulator) =>
  runLive(
    { VENDOR_API_KEY: defaultApiKey, VENDOR_PROJECT_ID: defaultProjectId, VENDOR_URL: url },
    '--identity',
    url,
  );

describe('a live test run', () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  afterEach(async () => {
    emulator.reset();
    await endWorlds();
  });
  after(() => emulator.close());

  const assertHarmless = (output: string) => {
    for (const secret of [defaultApiKey, defaultProjectId, ...emulator.tokensIssued]) {
      assert.ok(!output.includes(secret), output);
    }
  };

  it('is skipped with a message if none of its environment variables are set', async () => {
    const { code, output } = await runLive({});
    assert.equal(code, 0);
    assert.match(output, /^Skipped, .*VENDOR_API_KEY, VENDOR_PROJECT_ID, and VENDOR_URL.*\n$/);
  });

  it('reports missing and invalid environment variables instead of calling the service', async () => {
    const some = { IBM_API_KEY: defaultApiKey, IBM_URL: 'http://a.example' };
    const { code, output } = await runLive(some);
    assert.equal(code, 1);
    assert.equal(output, 'Not run. Missing: IBM_PROJECT_ID. Invalid: IBM_URL (bad-url).\n');
  });

  it("succeeds within its output token limit if the service's responses match the recordings", async () => {
    const { code, output } = await runAgainst(emulator);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /DIFFERS/);
    assert.match(output, /, and 0 differ\.\n/);
    assertHarmless(output);
    const limits = emulator.requests
      .filter(({ path }) => /\/text\/(chat|generation)/.test(path))
      .map(({ json }) => json as { max_completion_tokens: number; parameters: never })
      .map(
        ({ max_completion_tokens: ofChat, parameters }) => ofChat ?? parameters['max_new_tokens'],
      );
    assert.ok(limits.length > 10);
    assert.ok(limits.reduce((sum, limit) => sum + limit, 0) <= MOST_TOKENS, limits.join());
  });

  it('prints how fields, types, values, the status, and headers differ from the recordings', async () => {
    const { json } = recording(9).response;
    const { created_at, ...others } = json as Record<string, unknown>;
    const planted = { ...others, created: 'today', extra: { more: 1 } };
    emulator.faults.next(chat, { json: planted });
    emulator.faults.next('/ml/v1/text/tokenization', { status: 403, json: { error: 'no' } });
    const { code, output } = await runAgainst(emulator);
    assert.equal(code, 1);
    const place = `    POST ${chat} \\(recording 9, F: [^)]*\\):`;
    for (const expected of [
      /^DIFFERS {6}Diagnose Connection: .*access failed \(intercepted\)/m,
      /tokenization \(recording 24, D: .*\): status 403, not 200$/m,
      /^DIFFERS {6}chat: text, ended by finished, counted$/m,
      new RegExp(`^${place} field created_at is missing$`, 'm'),
      new RegExp(`^${place} field created is string, not number$`, 'm'),
      new RegExp(`^${place} field choices\\[\\]\\.finish_reason is stop, not length$`, 'm'),
      new RegExp(`^${place} header x-requests-limit-rate is missing$`, 'm'),
      /\(POST .*: further fields: extra\.more\)$/m,
      /15 steps match the recordings, and 2 differ\./,
    ]) {
      assert.match(output, expected);
    }
    assertHarmless(output);
  });

  it('hides the whole result if the service echoes the key', async () => {
    emulator.faults.always(chat, {
      status: 400,
      json: { [defaultApiKey]: 1, code: defaultApiKey },
    });
    const { code, output } = await runAgainst(emulator);
    assert.equal(code, 1);
    assert.equal(
      output,
      'The result isn’t shown, because it contains a key, a token, or a project ID.\n',
    );
  });

  it('blocks requests that could exceed its output token limit', async () => {
    const witness = new Witness([]);
    const { generate, inferenceCount } = await startWorld({ http: { fetch: witness.fetch } });
    await failureOf(generate({}, { max_new_tokens: MOST_TOKENS + 1 }));
    assert.equal(inferenceCount(), 0);
    await generate({}, { max_new_tokens: MOST_TOKENS });
    await failureOf(generate({}, { max_new_tokens: 1 }));
    assert.equal(inferenceCount(), 1);
  });
});
