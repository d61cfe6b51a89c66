import assert from 'node:assert/strict';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';

describe('confirmSize', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  let confirmSize: typeof import('../../../src/generate/promptChecks.ts').confirmSize;
  before(async () => {
    hooks = installEditor(() => editor);
    ({ confirmSize } = await import('../../../src/generate/promptChecks.ts'));
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new FakeEditor();
  });

  const LONG = 'abcd'.repeat(30_000);

  for (const [limit, isWarned] of [
    [undefined, false],
    [131_072, false],
    [8_192, true],
  ] as const) {
    it(`${isWarned ? 'warns' : "doesn't warn"} about the model's limit if it is ${limit}`, async () => {
      const confirmed = confirmSize([LONG], limit);
      const prompt = await editor.modalPrompt();
      assert.equal(/exceeds the model’s limit of [\d,]+ tokens/.test(prompt.detail), isWarned);
      await prompt.answer('Send');
      assert.equal(await confirmed, true);
    });
  }
});
