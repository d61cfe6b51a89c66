import assert from 'node:assert/strict';
import type { InputBoxOptions, TextDocument } from 'vscode';
import type { Job } from '../../../src/generate/job.ts';
import type { RecentJobs } from '../../../src/generate/recentJobs.ts';
import type { RunOutcome } from '../../../src/generate/responseNotifications.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import type { Template } from '../../../src/templates/template.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { FakeDocument } from '../editor/fakeDocument.ts';

describe('responseNotifications', () => {
  let editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  let outcome: typeof import('../../../src/generate/responseNotifications.ts');
  before(async () => {
    hooks = installEditor(() => editor);
    outcome = await import('../../../src/generate/responseNotifications.ts');
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new SinkEditor();
  });

  /**
   * The outcome of a run without failures. Its functions fail the test if the run is repeated or
   * announced as complete.
   */
  const whole: RunOutcome = {
    announce: () => assert.fail('announced as complete'),
    prefix: '',
    runAgain: async () => assert.fail('run again'),
    isTruncated: false,
    limit: undefined,
    isWhole: true,
    isPlaced: true,
    received: [0],
    complete: 1,
    empty: 0,
  };

  /** The document of the job that `jobWith` created last. */
  let page: FakeDocument;

  /** Creates a job whose only response is this text, which is written after `lead`. */
  async function jobWith(text: string, template?: Template, id = 'below', lead = ''): Promise<Job> {
    const { window } = await import('vscode');
    const { StreamWriter } = await import('../../../src/editor/streamWriter.ts');
    const { captureTargets } = await import('../../../src/editor/capturedSelection.ts');
    const { Job: Made } = await import('../../../src/generate/job.ts');
    const { Previews } = await import('../../../src/editor/previews.ts');
    const { insertModes } = await import('../../../src/editor/insertModes.ts');
    const { activeTextEditor } = window;
    const [target] = activeTextEditor
      ? captureTargets(activeTextEditor, template?.responseLanguage)
      : [];
    const mode = insertModes.find((each) => each.id === id);
    assert.ok(target && mode);
    const place = { start: 0, end: 0, lead, tail: '' };
    page = new FakeDocument('');
    const timing = { intervalMs: 0, deadlineMs: 5_000 };
    const open = () => new StreamWriter(page, [place], { timing });
    const stage = { previews: new Previews(), rescue: () => assert.fail('rescued') };
    // The `clipboard` mode doesn't write to a document.
    const used = id === 'clipboard' ? mode : { ...mode, open };
    const job = new Made([target], template, used, stage);
    job.append(0, text);
    // Finish the edit, because an open edit has a running timer, and later tests count timers.
    await page.turn();
    return job;
  }

  it("D27: doesn't show or copy control or tag characters", async () => {
    const job = await jobWith('ls\u001B[201~\r\n\u{E0072}\u{E006D}\u202Eend');
    await outcome.showResult(job);
    for (const button of ['Open in New Document', 'Copy']) {
      editor.button = button;
      await outcome.offerResult(job, '');
    }
    const texts = [...(editor.sunk.get('document') ?? []), ...(editor.sunk.get('clipboard') ?? [])];
    const plain = texts.filter((text) => text.includes('ls'));
    assert.deepEqual(
      plain,
      Array.from({ length: 3 }, () => 'ls[201~\nend'),
    );
    job.dispose();
  });

  for (const [mode, languageId, text] of [
    ['newDocument', 'markdown', 'a \u2067b\u2069'],
    ['clipboard', 'markdown', 'a \u2067b\u2069'],
    ['preview', 'typescript', 'a b'],
    ['below', 'typescript', 'a b'],
  ] as const) {
    const origin = languageId === 'markdown' ? 'template' : "selection's document";
    it(`opens the response in the same language as the ${origin}: ${mode}`, async () => {
      editor.languageId = 'typescript';
      const explain = { responseLanguage: 'markdown' } as unknown as Template;
      const job = await jobWith('a \u2067b\u2069', explain, mode);
      await outcome.showResult(job);
      const opened = JSON.stringify({ content: '', language: languageId });
      assert.deepEqual(editor.sunk.get('document'), [opened, text]);
      job.dispose();
    });
  }

  it('warns that an incomplete response has replaced the selection', async () => {
    const truncated = { ...whole, isTruncated: true, limit: 1_024 };
    const job = await jobWith('a', undefined, 'replace');
    await job.end(0, 'truncated');
    await outcome.reportOutcome(job, truncated);
    assert.match(editor.textOf('notification'), /^Your selection was replaced by incomplete text/);
    job.dispose();
  });

  it('no longer counts the selection as replaced after an undo', async () => {
    const job = await jobWith('a', undefined, 'replace');
    assert.equal(job.hasReplaced(0), true);
    await page.turnUntil(job.undo());
    assert.equal(job.hasReplaced(0), false);
    job.dispose();
  });

  it("doesn't warn about the selection if a truncated response has no text", async () => {
    const job = await jobWith('', undefined, 'replace');
    await job.end(0, 'truncated');
    await outcome.reportOutcome(job, { ...whole, isTruncated: true, limit: 1_024, received: [] });
    assert.match(editor.textOf('notification'), /^The response reached the limit/);
    job.dispose();
  });

  it('ignores a click on Retry once a response has arrived', async () => {
    const { reportRun } = await import('../../../src/generate/reportRun.ts');
    const { connectionOf } = await import('../service/fixtures.ts');
    const job = await jobWith('');
    const report = async () => {
      job.append(0, 'a');
      return true;
    };
    const announcements = { done: assert.fail } as unknown as RecentJobs['announcements'];
    const jobs = { announcements, needsName: () => false };
    const { runAgain } = whole;
    const failed = { index: 0, isPlaced: true, hasText: false, error: new ServiceError('offline') };
    const result = { connection: connectionOf(), folder: null, indices: [0], isCanceled: false };
    const reported = { jobs, job, runMode: 'restart', report, runAgain } as const;
    await reportRun(reported, { ...result, outcomes: [failed] });
    job.dispose();
  });

  for (const [path, lines, prefix] of [
    [undefined, [], ''],
    [undefined, [3, 7], 'Lines 3 and 7: '],
    ['/work/main.ts', [], 'main.ts: '],
    ['/work/main.ts', [6], 'main.ts, line 6: '],
    ['/work/[x](command:y).ts', [], '[x] (command:y).ts: '],
    [`/work/${'a'.repeat(60)}.ts`, [], `${'a'.repeat(39)}…: `],
    ['/work/ ', [6], 'Line 6: '],
  ] as const) {
    it(`starts messages with the document name and line numbers: ${path ?? 'active document'}, ${lines.length} lines`, async () => {
      const job = await jobWith('a');
      const document = { ...job.document, uri: { path } } as unknown as TextDocument;
      const named = Object.create(job, { document: { value: document } }) as Job;
      const jobs = { needsName: () => path !== undefined };
      assert.equal(outcome.prefixFor(jobs, named, lines), prefix);
      job.dispose();
    });
  }

  it('starts messages with the given prefix', async () => {
    const job = await jobWith('a');
    await job.end(0, 'truncated');
    const truncated = { ...whole, isTruncated: true, limit: 1_024, prefix: 'main.ts: ' };
    await outcome.reportOutcome(job, truncated);
    await outcome.offerWholeResponses(job, 'main.ts: ');
    await outcome.offerResult(job, 'main.ts, line 6: ');
    const shown = editor.textOf('notification');
    assert.match(shown, /^main\.ts: The response reached the limit/m);
    assert.match(shown, /^main\.ts: Only the first code block/m);
    assert.match(shown, /^main\.ts, line 6: Couldn’t insert/m);
    job.dispose();
  });

  it("offers the Copy button again if the response couldn't be copied", async () => {
    const job = await jobWith('a');
    const { env } = await import('vscode');
    const write = env.clipboard.writeText;
    let attempts = 0;
    const writeText = async (text: string) => {
      attempts += 1;
      if (attempts === 1) throw new Error('the clipboard is locked');
      await write(text);
    };
    Object.assign(env.clipboard, { writeText });
    editor.button = 'Copy';
    await outcome.offerResult(job, '');
    assert.match(
      editor.textOf('notification'),
      /Couldn’t copy the generated text to the clipboard\./,
    );
    assert.deepEqual(editor.sunk.get('clipboard'), ['a']);
    job.dispose();
  });

  for (const [what, limit, shown] of [
    [
      'a known limit, or to raise the limit',
      1_024,
      [
        'The response reached the limit of 1,024 tokens.',
        ['Continue', 'Raise Limit...', 'Undo Generation'],
        'The new limit of 2,048 tokens is saved. Do you want to continue?',
        ['Continue', 'Undo Generation'],
      ],
    ],
    [
      'an unknown limit',
      undefined,
      ['The response reached a token or time limit.', ['Continue', 'Undo Generation']],
    ],
  ] as const) {
    it(`offers to continue a response that reached ${what}`, async () => {
      const job = await jobWith('a');
      await job.end(0, 'truncated');
      showLines(job, 0, 9);
      editor.button = 'Raise Limit...';
      answerLimit('2048');
      await outcome.reportOutcome(job, { ...whole, isTruncated: true, limit });
      assert.deepEqual(
        editor.sunk.get('notification'),
        shown.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
      );
      job.dispose();
    });
  }

  /**
   * Answers the prompts that ask for a limit, and dismisses any messages after the last prompt.
   * Returns an array that collects the options of each prompt.
   */
  function answerLimit(...answers: (string | undefined)[]): InputBoxOptions[] {
    const shown: InputBoxOptions[] = [];
    const showInputBox = async (options: InputBoxOptions) => {
      shown.push(options);
      if (answers.length === 1) editor.button = '';
      return answers.shift();
    };
    const window = editor.exports()['window'] as object;
    Object.defineProperty(window, 'showInputBox', { value: showInputBox });
    return shown;
  }

  describe('the Raise Limit button', () => {
    const raise = async (...answers: (string | undefined)[]) => {
      const job = await jobWith('a');
      await job.end(0, 'truncated');
      showLines(job, 0, 9);
      editor.button = 'Raise Limit...';
      const shown = answerLimit(...answers);
      await outcome.reportOutcome(job, { ...whole, isTruncated: true, limit: 1_024 });
      job.dispose();
      return shown;
    };

    it('suggests doubling the limit and accepts only a higher limit', async () => {
      const [question] = await raise('2048');
      assert.equal(question?.value, '2048');
      for (const text of [
        '',
        '0',
        '1024',
        '-2048',
        '2048.5',
        '1e9',
        '20,48',
        ',400',
        '1234,000',
        'many',
      ]) {
        assert.match(String(await question?.validateInput?.(text)), /greater than 1,024/, text);
      }
      assert.equal(await question?.validateInput?.('1025'), undefined);
    });

    for (const typed of ['4000', '4,000', ' 4000 ']) {
      it(`saves the new limit (typed: "${typed}")`, async () => {
        await raise(typed);
        const saved = JSON.stringify({ max_new_tokens: 4_000 });
        assert.deepEqual(editor.sunk.get('settings'), ['parameters', saved]);
      });
    }

    it('is shown again after an error message if the limit can’t be saved', async () => {
      editor.broken = 'settings file';
      await raise('4000');
      const notifications = editor.sunk.get('notification') ?? [];
      assert.match(notifications[2] ?? '', /^Couldn’t write your settings/);
      assert.match(notifications.at(-1) ?? '', /Raise Limit/);
    });

    it('opens the settings if other settings override the limit', async () => {
      // This editor records writes to settings without applying them, as if other settings took
      // precedence.
      await raise('4000');
      assert.match(editor.textOf('context key'), /openSettings\n.*hostedModel\.parameters/);
    });

    it('is shown again if the user cancels', async () => {
      assert.equal((await raise(undefined, '4000')).length, 2);
    });
  });

  it("doesn't offer Undo Generation for a response copied to the clipboard", async () => {
    const job = await jobWith('a', undefined, 'clipboard');
    await job.end(0, 'truncated');
    await outcome.reportOutcome(job, { ...whole, isTruncated: true });
    assert.ok(editor.sunk.get('notification')?.includes(JSON.stringify(['Continue'])));
    job.dispose();
  });

  it("doesn't offer to continue a response if only an earlier run was truncated", async () => {
    const job = await jobWith('a');
    await job.end(0, 'truncated');
    editor.isDocumentClosed = true;
    await outcome.reportOutcome(job, { ...whole, announce: () => {}, isWhole: false });
    assert.equal(editor.textOf('notification'), '');
    job.dispose();
  });

  it("doesn't offer to raise a limit that the template sets", async () => {
    const job = await jobWith('a', { parameters: { max_new_tokens: 5 } } as unknown as Template);
    await job.end(0, 'truncated');
    showLines(job, 0, 9);
    await outcome.reportOutcome(job, { ...whole, isTruncated: true, limit: 5 });
    assert.equal(
      editor.sunk.get('notification')?.at(-1),
      JSON.stringify(['Continue', 'Undo Generation']),
    );
    job.dispose();
  });

  /**
   * Makes these lines of a job's document visible. The document has one line per character. Returns
   * an array that collects the ranges revealed after that.
   */
  function showLines(job: Job, first: number, last: number): object[] {
    const revealed: object[] = [];
    const shown = {
      document: job.document,
      visibleRanges: [{ start: { line: first }, end: { line: last } }],
      revealRange: (range: object) => revealed.push(range),
    };
    Object.assign(job.document, {
      positionAt: (character: number) => ({ line: character, character: 0 }),
    });
    const window = editor.exports()['window'] as object;
    Object.defineProperty(window, 'visibleTextEditors', { value: [shown] });
    return revealed;
  }

  for (const [what, first, last, isShown] of [
    ['in view', 2, 5, true],
    ['above the visible lines', 5, 9, false],
    ['below the visible lines', 0, 1, false],
  ] as const) {
    it(`${isShown ? 'announces' : 'offers to show'} a response that is ${what}`, async () => {
      // Without its surrounding line breaks, the response is on lines 2 to 4.
      const job = await jobWith('ab\n', undefined, 'below', '\n\n');
      await job.end(0, 'ended');
      const revealed = showLines(job, first, last);
      editor.button = 'Show';
      let announced = 0;
      await outcome.reportOutcome(job, { ...whole, announce: () => (announced += 1) });
      assert.equal(announced, isShown ? 1 : 0);
      assert.equal(/not in view/.test(editor.textOf('notification')), !isShown);
      const starts = revealed.map((range) => Reflect.get(range, 'start').line);
      assert.deepEqual(starts, isShown ? [] : [2]);
      job.dispose();
    });
  }

  for (const [what, first, last] of [
    ['above', 6, 9],
    ['below', 0, 1],
    ['partly below', 0, 3],
  ] as const) {
    it(`offers to show the end of a truncated response ${what} the visible lines`, async () => {
      const job = await jobWith('a\nb\n', undefined, 'below', '\n\n');
      await job.end(0, 'truncated');
      const revealed = showLines(job, first, last);
      editor.button = 'Show';
      await outcome.reportOutcome(job, { ...whole, isTruncated: true });
      const offered = editor.sunk.get('notification')?.filter((text) => text.startsWith('['));
      assert.deepEqual(offered, [
        JSON.stringify(['Continue', 'Show', 'Undo Generation']),
        JSON.stringify(['Continue', 'Undo Generation']),
      ]);
      const [end] = revealed.map((range) => Reflect.get(range, 'start').line);
      assert.equal(end, 5);
      job.dispose();
    });
  }

  it('shows a copy of the response if its document was closed', async () => {
    const job = await jobWith('a');
    await job.end(0, 'ended');
    editor.button = 'Show';
    editor.isDocumentClosed = true;
    await outcome.reportOutcome(job, whole);
    assert.match(editor.textOf('notification'), /not in view/);
    assert.equal(editor.sunk.get('document')?.at(-1), 'a');
    job.dispose();
  });

  it("doesn't offer actions for a response that couldn't be inserted", async () => {
    const job = await jobWith('a');
    await job.end(0, 'ended');
    await outcome.reportOutcome(job, { ...whole, isPlaced: false });
    assert.equal(editor.textOf('notification'), '');
    job.dispose();
  });

  for (const [what, text, removed, kept] of [
    ['were removed', 'a\u001B\u202Eb', 2, 0],
    ['remain', 'a\u2067b\u2069\u200B', 0, 3],
    ['were removed, and the ones that remain', '\u{E0041}a\u200B', 1, 1],
  ] as const) {
    it(`D26: counts the invisible characters that ${what}`, async () => {
      const job = await jobWith(text);
      await outcome.reportOutcome(job, { ...whole, isPlaced: false });
      const { invisibleText } = await import('../../../src/generate/generateMessages.ts');
      assert.deepEqual(
        editor.sunk.get('notification')?.filter((text) => text !== '[]'),
        [invisibleText(removed, kept)],
      );
      job.dispose();
    });
  }

  it('counts invisible characters in the latest continuation, but not in earlier text', async () => {
    const job = await jobWith('a\u001B');
    await job.end(0, 'truncated');
    job.begin([0], 'continue');
    job.append(0, '\u202E\u202E');
    await outcome.reportOutcome(job, { ...whole, isPlaced: false });
    const messages = editor.sunk.get('notification')?.filter((text) => text !== '[]');
    assert.deepEqual(messages, ['Removed 2 invisible or control characters.']);
    job.dispose();
  });

  it('offers to open the whole response if a code block was left out', async () => {
    editor.languageId = 'typescript';
    const job = await jobWith('```\na\n```\n\nOr:\n\n```\nb\n```');
    await job.end(0, 'ended');
    assert.equal(job.leftOut([0]), 'code');
    editor.button = 'Open in New Document';
    await outcome.offerWholeResponses(job, '');
    assert.match(editor.textOf('notification'), /first code block/);
    assert.ok(editor.sunk.get('document')?.includes(job.text));
    job.dispose();
  });

  it("doesn't report invisible characters if the run received no text", async () => {
    const job = await jobWith('a\u001B');
    await outcome.reportOutcome(job, { ...whole, isPlaced: false, received: [] });
    assert.equal(editor.textOf('notification'), '');
    job.dispose();
  });
});
