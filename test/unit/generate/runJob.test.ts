import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Targets } from '../../../src/editor/capturedSelection.ts';
import type { ModeDeps } from '../../../src/editor/insertMode.ts';
import type { ResponseWriter } from '../../../src/editor/streamWriter.ts';
import type { RunMode } from '../../../src/generate/activeRuns.ts';
import type { Job } from '../../../src/generate/job.ts';
import type { RecentJobs } from '../../../src/generate/recentJobs.ts';
import type { GenerateDeps } from '../../../src/generate/runJob.ts';
import type { Parameters } from '../../../src/service/api/parameters.ts';
import type { CallOptions } from '../../../src/service/client.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { ConcurrencyLimit } from '../../../src/service/http/concurrencyLimit.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { Template } from '../../../src/templates/template.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { connectionOf } from '../service/fixtures.ts';

const ended = { stopReason: 'finished', usage: { inputTokens: 1, outputTokens: 1 } };

async function respond(_index: number, { onText }: CallOptions): Promise<typeof ended> {
  onText?.('text');
  return ended;
}

describe('runJob', () => {
  let editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  let folder: string;
  const toDispose: RecentJobs[] = [];
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new SinkEditor();
    folder = mkdtempSync(join(tmpdir(), 'hosted-model-run-'));
    mkdirSync(join(folder, '.vscode'));
    mkdirSync(join(folder, 'notes'));
    writeFileSync(join(folder, 'notes', 'tasks.json'), '');
  });
  afterEach(() => {
    for (const jobs of toDispose.splice(0)) jobs.dispose();
    rmSync(folder, { recursive: true });
  });

  interface Options {
    readonly mode?: string;
    readonly runMode?: RunMode;
    /** Number of selections. */
    readonly count?: number;
    /** Generates the response for the selection with this index, in place of the service. */
    readonly generate?: (index: number, options: CallOptions) => Promise<unknown>;
    readonly parameters?: Parameters;
    readonly template?: Pick<Template, 'name' | 'parameters'>;
    readonly canInsert?: (index: number) => boolean;
    /** Indices of the responses whose text can't be inserted. */
    readonly lost?: readonly number[];
    /** Indices of the responses without visible text, including responses from earlier runs. */
    readonly empty?: readonly number[];
    /** True if the responses replace the selections. */
    readonly replaces?: boolean;
    /** The part of the responses that isn't written. */
    readonly leftOut?: 'text';
    /**
     * Indices of the responses that were undone; true if all of the job's text was undone,
     * including text from earlier runs.
     */
    readonly undone?: boolean | readonly number[];
    /** True if the user has already accepted or discarded the preview. */
    readonly isClosed?: boolean;
    /** Receives the responses. By default, the responses are discarded. */
    readonly writer?: ResponseWriter;
    /** Called with the window's jobs while the user enters the prompt. */
    readonly whilePrompting?: (jobs: RecentJobs) => unknown;
    /** Called with the window's jobs while the credentials are being read. */
    readonly whileReadingCredentials?: (jobs: RecentJobs) => unknown;
    /** False if another document is active. */
    readonly isInActiveDocument?: boolean;
    /** Text from the job's earlier runs. */
    readonly text?: string;
  }

  /** Runs a job for selections on lines 1, 11, 21, and so on, in a file in `folder`. */
  async function run({
    mode = 'clipboard',
    runMode = 'restart',
    count = 1,
    generate = respond,
    parameters = {},
    template,
    canInsert = () => true,
    lost = [],
    empty = [],
    replaces = false,
    leftOut,
    undone = false,
    isClosed = false,
    writer,
    whilePrompting,
    whileReadingCredentials,
    isInActiveDocument = true,
    text = 'text of an earlier run',
  }: Options) {
    const [{ runJob }, { RecentJobs }, { ActiveRuns, endOf }, { insertModes }] = await Promise.all([
      import('../../../src/generate/runJob.ts'),
      import('../../../src/generate/recentJobs.ts'),
      import('../../../src/generate/activeRuns.ts'),
      import('../../../src/editor/insertModes.ts'),
    ]);
    const announced: string[] = [];
    const starts = new Set<string>();
    let sent = 0;
    const client = {
      secretKindsIn: () => [],
      generateText: async (prompt: string, _: Parameters, options: CallOptions) => {
        sent += 1;
        return generate(Number(prompt), options);
      },
    };
    const requests = new ConcurrencyLimit({ limit: 3, queue: 50, minIntervalMs: 0 });
    const runtime = { client: () => client, limit: () => requests } as unknown as ServiceRuntime;
    const path = join(folder, 'notes', 'tasks.json');
    const document = {
      uri: { scheme: 'file', path, fsPath: path },
      lineCount: 100,
      lineAt: () => ({ range: { end: {} } }),
    };
    const truncated: number[] = [];
    const all = [...Array.from({ length: count }).keys()];
    const undoneIndices = typeof undone === 'boolean' ? all.filter(() => undone) : undone;
    const activeRuns = new ActiveRuns();
    const job = {
      activeRuns,
      get isRunning() {
        return activeRuns.isAny;
      },
      usesDocument: () => isInActiveDocument,
      onDidFollow: () => {},
      cancel: () => activeRuns.cancel(),
      undo: async () => {
        activeRuns.cancel();
        return 'nothing';
      },
      dispose: () => {},
      ...{ mode: insertModes.find(({ id }) => id === mode), document, truncated, template },
      ...{ indices: all, writtenBy: () => [] },
      ...{ text, isPending: !isClosed },
      ...{ isUndone: undone === true, undone: undoneIndices },
      isEmpty: (index: number) => empty.includes(index),
      hasReplaced: () => replaces,
      leftOut: () => leftOut,
      invisible: () => ({ removed: 0, kept: 0 }),
      linesOf: (index: number) => ({ first: 10 * index + 1, last: 10 * index + 1 }),
      promptOf: String,
      part: (indices: readonly number[]) => ({ text: `responses ${indices}` }),
      begin: (indices: readonly number[]) => writer?.begin?.(indices),
      responseSoFar: () => '',
      append: (index: number, text: string) => writer?.append(index, text),
      canInsert,
      end: async (index: number, end: ReturnType<typeof endOf>) => {
        if (end === 'truncated' && !undoneIndices.includes(index)) truncated.push(index);
        return writer ? writer.end(index) : !lost.includes(index);
      },
    } as unknown as Job;
    const reported: unknown[] = [];
    const jobs = new RecentJobs();
    toDispose.push(jobs);
    jobs.add(job);
    jobs.announcements.started = (text) => {
      starts.add(text);
      return () => starts.delete(text);
    };
    jobs.announcements.done = (text) => void announced.push(text);
    const options = {
      jobs,
      connections: {
        for: async () => {
          await whileReadingCredentials?.(jobs);
          return connectionOf({ parameters }, runtime);
        },
        active: undefined,
        signOutSignal: new AbortController().signal,
      },
      startWatch: () => ({ onRetry: () => () => 1_000, onText() {}, onDone() {}, onFailed() {} }),
      onUsage: () => {},
      report: async (_error: unknown, _connection: unknown, at: unknown) => {
        reported.push(at);
        return false;
      },
    } as unknown as GenerateDeps;
    const done = runJob(options, job, job.indices, runMode, async () => {
      await whilePrompting?.(jobs);
      return true;
    });
    const cancel = { run: () => jobs.cancel() };
    return { done, jobs, cancel, announced, starts, sent: () => sent, reported };
  }

  const sentFor = async (mode: string) => {
    const { done, sent } = await run({ mode, runMode: 'continue' });
    await done;
    return sent();
  };
  const failure = new ServiceError('server-failed', { status: 503 });

  it("J35: doesn't send a request if the insert mode would bypass a required preview", async () => {
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

  it('announces how many responses are complete, and which lines failed', async () => {
    const generate = async (index: number, options: CallOptions) => {
      if (index === 1) throw failure;
      return respond(index, options);
    };
    const { done, announced, reported } = await run({ count: 3, generate });
    await done;
    assert.deepEqual([announced, reported.length], [['2 of 3 complete, 1 failed (line 11)'], 1]);
  });

  it('removes the start announcement once a request is waiting to be retried', async () => {
    const shown: number[] = [];
    const generate = async (index: number, options: CallOptions) => {
      shown.push(starts.size);
      options.onRetry?.({ retry: 1, waitMs: 0, error: failure });
      shown.push(starts.size);
      return respond(index, options);
    };
    const { done, starts } = await run({ generate });
    await done;
    assert.deepEqual(shown, [1, 0]);
  });

  it("reports a failure together with the job's template", async () => {
    const template = { name: 'Short', parameters: { max_new_tokens: 9 } };
    const generate = () => Promise.reject(failure);
    const { done, reported } = await run({ generate, template });
    await done;
    assert.deepEqual(reported, [{ folder: null, prefix: '', template }]);
  });

  it("doesn't announce canceled generations as failed", async () => {
    const generate = async (index: number, options: CallOptions) => {
      if (index > 0) throw new ServiceError('cancelled');
      cancel.run();
      return respond(index, options);
    };
    const { done, cancel, announced } = await run({ count: 3, generate });
    await done;
    assert.deepEqual(announced, ['1 of 3 complete, the rest canceled']);
  });

  it('names the line of a failed generation, even if another generation was canceled', async () => {
    const generate = async (index: number, options: CallOptions) => {
      if (index === 1) throw failure;
      if (index === 2) throw new ServiceError('cancelled');
      return respond(index, options);
    };
    const { done, announced } = await run({ count: 3, generate });
    await done;
    assert.deepEqual(announced, ['1 of 3 complete, 1 failed (line 11)']);
  });

  for (const [kind, isWarned] of [
    ['unreachable', true],
    ['cancelled', false],
  ] as const) {
    it(`${isWarned ? 'warns' : "doesn't warn"} that incomplete text has replaced the selection (error: ${kind})`, async () => {
      const generate = async (_: number, { onText }: CallOptions) => {
        onText?.('half of a response');
        throw new ServiceError(kind);
      };
      const { done } = await run({ replaces: true, generate });
      await done;
      const warning = 'Your selection was replaced by incomplete text.';
      assert.equal(editor.textOf('notification').includes(warning), isWarned);
    });
  }

  const isEscapeBound = () =>
    editor.sunk
      .get('context key')
      ?.findLast((text) => text.includes('hostedModel.isGenerating'))
      ?.includes('true') ?? false;

  it("isn't canceled by Escape while the user is entering the prompt", async () => {
    let wasEscapeBound: boolean | undefined;
    const whilePrompting = (jobs: RecentJobs) => {
      wasEscapeBound = isEscapeBound();
      jobs.cancel();
    };
    const { done, sent, announced } = await run({ text: '', whilePrompting });
    await done;
    assert.equal(wasEscapeBound, false);
    assert.deepEqual([sent(), announced], [1, ['The response is complete']]);
  });

  it("isn't canceled by Undo Generation while the user is entering the prompt", async () => {
    const undone: unknown[] = [];
    const whilePrompting = async (jobs: RecentJobs) => undone.push(await jobs.undo());
    const { done, sent } = await run({ text: '', whilePrompting });
    await done;
    assert.deepEqual([undone, sent()], [['nothing'], 1]);
  });

  it('is canceled by Escape in the document while the credentials are being read', async () => {
    const whileReadingCredentials = (jobs: RecentJobs) => {
      assert.equal(isEscapeBound(), true);
      jobs.cancel();
    };
    const { done, sent, announced } = await run({ text: '', whileReadingCredentials });
    await done;
    assert.deepEqual([sent(), announced], [0, ['Canceled']]);
  });

  it('can be canceled from the menu, but not by pressing Escape in another document', async () => {
    for (const [cancel, expected] of [
      [(jobs: RecentJobs) => jobs.cancel(), 1],
      [(jobs: RecentJobs) => jobs.cancelAll(), 0],
    ] as const) {
      const whileReadingCredentials = (jobs: RecentJobs) => {
        assert.deepEqual([isEscapeBound(), jobs.isGenerating], [false, true]);
        cancel(jobs);
      };
      const { done, sent } = await run({ isInActiveDocument: false, whileReadingCredentials });
      await done;
      assert.equal(sent(), expected);
    }
  });

  it('can be canceled by Undo Generation or Escape before its response arrives', async () => {
    for (const stop of [
      (jobs: RecentJobs) => jobs.cancel(),
      async (jobs: RecentJobs) => assert.equal(await jobs.undo(), 'undone'),
    ]) {
      const generate = async () => {
        assert.equal(isEscapeBound(), true);
        await stop(jobs);
        throw new ServiceError('cancelled');
      };
      const { done, jobs, announced } = await run({ text: '', generate });
      await done;
      assert.deepEqual(announced, ['Canceled']);
      assert.equal(isEscapeBound(), false);
    }
  });

  for (const [skipped, text] of [
    [1, 'One response can’t be inserted. Generate a new one.'],
    [2, 'Some responses can’t be inserted. Generate new ones.'],
  ] as const) {
    it(`doesn't count responses that can't be inserted, but reports them (skipped: ${skipped})`, async () => {
      const { done, announced } = await run({ count: 4, canInsert: (index) => index >= skipped });
      await done;
      assert.deepEqual(announced, ['All responses are complete']);
      assert.ok(editor.textOf('notification').includes(text));
    });
  }

  for (const [count, text] of [
    [1, 'The response can’t be inserted. Generate a new one.'],
    [2, 'The responses can’t be inserted. Generate new ones.'],
  ] as const) {
    it(`doesn't send requests if no response can be inserted (responses: ${count})`, async () => {
      const { done, sent } = await run({ count, canInsert: () => false });
      await done;
      assert.equal(sent(), 0);
      assert.ok(editor.textOf('notification').includes(text));
    });
  }

  for (const [what, isCanceled, want] of [
    ['fail at the same time', false, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['are canceled', true, [0, 1, 2, 3, 4, 5, 6, 7]],
  ] as const) {
    it(`copies the responses only once if the first eight of nine generations ${what}`, async () => {
      const { clipboard } = await import('../../../src/editor/clipboardMode.ts');
      let started = 0;
      const allStarted = Promise.withResolvers<void>();
      const generate = async (index: number, { onText }: CallOptions) => {
        onText?.(`${index}`);
        started += 1;
        if (started === 8) {
          if (isCanceled) cancel.run();
          allStarted.resolve();
        }
        await allStarted.promise;
        throw isCanceled ? new ServiceError('cancelled') : failure;
      };
      const targets = Array.from({ length: 9 }, () => ({})) as unknown as Targets;
      const writer = clipboard.open(targets, {} as ModeDeps);
      const { done, cancel } = await run({ count: 9, generate, writer });
      await done;
      assert.deepEqual(editor.sunk.get('clipboard'), [want.join('\n\n')]);
    });
  }

  it('announces a partial response only if the run received text', async () => {
    for (const [text, expected] of [
      ['', 'Canceled'],
      ['The first words', 'Canceled, partial response kept'],
    ] as const) {
      const generate = async (_: number, { onText }: CallOptions) => {
        if (text !== '') onText?.(text);
        cancel.run();
        throw new ServiceError('cancelled');
      };
      const { done, cancel, announced } = await run({ generate });
      await done;
      assert.deepEqual(announced, [expected]);
    }
  });

  /** Runs a job that receives text and is then canceled. Returns the announcements. */
  const runCanceled = async (options: Options) => {
    const generate = async (_: number, { onText }: CallOptions) => {
      onText?.('The first words');
      cancel.run();
      throw new ServiceError('cancelled');
    };
    const { done, cancel, announced } = await run({ ...options, generate });
    await done;
    return announced;
  };

  it("doesn't announce that a partial response was kept if its preview was discarded", async () => {
    const announcedIf = (isClosed: boolean) => runCanceled({ mode: 'preview', isClosed });
    assert.deepEqual(await announcedIf(false), ['Canceled, partial response kept']);
    assert.deepEqual(await announcedIf(true), ['Canceled']);
  });

  it("doesn't announce or report a response that was undone if other responses remain", async () => {
    // The second response is from an earlier run and can't be inserted again.
    const options = { mode: 'below', count: 2, canInsert: (index: number) => index === 0 };
    assert.deepEqual(await runCanceled({ ...options, undone: [0], lost: [0] }), []);
    assert.doesNotMatch(editor.textOf('notification'), /Couldn’t insert/);
  });

  for (const [mode, what, offered] of [
    [
      'below',
      'Lines 1 and 21: Couldn’t insert the generated text. The document may be closed',
      '0,2',
    ],
    [
      'clipboard',
      'Lines 1, 11, and 21: Couldn’t copy the generated text to the clipboard.',
      '0,1,2',
    ],
    [
      'newDocument',
      'Lines 1, 11, and 21: Couldn’t write the generated text to a new document.',
      '0,1,2',
    ],
    ['preview', 'Lines 1 and 21: Couldn’t show a preview of the generated text.', '0,2'],
  ] as const) {
    it(`reports responses that couldn't be delivered, and offers to copy them: ${mode}`, async () => {
      editor.button = 'Copy';
      const { done, announced } = await run({ mode, count: 3, lost: [0, 2] });
      await done;
      const [message = ''] = editor.sunk.get('notification') ?? [];
      assert.ok(message.startsWith(what), message);
      assert.match(message, /“Show Last Response”\.$/);
      assert.equal(editor.textOf('clipboard'), `responses ${offered}`);
      assert.deepEqual(announced, []);
    });
  }

  const EMPTY = 'The response is empty. Try another prompt or model.';
  for (const [what, options, message, announces] of [
    ['a retry that returns no text', { generate: async () => ended }, EMPTY, []],
    [
      'a retry that returns no text after an undo',
      { generate: async () => ended, undone: true },
      EMPTY,
      [],
    ],
    ['a response with only whitespace', { empty: [0] }, EMPTY, []],
    [
      'a response that remains empty when continued',
      { runMode: 'continue', empty: [0], generate: async () => ended },
      EMPTY,
      [],
    ],
    [
      'an empty response among others',
      { count: 3, empty: [1] },
      '1 of 3 responses is empty. Try another prompt or model.',
      ['All responses are complete'],
    ],
    [
      'an empty response in a preview',
      { mode: 'preview', count: 3, empty: [1] },
      '1 of 3 responses is empty. Try another prompt or model.',
      ['The preview is complete: accept or discard it'],
    ],
    [
      'several empty responses',
      { count: 3, empty: [0, 2] },
      '2 of 3 responses are empty. Try another prompt or model.',
      ['All responses are complete'],
    ],
    [
      'only empty responses',
      { count: 2, empty: [0, 1] },
      '2 of 2 responses are empty. Try another prompt or model.',
      [],
    ],
  ] as const) {
    it(`reports that a response is empty: ${what}`, async () => {
      const { done, announced } = await run(options);
      await done;
      assert.deepEqual(announced, announces);
      assert.deepEqual(
        editor.sunk.get('notification')?.filter((text) => /empty/.test(text)),
        [message],
      );
    });
  }

  it('announces that text around the code was left out', async () => {
    const { done, announced } = await run({ leftOut: 'text' });
    await done;
    assert.deepEqual(announced, ['Complete (code only)']);
  });

  it("doesn't report anything if the user undid the responses", async () => {
    const { done, announced } = await run({ count: 2, empty: [1], undone: true });
    await done;
    assert.deepEqual(announced, []);
    assert.equal(editor.textOf('notification'), '');
  });

  it('after an undo, reports a truncated response as empty if it has no text', async () => {
    const generate = async () => ({ ...ended, stopReason: 'max_tokens' });
    const { done } = await run({ undone: true, generate });
    await done;
    assert.deepEqual(editor.sunk.get('notification'), [EMPTY, '[]']);
  });

  it('announces an empty continuation as complete', async () => {
    const { done, announced } = await run({ runMode: 'continue', generate: async () => ended });
    await done;
    assert.deepEqual(announced, ['The response is complete']);
  });

  it("reports a truncated response as truncated even if it's empty", async () => {
    const truncated = { ...ended, stopReason: 'max_tokens' };
    const generate = async (index: number) => (index === 0 ? ended : truncated);
    const { done } = await run({ count: 2, empty: [0, 1], generate });
    await done;
    const message = editor.textOf('notification');
    assert.match(message, /^1 of 2 responses is empty\./);
    assert.match(message, /1 of 2 responses reached a token or time limit\./);
  });

  it("doesn't ask the user to accept a preview that was already accepted", async () => {
    const { done, announced } = await run({ mode: 'preview', isClosed: true });
    await done;
    assert.deepEqual(announced, ['The response is complete']);
  });

  it('asks the user to accept or discard a preview once it is complete', async () => {
    const { done, announced } = await run({ mode: 'preview' });
    await done;
    assert.match(announced.join(), /accept or discard/);
  });

  const atLimit = (outputTokens: number, stopReason = 'max_tokens') => ({
    stopReason,
    usage: { inputTokens: 1, outputTokens },
  });
  for (const [what, generations, parameters, expected] of [
    ['the default', [atLimit(1_024)], {}, 'The response reached the limit of 1,024 tokens.'],
    ['a limit in the settings', [atLimit(7)], { max_new_tokens: 7 }, /the limit of 7 tokens\.$/],
    ['the end of the context', [atLimit(57)], {}, 'The response reached a token or time limit.'],
    ['a time limit', [atLimit(1_024, 'time_limit')], {}, /a token or time limit/],
    [
      'different limits',
      [atLimit(1_024), atLimit(3, 'time_limit')],
      {},
      '2 of 2 responses reached a token or time limit.',
    ],
  ] as const) {
    it(`names the token limit only if it is known: ${what}`, async () => {
      const generate = async (index: number) => generations[index];
      const { done } = await run({ count: generations.length, generate, parameters });
      await done;
      const [message = ''] = editor.sunk.get('notification') ?? [];
      if (typeof expected === 'string') assert.equal(message, expected);
      else assert.match(message, expected);
    });
  }
});
