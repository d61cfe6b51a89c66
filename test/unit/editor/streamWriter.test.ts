import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { ResponsePlace } from '../../../src/editor/responseInDocument.ts';
import { StreamWriter } from '../../../src/editor/streamWriter.ts';
import { FakeDocument, type Fate } from './fakeDocument.ts';

const END = { start: 6, end: 6, lead: '\n', tail: '' };
const timing = { intervalMs: 0, deadlineMs: 5_000 };
/** A deadline that expires before an edit is applied. */
const SOON = { intervalMs: 0, deadlineMs: 5 };

function writing(place = END, times = timing): { page: FakeDocument; writer: StreamWriter } {
  const page = new FakeDocument('prompt');
  return { page, writer: new StreamWriter(page, [place], { timing: times }) };
}

/**
 * Creates a writer whose edits all miss the deadline until `goOn` is called. After that, no edit
 * misses the deadline, even on a busy machine.
 */
function writingLate(places = [END]) {
  const times = { ...SOON };
  const page = new FakeDocument('prompt');
  const goOn = () => {
    times.deadlineMs = timing.deadlineMs;
    return page.turn();
  };
  return { page, writer: new StreamWriter(page, places, { timing: times }), goOn };
}

/** Ends a response, and gives the next edits these outcomes, in order. */
async function endWith(page: FakeDocument, writer: StreamWriter, fates: readonly Fate[]) {
  const end = writer.end(0);
  for (const fate of fates) {
    page.fate = fate;
    await page.turn();
  }
  return page.turnUntil(end);
}

describe('a stream writer', () => {
  it('J11: writes text only once, even if the first two edits are refused', async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    assert.equal(await endWith(page, writer, ['refuse', 'refuse']), true);
    assert.equal(page.text, 'prompt\ntext');
  });

  it('J12: gives up if every edit is refused', async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    assert.equal(await endWith(page, writer, ['refuse', 'refuse', 'refuse']), false);
    assert.equal(page.text, 'prompt');
  });

  it('J12: gives up if every edit fails with an error', async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    const fates = Array.from({ length: 10 }, () => 'reject' as const);
    assert.equal(await endWith(page, writer, fates), false);
    assert.equal(page.text, 'prompt');
  });

  it('J12: continues after a few edits fail with an error', async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    assert.equal(await endWith(page, writer, ['reject', 'reject', 'reject']), true);
    assert.equal(page.text, 'prompt\ntext');
  });

  it("J12: reports that text couldn't be inserted if the edit never completes", async () => {
    const { page, writer } = writing(END, SOON);
    writer.append(0, 'text');
    assert.equal(await endWith(page, writer, ['never']), false);
    assert.equal(page.text, 'prompt');
  });

  it('J12: continues once a late edit is applied', async () => {
    const { page, writer, goOn } = writingLate();
    writer.append(0, 'first ');
    writer.append(0, 'second');
    assert.equal(await writer.end(0), false);
    assert.equal(await writer.end(0), false, 'later calls return at once');
    assert.equal(writer.isPending, true);
    await goOn();
    assert.equal(await page.turnUntil(writer.end(0)), true);
    assert.equal(page.text, 'prompt\nfirst second');
    assert.equal(await page.turnUntil(writer.undo()), 'undone');
    assert.equal(page.text, 'prompt');
  });

  it('J12: continues all responses once their late edits are applied', async () => {
    const { page, writer, goOn } = writingLate([{ ...END, start: 0, end: 0, lead: '' }, END]);
    writer.append(0, 'one ');
    writer.append(1, 'two');
    assert.deepEqual(await Promise.all([writer.end(0), writer.end(1)]), [false, false]);
    await goOn();
    const placed = Promise.all([writer.end(0), writer.end(1)]);
    assert.deepEqual(await page.turnUntil(placed), [true, true]);
    assert.equal(page.text, 'one prompt\ntwo');
  });

  it('J12: writes accepted text even if a late edit is refused', async () => {
    const { page, writer, goOn } = writingLate();
    writer.accept();
    writer.append(0, 'seen');
    writer.accept();
    assert.equal(await writer.end(0), false);
    writer.append(0, ' unseen');
    page.change(0, 0, 'MINE ');
    assert.equal(writer.isPending, true);
    await goOn();
    await page.turnUntil(writer.end(0));
    assert.deepEqual([page.text, writer.isPending], ['MINE prompt\nseen', false]);
  });

  it("J12: retries an edit in a hidden document if it's refused after its deadline", async () => {
    const { page, writer, goOn } = writingLate();
    writer.append(0, 'text');
    assert.equal(await writer.end(0), false);
    page.isVisible = false;
    page.fate = 'refuse';
    await goOn();
    await page.turn();
    assert.equal(page.text, 'prompt\ntext');
    assert.equal(writer.isPending, false);
  });

  it("J12: doesn't mix a new response with a late edit from the previous response", async () => {
    const { page, writer, goOn } = writingLate();
    writer.append(0, 'text');
    assert.equal(await writer.end(0), false);
    writer.restart(0);
    writer.append(0, 'another');
    assert.equal(await writer.end(0), false);
    await goOn();
    assert.equal(page.text, 'prompt\ntext');
    writer.restart(0);
    writer.append(0, 'another');
    assert.equal(await page.turnUntil(writer.end(0)), true);
    assert.equal(page.text, 'prompt\nanother');
  });

  it('J12: refuses to undo a late edit until it has been applied', async () => {
    const { page, writer, goOn } = writingLate();
    writer.append(0, 'text');
    assert.equal(await writer.undo(), 'refused');
    await goOn();
    assert.equal(page.text, 'prompt\ntext');
    assert.equal(await page.turnUntil(writer.undo()), 'undone');
    assert.equal(page.text, 'prompt');
  });

  it('J12: waits longer for a large edit', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { page, writer } = writing(END, SOON);
      writer.append(0, 'x'.repeat(1_000_000));
      const end = writer.end(0);
      mock.timers.tick(1_000);
      await new Promise(setImmediate);
      assert.equal(await page.turnUntil(end), true);
    } finally {
      mock.timers.reset();
    }
  });

  it("makes at most 30 edits a second, and doesn't lose any text", async () => {
    let now = 0;
    const clock = mock.method(performance, 'now', () => now);
    mock.timers.enable({ apis: ['setTimeout'] });
    const pass = async (ms: number) => {
      now += ms;
      mock.timers.tick(ms);
      await new Promise(setImmediate);
    };
    try {
      const page = new FakeDocument('prompt');
      const writer = new StreamWriter(page, [END]);
      let edits = 0;
      for (let ms = 0; ms < 1_000; ms += 1) {
        writer.append(0, '.');
        if (page.hasEditWaiting) edits += 1;
        await page.turn();
        await pass(1);
      }
      assert.equal(edits, 30);
      await pass(34);
      await page.turn();
      assert.equal(page.text, `prompt\n${'.'.repeat(1_000)}`);
    } finally {
      mock.timers.reset();
      clock.mock.restore();
    }
  });

  it("J13: gives up if edits are accepted but don't change the document", async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    assert.equal(await endWith(page, writer, ['ignore', 'ignore', 'ignore']), false);
    assert.equal(page.text, 'prompt');
  });

  it("J13: reports a failed undo if the edits don't change the document", async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    assert.equal(await endWith(page, writer, []), true);
    const undo = writer.undo();
    for (let tries = 0; tries < 20; tries += 1) {
      page.fate = 'ignore';
      await page.turn();
    }
    assert.equal(await undo, 'refused');
    assert.equal(page.text, 'prompt\ntext');
  });

  it('undoes a response even if the user edits the document during the undo', async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    await endWith(page, writer, []);
    const undo = writer.undo();
    await new Promise(setImmediate);
    page.change(0, 0, 'MINE ');
    assert.equal(await page.turnUntil(undo), 'undone');
    assert.equal(page.text, 'MINE prompt');
  });

  it('undoes an edit that is in progress', async () => {
    const { page, writer } = writing();
    writer.append(0, 'first');
    const undo = writer.undo();
    writer.append(0, 'second');
    assert.equal(await page.turnUntil(undo), 'undone');
    assert.equal(page.text, 'prompt');
    assert.equal(await page.turnUntil(writer.end(0)), true);
  });

  const blanks: [title: string, edit: (page: FakeDocument) => void, left: string][] = [
    ['keeps whitespace that the user typed inside it', (page) => page.change(9, 0, ' \n'), ' \n'],
    [
      'keeps whitespace that the user typed, deleted with part of the text, and restored',
      (page) => {
        page.change(9, 0, '  ');
        page.change(8, 4, '');
        page.undo();
      },
      '  ',
    ],
    [
      'keeps whitespace that the user typed, undid, and redid',
      (page) => {
        page.change(9, 0, '  ');
        page.undo();
        page.redo();
      },
      '  ',
    ],
    [
      'removes whitespace that a formatter inserted',
      (page) =>
        page.changeAll([
          { rangeOffset: 8, rangeLength: 0, text: ' ' },
          { rangeOffset: 10, rangeLength: 0, text: '\t' },
        ]),
      '',
    ],
    [
      'removes whitespace that a formatter inserted in place of typed whitespace',
      (page) => {
        page.change(9, 0, '   ');
        page.change(9, 3, ' ');
      },
      '',
    ],
  ];
  for (const [title, edit, left] of blanks) {
    it(`undoes a response and ${title}`, async () => {
      const { page, writer } = writing();
      writer.append(0, 'text');
      await endWith(page, writer, []);
      edit(page);
      assert.equal(await page.turnUntil(writer.undo()), 'undone');
      assert.equal(page.text, `prompt${left}`);
    });
  }

  it("doesn't undo any responses if the document changed without a change event", async () => {
    const page = new FakeDocument('prompt');
    const writer = new StreamWriter(page, [{ ...END, start: 0, end: 0, lead: '' }, END], {
      timing,
    });
    for (const index of [0, 1]) writer.append(index, 'text');
    await page.turnUntil(Promise.all([writer.end(0), writer.end(1)]));
    // Changes the text without an event, as VS Code does when the line endings change.
    page.marks = page.marks.toSpliced(5, 1);
    const { text } = page;
    assert.equal(await page.turnUntil(writer.undo()), 'refused');
    assert.equal(page.text, text);
  });

  it('waits until the next edit to start an undo step requested during an edit', async () => {
    const { page, writer } = writing(END, timing);
    writer.append(0, 'one');
    await page.turn();
    writer.append(0, ' two');
    while (!page.hasEditWaiting) await new Promise(setImmediate);
    writer.startUndoStep();
    writer.append(0, ' three');
    await page.turnUntil(writer.end(0));
    assert.equal(page.text, 'prompt\none two three');
    page.undo();
    assert.equal(page.text, 'prompt\none two');
  });

  it('starts an undo step even if its first edit is refused', async () => {
    const { page, writer } = writing(END, timing);
    writer.append(0, 'one');
    await page.turnUntil(writer.end(0));
    writer.startUndoStep();
    page.fate = 'refuse';
    writer.append(0, ' two');
    await page.turnUntil(writer.end(0));
    assert.equal(page.text, 'prompt\none two');
    page.undo();
    assert.equal(page.text, 'prompt\none');
  });

  it('reports that there is nothing to undo if nothing was written', async () => {
    const { page, writer } = writing();
    assert.equal(await page.turnUntil(writer.undo()), 'nothing');
  });

  it("J05: reports that text couldn't be removed from a closed document", async () => {
    const { page, writer } = writing();
    writer.append(0, 'text');
    await endWith(page, writer, []);
    page.isVisible = false;
    page.isOpen = false;
    assert.equal(await page.turnUntil(writer.undo()), 'refused');
  });

  it('is pending while it has text to write', async () => {
    const { page, writer } = writing();
    assert.equal(writer.isPending, false);
    writer.append(0, 'text');
    assert.equal(writer.isPending, true);
    await endWith(page, writer, []);
    assert.equal(writer.isPending, false);
  });

  describe('handling undo and redo', () => {
    const AT_START = { start: 0, end: 0, lead: '', tail: '\n' };

    /**
     * @returns the number of `onUndone` calls before the first undo or redo, and after each undo or
     * redo
     */
    async function undoneCounts(
      places: readonly ResponsePlace[],
      before: (page: FakeDocument, writer: StreamWriter) => Promise<void>,
      replays: readonly ('undo' | 'redo')[],
    ): Promise<number[]> {
      const page = new FakeDocument('prompt');
      let times = 0;
      const onUndone = () => {
        times += 1;
      };
      const writer = new StreamWriter(page, places, { timing, onUndone });
      await before(page, writer);
      const timesBefore = times;
      const timesAfter = replays.map((replay) => {
        page[replay]();
        return times;
      });
      return [timesBefore, ...timesAfter];
    }
    const write = async (
      page: FakeDocument,
      writer: StreamWriter,
      answer: number,
      text: string,
    ) => {
      writer.append(answer, text);
      await page.turn();
      await page.turn();
    };

    it('reports an undone response only once', async () => {
      const one = async (page: FakeDocument, writer: StreamWriter) => {
        await write(page, writer, 0, 'first ');
        await write(page, writer, 0, 'second');
      };
      assert.deepEqual(await undoneCounts([END], one, ['undo', 'redo']), [0, 1, 1]);
    });

    it("doesn't report an undo while text from a streaming response remains", async () => {
      const two = async (page: FakeDocument, writer: StreamWriter) => {
        await write(page, writer, 0, 'one');
        page.change(3, 0, 'u');
        await write(page, writer, 1, 'two');
      };
      assert.deepEqual(
        await undoneCounts([AT_START, END], two, ['undo', 'undo', 'undo']),
        [0, 0, 0, 1],
      );
    });

    /** Writes a response in two undo steps. */
    const inTwoSteps = async () => {
      const { page, writer } = writing();
      await write(page, writer, 0, 'first ');
      page.change(0, 0, 'u');
      await write(page, writer, 0, 'second ');
      return { page, writer };
    };

    it('continues a response after an undo and a redo', async () => {
      const { page, writer } = await inTwoSteps();
      page.undo();
      page.redo();
      writer.append(0, 'third');
      assert.equal(await page.turnUntil(writer.end(0)), true);
      assert.equal(page.text, 'uprompt\nfirst second third');
    });

    it("doesn't continue a response while part of it is undone", async () => {
      const { page, writer } = await inTwoSteps();
      page.undo();
      writer.append(0, 'third');
      assert.equal(await page.turnUntil(writer.end(0)), false);
      assert.equal(page.text, 'uprompt\nfirst ');
    });

    it('restarts an undone response at its position after the user undoes typing there', async () => {
      const page = new FakeDocument('one\ntwo');
      const writer = new StreamWriter(page, [{ ...END, start: 3, end: 3 }], { timing });
      await write(page, writer, 0, 'text');
      await page.turnUntil(writer.end(0));
      page.undo();
      page.type(3, 'abc');
      page.undo();
      writer.restart(0);
      writer.append(0, 'again');
      assert.equal(await page.turnUntil(writer.end(0)), true);
      assert.equal(page.text, 'one\nagain\ntwo');
    });

    it('undoes an entire response after a redo', async () => {
      const { page, writer } = await inTwoSteps();
      page.undo();
      page.redo();
      assert.equal(await page.turnUntil(writer.undo()), 'undone');
      assert.equal(page.text, 'uprompt');
    });

    it('reports an undone streaming response even if a completed response remains', async () => {
      const ended = async (page: FakeDocument, writer: StreamWriter) => {
        await write(page, writer, 0, 'one');
        await page.turnUntil(writer.end(0));
        page.change(3, 0, 'u');
        await write(page, writer, 1, 'two');
      };
      assert.deepEqual(
        await undoneCounts([AT_START, END], ended, ['undo', 'undo', 'undo']),
        [0, 1, 1, 1],
      );
    });

    it('reports a response as undone only if none of its text remains', async () => {
      const page = new FakeDocument('prompt');
      const reported: (readonly number[])[] = [];
      const onUndone = (indices: readonly number[]) => reported.push(indices);
      const writer = new StreamWriter(page, [AT_START, END, END], { timing, onUndone });
      await write(page, writer, 0, 'one');
      await page.turnUntil(writer.end(0));
      page.change(3, 0, 'u');
      await write(page, writer, 1, 'two');
      page.undo();
      assert.deepEqual(reported, [[1, 2]]);
    });

    for (const hasEnded of [true, false]) {
      it(`doesn't write a response${hasEnded ? ' that has already ended' : ''} if an undo precedes its first edit`, async () => {
        const page = new FakeDocument('one two');
        const places = [0, 4].map((start) => ({ start, end: start + 3, lead: '', tail: '' }));
        const onUndone = () => {};
        const writer = new StreamWriter(page, places, { timing, onUndone });
        await write(page, writer, 0, '1');
        writer.append(1, '2');
        const early = hasEnded ? writer.end(1) : undefined;
        while (!page.hasEditWaiting) await new Promise(setImmediate);
        page.undo();
        await page.turnUntil(Promise.all([writer.end(0), early ?? writer.end(1)]));
        assert.equal(page.text, 'one two');
      });
    }

    it("doesn't mistake a deletion by the user for an undo", async () => {
      const deleted = async (page: FakeDocument, writer: StreamWriter) => {
        await write(page, writer, 0, 'one');
        page.change(6, 4, '');
      };
      assert.deepEqual(await undoneCounts([END], deleted, []), [0]);
    });
  });

  it('still previews the rest of a response after an undo and a redo', async () => {
    const { page, writer } = writing();
    writer.accept();
    writer.append(0, 'text');
    writer.accept();
    await page.turnUntil(writer.end(0));
    writer.append(0, ' and more');
    page.undo();
    page.redo();
    assert.equal(writer.previewOf(new Set([0])), 'prompt\ntext and more');
    assert.equal(writer.canInsert(0, false), true);
  });

  it('previews text and writes it once the user accepts the preview', async () => {
    const { page, writer } = writing();
    writer.accept();
    writer.append(0, 'text');
    await page.turn();
    assert.deepEqual([page.text, writer.previewOf(new Set([0]))], ['prompt', 'prompt\ntext']);
    page.change(0, 0, 'a ');
    assert.equal(writer.previewOf(new Set([0])), 'a prompt\ntext');
    assert.equal(writer.isPending, false);
    writer.accept();
    assert.equal(writer.isPending, true);
    assert.equal(await page.turnUntil(writer.end(0)), true);
    assert.deepEqual(
      [page.text, writer.previewOf(new Set([0]))],
      ['a prompt\ntext', 'a prompt\ntext'],
    );
  });

  it('writes accepted text, but only previews text that arrives later', async () => {
    const { page, writer } = writing();
    writer.accept();
    writer.append(0, 'seen');
    writer.accept();
    writer.append(0, ' unseen');
    writer.append(0, ' more');
    assert.equal(await page.turnUntil(writer.end(0)), true);
    assert.deepEqual(
      [page.text, writer.previewOf(new Set([0]))],
      ['prompt\nseen', 'prompt\nseen unseen more'],
    );
    writer.accept();
    assert.equal(await page.turnUntil(writer.end(0)), true);
    assert.equal(page.text, 'prompt\nseen unseen more');
  });

  it("doesn't write a response that is restarted after the user accepts its preview", async () => {
    const { page, writer } = writing();
    writer.accept();
    writer.append(0, 'seen');
    writer.accept();
    writer.restart(0);
    writer.append(0, 'unseen');
    assert.equal(await page.turnUntil(writer.end(0)), true);
    assert.equal(page.text, 'prompt');
  });
});
