import assert from 'node:assert/strict';
import { commands, Range, type TextDocument, window } from 'vscode';
import type { Job } from '../../src/generate/job.ts';
import {
  type ByPlacingMode,
  close,
  countEdits,
  jobOn,
  openWith,
  placingModes,
  untilText,
} from './jobs.ts';

const TEXT = 'one\ntwo\nthree\n';
const LINES = [new Range(0, 0, 0, 3), new Range(1, 0, 1, 3), new Range(2, 0, 2, 5)];
const WANTED: ByPlacingMode = {
  below: 'one\nA0 A1 A2 \ntwo\nB0 B1 B2 \nthree\nC0 C1 C2 \n',
  after: 'oneA0 A1 A2 \ntwoB0 B1 B2 \nthreeC0 C1 C2 \n',
  above: 'A0 A1 A2 \none\nB0 B1 B2 \ntwo\nC0 C1 C2 \nthree\n',
  replace: 'A0 A1 A2 \nB0 B1 B2 \nC0 C1 C2 \n',
};

describe('several selections', () => {
  afterEach(close);

  for (const [mode, title] of placingModes) {
    it(`J17: get one response each, and one undo removes all responses: ${title}`, async () => {
      const editor = await openWith(TEXT, LINES);
      const job = jobOn(editor, mode);
      for (let count = 0; count < 3; count += 1) {
        for (const [answer, letter] of ['A', 'B', 'C'].entries()) {
          job.append(answer, `${letter}${count} `);
        }
        const last = `C${count}`;
        await untilText(editor.document, (text) => text.includes(last));
      }
      assert.deepEqual(await endAll(job), [true, true, true]);
      assert.equal(editor.document.getText(), WANTED[mode]);
      await commands.executeCommand('undo');
      assert.equal(editor.document.getText(), TEXT);
    });

    it(`J17: have all their responses removed by Undo Generation, even after an edit above them: ${title}`, async () => {
      const editor = await openWith(TEXT, LINES);
      const job = jobOn(editor, mode);
      for (const answer of [2, 0, 1]) job.append(answer, `<${answer}>`);
      assert.deepEqual(await endAll(job), [true, true, true]);
      await editor.edit((builder) => builder.insert(editor.document.positionAt(0), 'mine\n'));
      assert.equal(await job.undo(), 'undone');
      assert.equal(editor.document.getText(), `mine\n${TEXT}`);
    });
  }

  for (const mode of ['below', 'newDocument'] as const) {
    it(`J17: get their earlier responses back with a single undo after a retry: ${mode}`, async () => {
      const { job, document } = await firstRun(mode);
      const earlier = document.getText();
      job.begin(job.indices, 'restart');
      await appendEach(job, document, [0, 1, 2]);
      assert.deepEqual(await endAll(job), [true, true, true]);
      const retried = document.getText();
      await commands.executeCommand('undo');
      assert.equal(document.getText(), earlier);
      await commands.executeCommand('redo');
      assert.equal(document.getText(), retried);
      assert.equal(await job.undo(), 'undone');
      assert.equal(document.getText(), mode === 'below' ? TEXT : '');
    });
  }

  it('J17: can be retried even after a failed response; one undo reverts the retry', async () => {
    const { job, document } = await firstRun('replace', [1, 2]);
    job.begin(job.indices, 'restart');
    await appendEach(job, document, [0, 1, 2]);
    await endAll(job);
    await commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\n<1>\n<2>\n');
  });

  it('J17: are restored by a single undo after retrying one that initially failed', async () => {
    const { job, document } = await firstRun('replace', [1, 2]);
    job.begin([0], 'restart');
    await appendEach(job, document, [0]);
    await endAll(job);
    await commands.executeCommand('undo');
    assert.equal(document.getText(), TEXT);
  });

  it('J17: let the user undo overlapping retries one at a time', async () => {
    const { job, document } = await firstRun('replace');
    for (const index of [0, 1]) job.begin([index], 'restart');
    await appendEach(job, document, [1, 0]);
    await endAll(job);
    await commands.executeCommand('undo');
    assert.equal(document.getText(), '<0>\nagain 1\n<2>\n');
    await commands.executeCommand('undo');
    assert.equal(document.getText(), '<0>\n<1>\n<2>\n');
  });

  it('J17: get one response each, except for a selection that was deleted', async () => {
    const editor = await openWith(TEXT, LINES);
    const job = jobOn(editor, 'below');
    await editor.edit((builder) => builder.delete(new Range(1, 0, 2, 2)));
    for (const index of job.indices) job.append(index, `<${index}>`);
    assert.deepEqual(await endAll(job), [true, false, true]);
    assert.equal(editor.document.getText(), 'one\n<0>\nree\n<2>\n');
  });

  it('J17: keep the other responses when one is retried', async () => {
    const editor = await openWith(TEXT, LINES);
    const job = jobOn(editor, 'replace');
    for (const index of job.indices) job.append(index, `<${index}>`);
    await endAll(job);
    job.begin([1], 'restart');
    job.append(1, 'again');
    assert.equal(await job.end(1, 'ended'), true);
    assert.equal(editor.document.getText(), '<0>\nagain\n<2>\n');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it('keep their responses undone until a retry for one selection returns text', async () => {
    const editor = await openWith(TEXT, LINES);
    const job = jobOn(editor, 'replace');
    for (const index of job.indices) job.append(index, `<${index}>`);
    await endAll(job);
    assert.equal(await job.undo(), 'undone');
    assert.equal(job.isUndone, true);
    job.begin([1], 'restart');
    assert.equal(job.isUndone, true, 'no text has arrived yet');
    job.append(1, 'again');
    await job.end(1, 'truncated');
    assert.deepEqual([job.isUndone, job.truncated], [false, [1]]);
  });

  const adjacent: ByPlacingMode = {
    below: 'abcdef\nAA\nBB',
    after: 'abcAAdefBB',
    above: 'AA\nBB\nabcdef',
    replace: 'AABB',
  };
  for (const [mode, title] of placingModes) {
    it(`J18: keep their responses in order when adjacent, whichever response arrives first: ${title}`, async () => {
      const editor = await openWith('abcdef', [new Range(0, 0, 0, 3), new Range(0, 3, 0, 6)]);
      const job = jobOn(editor, mode);
      for (const _round of [1, 2]) {
        for (const answer of [1, 0]) job.append(answer, answer === 0 ? 'A' : 'B');
      }
      assert.deepEqual(await endAll(job), [true, true]);
      assert.equal(editor.document.getText(), adjacent[mode]);
      assert.equal(await job.undo(), 'undone');
      assert.equal(editor.document.getText(), 'abcdef');
    });
  }

  it('need only two edits for 600 chunks', async () => {
    const editor = await openWith(TEXT, LINES);
    const edits = countEdits(editor.document);
    const job = jobOn(editor, 'below');
    for (let count = 0; count < 200; count += 1) {
      for (const index of job.indices) job.append(index, 'word ');
    }
    assert.deepEqual(await endAll(job), [true, true, true]);
    edits.dispose();
    assert.equal(edits.count, 2);
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), TEXT);
  });
});

function endAll(job: Job): Promise<boolean[]> {
  return Promise.all(job.indices.map((answer) => job.end(answer, 'ended')));
}

/** Creates a job and writes these responses. Returns the document that contains them. */
async function firstRun(
  mode: 'below' | 'newDocument' | 'replace',
  indices = [0, 1, 2],
): Promise<{ readonly job: Job; readonly document: TextDocument }> {
  const job = jobOn(await openWith(TEXT, LINES), mode);
  for (const index of indices) job.append(index, `<${index}>`);
  await endAll(job);
  // In `newDocument` mode, the new document is now active.
  const { document } = window.activeTextEditor ?? assert.fail('no active editor');
  return { job, document };
}

/** Appends text to each response in turn, and waits for it to appear. */
async function appendEach(
  job: Job,
  document: TextDocument,
  indices: readonly number[],
): Promise<void> {
  for (const index of indices) {
    job.append(index, `again ${index}`);
    await untilText(document, (text) => text.includes(`again ${index}`));
  }
}
