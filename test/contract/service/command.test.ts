import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchToken } from '../../../src/service/auth/identityService.ts';
import { TOKEN_DEADLINE_MS } from '../../../src/service/auth/token.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import type { CommandProblem, ServiceError } from '../../../src/service/errors.ts';
import { Http } from '../../../src/service/http/http.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { defaultApiKey } from '../../emulator/settings.ts';
import { textsOfError } from '../../unit/service/canaries.ts';
import { credentials, FakeTime, failureOf, never } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { endExaminations, startExamination } from './diagnoseWorld.ts';
import {
  commandService,
  deletePrograms,
  makeTokenProgram,
  type WatchedProcesses,
  watchProcesses,
} from './tokenProgram.ts';
import { endWorlds, kindOf, SetClock, startWorld } from './world.ts';

/** Tests token commands with real programs, including programs that fail or don't print a token. */

const token = 'c4nary-token_0123456789';
const MINUTE = 60_000;
const print = (text: string) => `process.stdout.write(${text})`;
const expired = ['{}', '{"exp":1}', 'c4nary']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

/** Returns the credentials of a service whose token command runs a line of JavaScript. */
function credentialsOf(line: string, ...more: readonly string[]): Credentials {
  const command = [process.execPath, '-e', line, ...more];
  return {
    ...credentials,
    apiKey: '',
    service: commandService(command),
    program: process.execPath,
  };
}

const http = new Http();
const run = (line: string) => fetchToken(http, credentialsOf(line), never);

function hasNoOutput(error: ServiceError): void {
  const { message, details } = error;
  const texts = [message, JSON.stringify(details), textsOfError(error)].join('\n');
  assert.doesNotMatch(texts, /c4nary|process\.stdout/i);
}

const isGone = (id: number) => {
  try {
    process.kill(id, 0);
    return false;
  } catch (error) {
    return Object(error).code === 'ESRCH';
  }
};

after(() => http.dispose());

describe('a token command', () => {
  let watched: WatchedProcesses;
  let folder: string;
  let time: FakeTime | undefined;
  beforeEach(async () => {
    watched = await watchProcesses();
    folder = mkdtempSync(join(tmpdir(), 'command-'));
  });
  afterEach(() => {
    time?.end();
    watched.close();
    rmSync(folder, { recursive: true });
  });

  it('provides the token that it prints', async () => {
    assert.equal((await run(print(`'${token}\\n'`))).value, token);
  });

  it('runs in the home directory with unchanged arguments', async () => {
    const more = ['a b', '$HOME', '"; exit 1; "', '%PATH%', "'", '*'];
    const asHex =
      "Buffer.from(JSON.stringify([process.cwd(),...process.argv.slice(1)])).toString('hex')";
    const used = credentialsOf(print(asHex), ...more);
    const { value } = await fetchToken(http, used, never);
    assert.deepEqual(JSON.parse(Buffer.from(value, 'hex').toString()), [homedir(), ...more]);
  });

  it('gets EOF immediately if it reads from stdin', async () => {
    const line = `process.stdin.resume();process.stdin.on('end',()=>${print(`'${token}'`)})`;
    assert.equal((await run(line)).value, token);
  });

  it('can print to stderr without affecting the token', async () => {
    const line = `process.stderr.write('c4nary'.repeat(50_000));${print(`'${token}'`)}`;
    assert.equal((await run(line)).value, token);
  });

  const problems: Readonly<Record<string, readonly [line: string, problem: CommandProblem]>> = {
    'prints nothing': ['0', 'nothing'],
    'prints 1 MB': [`${print("'c4nary'.repeat(180_000)")};setInterval(()=>{},1e3)`, 'too-long'],
    'prints one byte more than 64 KB': [print("'c'.repeat(65_537)"), 'too-long'],
    'prints binary data': [print('require("crypto").randomBytes(999)'), 'no-token'],
    'prints two lines': [print(`'${token}\\n${token}'`), 'no-token'],
    'prints an expired JWT': [print(`'${expired}'`), 'expired'],
    'is killed by a signal': [
      `${print(`'${token}'`)};process.kill(process.pid,'SIGKILL')`,
      'stopped',
    ],
  };
  for (const [what, [line, problem]] of Object.entries(problems)) {
    it(`that ${what} fails with the problem "${problem}" without revealing its output`, async () => {
      const error = await failureOf(run(line));
      assert.deepEqual([error.kind, error.details], ['command-failed', { problem }]);
      hasNoOutput(error);
    });
  }

  it('that exits with code 3 runs once more, then fails', async () => {
    const runs = join(folder, 'runs');
    const line = `require('fs').appendFileSync(process.argv[1],'.');${print(`'${token}'`)};process.exitCode=3`;
    const error = await failureOf(fetchToken(http, credentialsOf(line, runs), never));
    assert.deepEqual(error.details, { problem: 'exit', exitCode: 3 });
    assert.equal(readFileSync(runs, 'utf8'), '..');
    hasNoOutput(error);
  });

  it("isn't run again if it fails in the second half of its time limit", async () => {
    time = new FakeTime();
    const timed = new Http({ clock: time });
    const line = `${watched.join};s.once('data',()=>process.exit(1))`;
    const failure = failureOf(fetchToken(timed, credentialsOf(line), never));
    await watched.joined(1);
    await time.pass(TOKEN_DEADLINE_MS / 2 + 1);
    watched.sendLine('exit');
    assert.deepEqual((await failure).details, { problem: 'exit', exitCode: 1 });
    timed.dispose();
  });

  it('is run again in the remaining time if it fails in the first half of its time limit', async () => {
    time = new FakeTime();
    const timed = new Http({ clock: time });
    const line = `${watched.join};s.once('data',()=>process.exit(1))`;
    const failure = failureOf(fetchToken(timed, credentialsOf(line), never));
    await watched.joined(1);
    await time.pass(TOKEN_DEADLINE_MS / 2);
    watched.sendLine('exit');
    await watched.joined(2);
    await time.pass(TOKEN_DEADLINE_MS / 2);
    assert.deepEqual((await failure).details, { problem: 'too-slow' });
    timed.dispose();
  });

  it('that hangs is killed at its deadline', async () => {
    time = new FakeTime();
    const failure = failureOf(run(`${watched.join};${print("'c4nary'")}`));
    const [id = 0] = await watched.joined(1);
    await time.pass(TOKEN_DEADLINE_MS);
    const error = await failure;
    time.end();
    assert.deepEqual([error.kind, error.details], ['command-failed', { problem: 'too-slow' }]);
    hasNoOutput(error);
    await watched.allEnded();
    await becomes('the end of the process', () => isGone(id));
  });

  it("that can't be started fails without revealing its arguments", async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'no program');
    for (const program of ['', join(folder, 'missing'), file, folder, join(file, 'program')]) {
      const used = { ...credentialsOf('c4nary'), program };
      const error = await failureOf(fetchToken(http, used, never));
      assert.deepEqual(error.details, { problem: 'not-found' }, program);
      hasNoOutput(error);
    }
  });

  it('runs only the approved program, even if the settings name a different program', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, `#!/bin/sh\necho ${token}-of-another-program\n`, { mode: 0o755 });
    const used = credentialsOf(print(`'${token}'`));
    const changed = { ...used, service: commandService([other]) };
    const error = await failureOf(fetchToken(http, changed, never));
    // The approved program is Node, which prints nothing when it gets no arguments or input.
    assert.deepEqual(error.details, { problem: 'nothing' });
  });

  /**
   * Returns a script that starts a child process, adds itself and the child process to `watched`,
   * and then runs the code in `then`.
   */
  const withChild = (then: string) =>
    `const c=require('child_process').spawn(process.execPath,['-e',${JSON.stringify(watched.join)}],{stdio:['ignore','inherit','ignore']});${watched.join};${then}`;

  it("doesn't leave a child process behind after it provides its token", async () => {
    const stop = `process.stdin.resume()`;
    const line = withChild(`s.on('data',()=>{${print(`'${token}'`)};process.exit()});${stop}`);
    const fetched = run(line);
    const ids = await watched.joined(2);
    watched.sendLine('go');
    assert.equal((await fetched).value, token);
    await watched.allEnded();
    assert.equal(ids.length, 2);
  });

  it('provides its token even if a detached child process keeps the output open', async () => {
    const line = withChild(
      `c.unref();s.on('data',()=>{${print(`'${token}'`)};process.exit()})`,
    ).replace('{stdio:', '{detached:true,stdio:');
    const fetched = run(line);
    const ids = await watched.joined(2);
    watched.sendLine('go');
    assert.equal((await fetched).value, token);
    // The extension can't end the detached process, so the test ends it.
    for (const id of ids.filter((one) => !isGone(one))) process.kill(id);
    await watched.allEnded();
  });

  for (const [what, last] of Object.entries({
    'at its deadline': 'command-failed',
    'when the last waiting call is canceled': 'cancelled',
    'when the window closes': 'cancelled',
  })) {
    it(`is killed along with all its child processes ${what}`, async () => {
      time = new FakeTime();
      const runtime = new ServiceRuntime();
      const tokens = runtime.tokenService(credentialsOf(withChild('0')));
      const waiters = [new AbortController(), new AbortController()];
      const failures = waiters.map(({ signal }) => failureOf(tokens.get(signal)));
      await watched.joined(2);
      waiters[0]?.abort();
      if (what.includes('deadline')) await time.pass(TOKEN_DEADLINE_MS);
      if (what.includes('canceled')) waiters[1]?.abort();
      if (what.includes('window')) runtime.dispose();
      const kinds = (await Promise.all(failures)).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['cancelled', last]);
      await watched.allEnded();
      runtime.dispose();
    });
  }
});

describe('a token from a command', () => {
  afterEach(async () => {
    await endWorlds();
    await endExaminations();
    deletePrograms();
  });

  async function start() {
    const program = makeTokenProgram();
    const clock = new SetClock();
    const world = await startWorld({
      ...{ clock, emulator: { now: clock.now } },
      credentials: (url) => ({
        service: commandService(program.command(url, defaultApiKey)),
        ...{ apiKey: '', program: process.execPath, projectId: '' },
      }),
    });
    const sent = () => world.emulator.count(({ path }) => path.startsWith('/v1/'));
    return { ...world, clock, sent, runs: program.runs };
  }

  it('is used for all generations until it expires', async () => {
    const { generate, runs, clock } = await start();
    for (let generation = 0; generation < 5; generation += 1) {
      await generate();
      clock.pass(10 * MINUTE);
    }
    assert.equal(runs(), 1);
    clock.pass(15 * MINUTE);
    await generate();
    assert.equal(runs(), 2);
  });

  const html = { body: '<html>No entry</html>' };
  const coded = (code: string) => ({ json: { error: { code, message: '' } } });
  for (const [what, fault, kind] of [
    ['401', { status: 401, ...coded('token_expired') }, 'unauthorized'],
    ['403', { status: 403, ...coded('not_allowed') }, 'forbidden'],
    ['401 from a gateway', { status: 401, ...html }, 'intercepted'],
    ['403 from a gateway', { status: 403, ...html }, 'intercepted'],
  ] as const) {
    it(`is replaced at most once a minute after a ${what}`, async () => {
      const { generate, emulator, clock, sent, runs } = await start();
      await generate();
      clock.pass(MINUTE - 1);
      emulator.faults.next('/v1/chat/completions', fault);
      assert.equal(await kindOf(generate()), kind);
      assert.deepEqual([sent(), runs()], [2, 1]);

      clock.pass(1);
      emulator.faults.next('/v1/chat/completions', fault);
      assert.match((await generate()).text, /Hello/);
      assert.deepEqual([sent(), runs()], [4, 2]);
      assert.equal(emulator.tokensIssued.length, 2);

      emulator.faults.next('/v1/chat/completions', fault);
      assert.equal(await kindOf(generate()), kind);
      assert.deepEqual([sent(), runs()], [5, 2]);

      clock.pass(MINUTE);
      emulator.faults.next('/v1/chat/completions', fault, 2);
      assert.equal(await kindOf(generate()), kind);
      assert.deepEqual([sent(), runs()], [7, 3]);
    });
  }

  it("isn't replaced when a 403 is diagnosed repeatedly within a minute", async () => {
    const program = makeTokenProgram();
    const { examine, emulator } = await startExamination({
      credentials: (url) => ({
        service: commandService(program.command(url, 'C4nary-Key_0123456789')),
        ...{ apiKey: '', program: process.execPath, projectId: '' },
      }),
    });
    emulator.faults.always('/v1/models', { status: 403, ...coded('not_allowed') });
    for (let rejection = 0; rejection < 3; rejection += 1) {
      assert.equal((await examine()).diagnosis.failure?.kind, 'forbidden');
    }
    assert.equal(program.runs(), 1);
  });

  it('is shared by all waiting calls, so the command runs only once', async () => {
    const { tokenService, runs } = await start();
    const tokens = Array.from({ length: 10 }, () => tokenService.get(never));
    const values = (await Promise.all(tokens)).map(({ value }) => value);
    assert.equal(new Set(values).size, 1);
    assert.equal(runs(), 1);
  });
});
