import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmulator } from '../emulator/emulator.ts';
import {
  assertUntouched,
  notApprovedYet,
  startUnapproved,
  totalOfUnapproved,
} from '../emulator/unapproved.ts';

const UNTOUCHED = { connections: 0, bytes: 0 };

describe('the emulator for an unapproved host', () => {
  const ofSuite = globalThis.unapprovedOfTests;
  beforeEach(() => {
    globalThis.unapprovedOfTests = new Set();
  });
  after(() => {
    globalThis.unapprovedOfTests = ofSuite;
  });

  /** Connects, sends this text, and waits until the connection is closed. */
  const speakTo = async ({ url }: { readonly url: string }, text: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.end(text);
    socket.resume();
    await once(socket, 'close');
  };

  it('counts a connection, even if nothing is sent', async () => {
    const [one, other] = [await startUnapproved(), await startUnapproved()];
    assert.deepEqual(totalOfUnapproved(), { listeners: 2, ...UNTOUCHED });
    assertUntouched(one, other);
    await speakTo(one, '');
    assert.throws(() => assertUntouched(other, one), assert.AssertionError);
    assertUntouched(other);
    assert.deepEqual(totalOfUnapproved(), { listeners: 2, connections: 1, bytes: 0 });
  });

  it('counts every byte, even from an invalid request or a TLS handshake', async () => {
    const listener = await startUnapproved();
    await speakTo(listener, 'hello');
    assert.deepEqual(listener.received, { connections: 1, bytes: 5 });
    await assert.rejects(fetch(listener.secureUrl));
    assert.ok(listener.received.bytes > 50);
    assert.equal(totalOfUnapproved().connections, 2);
  });

  it('counts traffic only until the host is approved', async () => {
    const emulator = await startEmulator();
    const [never, atOnce] = [notApprovedYet(emulator), notApprovedYet(emulator)];
    atOnce.approve();
    await speakTo(emulator, 'hello');
    assert.deepEqual(never.received, { connections: 1, bytes: 5 });
    assert.throws(() => never.approve(), assert.AssertionError);
    assertUntouched(atOnce);

    const again = notApprovedYet(emulator);
    assertUntouched(again);
    await fetch(emulator.url);
    const { connections, bytes } = again.received;
    assert.ok(connections === 1 && bytes > 50, `${bytes}`);
    await emulator.close();
    assert.deepEqual(again.received, { connections, bytes });
    assert.equal(totalOfUnapproved().listeners, 3);
  });
});

describe('the check for contact with unapproved hosts', () => {
  const QUIET = 'await startUnapproved();';
  // A test with this code passes, so only the check of the total can fail the run.
  const SPEAKING = 'await fetch((await startUnapproved()).url);';
  const SIDE_BY_SIDE = ['--parallel', '--jobs', '2'];

  /** Runs mocha with the hooks of `unapprovedTotal` on files with one test each. */
  async function run(bodies: readonly string[], atLeast: number, options: readonly string[] = []) {
    const folder = await mkdtemp(join(tmpdir(), 'hosted-model-'));
    const write = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const importOf = (name: string) => `'${resolve('test/emulator', name)}'`;
    try {
      const plugin = await write(
        'plugin.ts',
        `import { unapprovedTotal } from ${importOf('unapprovedTotal.ts')};
         export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(${atLeast});`,
      );
      const files = bodies.map((body, index) =>
        write(
          `${index}.test.ts`,
          `import { startUnapproved } from ${importOf('unapproved.ts')};
           it('test', async () => { ${body} });`,
        ),
      );
      const words = [
        'node_modules/mocha/bin/mocha.js',
        '--require',
        plugin,
        ...options,
        ...(await Promise.all(files)),
      ];
      return await new Promise<{ failed: boolean; output: string }>((settle) => {
        execFile(process.execPath, words, (error, stdout, stderr) => {
          settle({ failed: error !== null, output: `${stdout}${stderr}` });
        });
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  for (const options of [[], SIDE_BY_SIDE]) {
    const how = options.length > 0 ? 'in parallel' : 'sequentially';
    it(`fails a suite that runs ${how} if a test contacts an unapproved host`, async () => {
      const { failed, output } = await run([SPEAKING, QUIET], 2, options);
      assert.match(output, /2 passing[\s\S]*1 failing[\s\S]*"after all" hook/);
      assert.match(output, /unapproved listeners: 2, connections: 1, bytes: [1-9]\d+; bar/);
      assert.equal(failed, true);
    });
  }

  it('fails a suite that starts fewer emulators for unapproved hosts than expected', async () => {
    const { failed, output } = await run([QUIET, QUIET], 3, SIDE_BY_SIDE);
    assert.match(output, /2 unapproved listeners instead of at least 3/);
    assert.doesNotMatch(output, /[1-9]\d* failing/);
    assert.equal(failed, true);
  });

  it('requires no minimum number of emulators if only part of a suite runs', async () => {
    const { failed, output } = await run([QUIET, QUIET], 3, ['--grep', 'test']);
    assert.match(
      output,
      /unapproved listeners: 2, connections: 0, bytes: 0; bar: at least 0, 0, 0/,
    );
    assert.equal(failed, false, output);
  });
});
