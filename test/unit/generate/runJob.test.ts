import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../../src/generate/job.ts';
import type { GenerateDeps } from '../../../src/generate/runJob.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { connectionOf } from '../service/fixtures.ts';

describe('running a job', () => {
  const editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  let folder: string;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hosted-model-run-'));
    mkdirSync(join(folder, '.vscode'));
    mkdirSync(join(folder, 'notes'));
    writeFileSync(join(folder, 'notes', 'tasks.json'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Continues a job in a file of the folder. @returns number of requests sent */
  async function sentFor(modeId: string): Promise<number> {
    const [{ runJob }, { ActiveRuns }, { insertModes }] = await Promise.all([
      import('../../../src/generate/runJob.ts'),
      import('../../../src/generate/runState.ts'),
      import('../../../src/editor/insertModes.ts'),
    ]);
    let sent = 0;
    const generation = { stopReason: 'finished', usage: { inputTokens: 1, outputTokens: 1 } };
    const client = {
      secretKindsIn: () => [],
      generateText: async () => {
        sent += 1;
        return generation;
      },
    };
    const runtime = { client: () => client } as unknown as ServiceRuntime;
    const path = join(folder, 'notes', 'tasks.json');
    const document = {
      uri: { scheme: 'file', path, fsPath: path },
      lineCount: 1,
      lineAt: () => ({ range: { end: {} } }),
    };
    const job = {
      activeRuns: new ActiveRuns(),
      ...{
        mode: insertModes.find(({ id }) => id === modeId),
        document,
        indices: [0],
        truncated: [],
      },
      ...{ removed: 0, kept: 0, text: 'text' },
      ...{ promptOf: () => 'prompt', linesOf: () => ({ first: 1, last: 1 }), begin: () => '' },
      ...{
        canInsert: () => true,
        end: async () => true,
        hold: (messages: Promise<void>) => messages,
      },
    } as unknown as Job;
    const options = {
      jobs: {
        markRunning: () => () => {},
        keepResult: () => {},
        announcements: { started: () => () => {}, done: () => {} },
      },
      connections: {
        for: async () => connectionOf({}, runtime),
        signOutSignal: new AbortController().signal,
      },
      startWatch: () => ({ onRetry() {}, onText() {}, onDone() {}, onFailed() {} }),
      onUsage: () => {},
      report: async (error: unknown) => assert.fail(String(error)),
    } as unknown as GenerateDeps;
    await runJob(options, job, [0], 'continue');
    return sent;
  }

  it("J35: sends nothing if the file now needs a preview, except in modes that don't edit it", async () => {
    assert.equal(await sentFor('below'), 1);
    renameSync(join(folder, 'notes', 'tasks.json'), join(folder, '.vscode', 'tasks.json'));
    rmSync(join(folder, 'notes'), { recursive: true });
    symlinkSync('.vscode', join(folder, 'notes'));
    assert.equal(await sentFor('below'), 0);
    assert.match(editor.textOf('notification'), /preview/);
    for (const mode of ['preview', 'newDocument', 'clipboard']) {
      assert.equal(await sentFor(mode), 1, mode);
    }
  });
});
