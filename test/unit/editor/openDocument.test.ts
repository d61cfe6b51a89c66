import assert from 'node:assert/strict';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';

describe('an empty document', () => {
  /** What the documents hold that are opened one after the other. */
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

  it('is not one that VS Code brings back, of the same name, after it was discarded', async () => {
    const { openEmpty } = await import('../../../src/editor/editorDocument.ts');
    texts = ['what the user had discarded', 'and another', ''];
    assert.equal((await openEmpty('plaintext')).getText(), '');
    assert.deepEqual(texts, []);
  });

  it('is not looked for without end, where an extension begins each one with a header', async () => {
    const { openEmpty } = await import('../../../src/editor/editorDocument.ts');
    texts = Array.from({ length: 9 }, () => '// A header');
    assert.equal((await openEmpty('plaintext')).getText(), '// A header');
    assert.equal(texts.length, 6);
  });
});
