import assert from 'node:assert/strict';
import {
  commands,
  Range,
  Selection,
  type TextDocument,
  type TextEditor,
  ViewColumn,
  window,
} from 'vscode';
import type { Job } from '../../src/generate/job.ts';
import { close, jobOn, open, openWith, placingModes, untilText } from './jobs.ts';

/** Chunks of a response with several lines. */
const PIECES = ['first line\n', '  second line\n', 'third', ' and last'];

interface Case {
  readonly title: string;
  readonly text: string;
  readonly ranges: readonly Range[];
  readonly isReversed: boolean;
  /**
   * True if the case runs only in the nightly tests. For modes that aren't in `dailyModes`, all
   * cases run only in the nightly tests.
   */
  readonly isNightly?: boolean;
  /**
   * The text in each selection after a response in `after` mode. Undefined if the response doesn't
   * change which text is selected.
   */
  readonly afterResponse?: readonly string[];
}

const cases: readonly Case[] = [
  {
    title: 'two whole lines',
    text: 'zero\none\ntwo\nthree\n',
    ranges: [new Range(1, 0, 3, 0)],
    isReversed: false,
    isNightly: true,
    afterResponse: ['one\ntwo'],
  },
  {
    title: 'whole lines up to the end, with CRLF and reversed',
    text: 'zero\r\n\tone\r\n\ttwo\r\n',
    ranges: [new Range(1, 0, 3, 0)],
    isReversed: true,
    afterResponse: ['\tone\r\n\ttwo'],
  },
  {
    title: 'a whole text without a final line break',
    text: 'one\ntwo',
    ranges: [new Range(0, 0, 1, 3)],
    isReversed: false,
    isNightly: true,
  },
  {
    title: 'whole lines that end with an empty one',
    text: 'zero\r\none\r\n\r\nthree\r\n',
    ranges: [new Range(1, 0, 3, 0)],
    isReversed: false,
    isNightly: true,
    afterResponse: ['one\r\n'],
  },
  {
    title: 'the text of adjacent lines, with CRLF',
    text: 'zero\r\none\r\ntwo\r\nthree\r\n',
    ranges: [new Range(1, 0, 1, 3), new Range(2, 0, 2, 3)],
    isReversed: false,
  },
  {
    title: 'adjacent blocks of whole lines',
    text: 'zero\none\ntwo\nthree\nfour\n',
    ranges: [new Range(0, 0, 2, 0), new Range(2, 0, 4, 0)],
    isReversed: true,
    isNightly: true,
    afterResponse: ['zero\none', 'two\nthree'],
  },
  {
    title: 'whole lines, a part of a line, and a cursor',
    text: 'zero\none\ntwo\nthree\nfour\n',
    ranges: [new Range(0, 0, 2, 0), new Range(2, 1, 2, 3), new Range(3, 2, 3, 2)],
    isReversed: false,
    afterResponse: ['zero\none', 'wo', ''],
  },
];

const dailyModes = ['below', 'after'];

describe('selections', () => {
  afterEach(close);

  for (const [mode] of placingModes) {
    if (mode === 'replace') continue;
    for (const { title, text, ranges, isReversed, isNightly, afterResponse } of cases) {
      const nightly = isNightly || !dailyModes.includes(mode) ? ' @nightly' : '';
      it(`are preserved when a response is inserted, continued, retried, and undone: ${mode}, ${title}${nightly}`, async () => {
        const editor = await openWith(text, ranges);
        await select(editor, ranges, isReversed);
        const wanted = (mode === 'after' && afterResponse) || selected(editor);
        const check = (when: string) => isSelected(editor, wanted, isReversed, when);
        const job = jobOn(editor, mode);
        await answer(job, editor.document, PIECES);
        await check('after the response');
        for (const each of job.indices) {
          await job.end(each, 'truncated');
          assert.notEqual(job.begin([each], 'continue'), '');
        }
        await answer(job, editor.document, ['and\n', 'more']);
        await check('after it was continued');
        for (const pieces of [['short'], ['a longer ', 'one\n', 'than before']]) {
          for (const each of job.indices) {
            await job.end(each, 'ended');
            job.begin([each], 'restart');
          }
          await answer(job, editor.document, pieces);
          await check(`after a retry: ${pieces.join('')}`);
        }
        assert.equal(await job.undo(), 'undone');
        assert.equal(editor.document.getText(), text);
        await check('after it was undone');
      });
    }
  }

  it('stay in place, so the next generation uses the same prompt', async () => {
    const lines = '0123456789abcde\n'.repeat(2);
    const editor = await openWith(`${lines}and more\n`, [new Range(0, 0, 2, 0)]);
    for (const _generation of [1, 2]) {
      const job = jobOn(editor, 'below');
      assert.equal(job.indices.length, 1);
      await answer(job, editor.document, PIECES);
      await job.end(0, 'ended');
      await isSelected(editor, [lines], false, 'after a generation');
    }
  });

  for (const [what, text, selected, cursor] of [
    ['at the end of the selected line', 'a\nb', new Range(0, 0, 0, 1), [0, 1]],
    ['where nothing was selected', 'a\n\nb', new Range(1, 0, 1, 0), [1, 0]],
  ] as const) {
    it(`stay at the end of any text that the user types before a response arrives (${what})`, async () => {
      const editor = await open(text, selected);
      const job = jobOn(editor, 'below');
      const [line, character] = cursor;
      editor.selection = new Selection(line, character, line, character);
      await commands.executeCommand('type', { text: 'typed' });
      job.append(0, 'one\n');
      job.append(0, 'two');
      assert.equal(await job.end(0, 'ended'), true);
      job.dispose();
      const typed = text.split('\n').with(line, `${text.split('\n')[line]}typed\none\ntwo`);
      assert.equal(editor.document.getText(), typed.join('\n'));
      const { start, end } = editor.selection;
      assert.deepEqual([start.line, start.character, end.line], [line, character + 5, line]);
    });
  }

  for (const [what, selection] of [
    ['the end of the selected line', new Range(1, 0, 1, 3)],
    ['a cursor at the end of a line', new Range(1, 3, 1, 3)],
  ] as const) {
    // Restoring a changed selection isn't enough, because the user may press keys before it's
    // restored.
    it(`don't change, even briefly, when a response is inserted below ${what}`, async () => {
      const editor = await openWith('zero\none\ntwo\n', [selection]);
      await answered();
      const changes: (readonly Selection[])[] = [];
      const listening = window.onDidChangeTextEditorSelection(({ selections }) =>
        changes.push(selections),
      );
      await answer(jobOn(editor, 'below'), editor.document, PIECES);
      await answered();
      listening.dispose();
      assert.deepEqual(changes, []);
    });
  }

  for (const [what, selection] of [
    ['part of a line', new Range(1, 0, 1, 3)],
    ['several lines', new Range(0, 1, 2, 2)],
  ] as const) {
    it(`collapse to the end of a response that replaces ${what}, and never contain the response`, async () => {
      const editor = await openWith('zero\none\ntwo\n', [selection]);
      await answered();
      const seen: string[] = [];
      const listening = window.onDidChangeTextEditorSelection(({ selections }) =>
        seen.push(...selections.map((each) => editor.document.getText(each))),
      );
      await answer(jobOn(editor, 'replace'), editor.document, PIECES);
      await answered();
      listening.dispose();
      assert.deepEqual(
        seen.filter((text) => text !== ''),
        [],
      );
      const { active, isEmpty } = editor.selection;
      const before = editor.document.getText(new Range(selection.start, active));
      assert.deepEqual([before, isEmpty], [PIECES.join(''), true]);
    });
  }

  it('move to the end of a response that is inserted at the cursor', async () => {
    const editor = await open('a\n\nb', new Range(1, 0, 1, 0));
    const job = jobOn(editor, 'below');
    for (const [chunk, written] of [
      ['one\n', 'one'],
      ['two', 'two'],
    ] as const) {
      job.append(0, chunk);
      await untilText(editor.document, (text) => text.includes(written));
    }
    assert.equal(await job.end(0, 'ended'), true);
    job.dispose();
    const { start, end } = editor.selection;
    assert.deepEqual([start.line, start.character, end.line], [2, 3, 2]);
  });

  it('stay unchanged in every editor that shows the document @nightly', async () => {
    const lines = new Range(0, 0, 2, 0);
    const left = await openWith('zero\none\ntwo\n', [lines]);
    const right = await window.showTextDocument(left.document, ViewColumn.Beside);
    await select(right, [lines], true);
    await answer(jobOn(right, 'below'), right.document, PIECES);
    await isSelected(right, ['zero\none\n'], true, 'in the active editor');
    await isSelected(left, ['zero\none\n'], false, 'in the other editor');
  });

  it('stay where the user moves them while text streams @nightly', async () => {
    const editor = await openWith('zero\none\ntwo\n', [new Range(0, 0, 2, 0)]);
    const job = jobOn(editor, 'below');
    await answer(job, editor.document, PIECES.slice(0, 2));
    await commands.executeCommand('cursorTop');
    await commands.executeCommand('cursorWordRightSelect');
    await answer(job, editor.document, PIECES.slice(2));
    await isSelected(editor, ['zero'], false, 'after the response');
  });
});

/**
 * Adds these chunks to every response in a job. Waits until each chunk is written so that each
 * chunk gets its own edit.
 */
async function answer(job: Job, document: TextDocument, pieces: readonly string[]): Promise<void> {
  const count = (text: string, piece: string) => text.split(piece.trim()).length;
  for (const piece of pieces) {
    const wanted = count(document.getText(), piece) + job.indices.length;
    for (const each of job.indices) job.append(each, piece);
    await untilText(document, (text) => count(text, piece) === wanted);
  }
}

async function select(
  editor: TextEditor,
  ranges: readonly Range[],
  isReversed: boolean,
): Promise<void> {
  editor.selections = ranges.map(({ start, end }) =>
    isReversed ? new Selection(end, start) : new Selection(start, end),
  );
  await answered();
}

function selected({ document, selections }: TextEditor): string[] {
  return selections.map((selection) => document.getText(selection));
}

async function isSelected(
  editor: TextEditor,
  wanted: readonly string[],
  isReversed: boolean,
  when: string,
): Promise<void> {
  await answered();
  assert.deepEqual(selected(editor), wanted, when);
  for (const selection of editor.selections.filter(({ isEmpty }) => !isEmpty)) {
    assert.equal(selection.isReversed, isReversed, when);
  }
}

/**
 * Waits until all pending selection events have arrived. The command doesn't end until they have.
 */
async function answered(): Promise<void> {
  await commands.executeCommand('setContext', 'hostedModel.isSelected', true);
}
