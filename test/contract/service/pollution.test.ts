import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { assertUntouched, startUnapproved } from '../../emulator/unapproved.ts';
import { pollutedWith } from './pollutedClient.ts';

/** All that came of one request, but for what differs each time. */
function requestsTo({ requests, tokensIssued }: Emulator) {
  return requests
    .filter(({ path }) => path !== '/identity/token')
    .map(({ method, path, query, text, headers }) => ({
      ...{ method, path, query: `${query}`, text, headers: { ...headers, authorization: '' } },
      bearer: tokensIssued.some((token) => headers.authorization === `Bearer ${token}`),
    }));
}

describe('what another extension puts on every object', () => {
  const names = Object.keys(pollutedWith('http://127.0.0.1:9'));
  let emulator: Emulator;
  let told: { readonly name: string; readonly outcome: string; readonly seen: unknown[] }[];

  before(async () => {
    emulator = await startEmulator({ namesRequestLimit: false });
    const foreign = await startUnapproved();
    const script = join(import.meta.dirname, 'pollutedClient.ts');
    const run = promisify(execFile)(process.execPath, [script, emulator.url, foreign.url]);
    told = (await run).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assertUntouched(foreign);
  });
  after(() => emulator.close());

  it(`changes nothing about where or how a request goes, for each of ${names.length} names`, () => {
    assert.ok(names.length >= 30);
    // Streams of Node itself read these; such an answer ends before it began.
    const breaking = ['body', 'start'];
    const failed = told.filter(({ outcome }) => outcome !== 'generated').map(({ name }) => name);
    assert.deepEqual(failed, breaking);
    const [expected, ...sent] = requestsTo(emulator);
    assert.equal(expected?.bearer, true);
    assert.equal(sent.length, names.length - breaking.length);
    for (const request of sent) assert.deepEqual(request, expected);
    const forTokens = emulator.requests.filter(({ path }) => path === '/identity/token');
    assert.ok(forTokens.length >= names.length);
    for (const { headers } of forTokens) assert.equal(headers.authorization, undefined);
  });

  it('reaches no option of the fetch of the editor', () => {
    const unset = [null, 'manual', 'omit', '', 'cors', null];
    for (const { name, seen } of told) assert.deepEqual(seen, unset, name);
  });
});
