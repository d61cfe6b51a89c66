import assert from 'node:assert/strict';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';

describe('opening an empty document', () => {
  /** The contents of the next documents that VS Code opens, in order. */
  let texts: string[];
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    class EditorThatKeeps extends SinkEditor {
      override exports(): Record<string, unknown> {
        const openTextDocument = async () => {
          const text = texts.shift();
          return { getText: () => text };
        };
        return { ...super.exports(), workspace: { openTextDocument } };
      }
    }
    const editor = new EditorThatKeeps();
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it('tries another document if VS Code restores discarded text in the first one', async () => {
    const { openEmpty } = await import('../../../src/editor/trackedDocument.ts');
    texts = ['what the user had discarded', 'and another', ''];
    assert.equal((await openEmpty('plaintext')).getText(), '');
    assert.deepEqual(texts, []);
  });

  it('gives up after three attempts if an extension adds a header each time', async () => {
    const { openEmpty } = await import('../../../src/editor/trackedDocument.ts');
    texts = Array.from({ length: 9 }, () => '// A header');
    assert.equal((await openEmpty('plaintext')).getText(), '// A header');
    assert.equal(texts.length, 6);
  });
});
