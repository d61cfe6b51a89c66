import assert from 'node:assert/strict';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';

describe('an empty document', () => {
  /** The texts of the documents, in the order in which they are opened. */
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

  it("isn't a discarded document of the same name that VS Code restored", async () => {
    const { openEmpty } = await import('../../../src/editor/editorDocument.ts');
    texts = ['what the user had discarded', 'and another', ''];
    assert.equal((await openEmpty('plaintext')).getText(), '');
    assert.deepEqual(texts, []);
  });

  it('is requested only three times if an extension adds a header to each new document', async () => {
    const { openEmpty } = await import('../../../src/editor/editorDocument.ts');
    texts = Array.from({ length: 9 }, () => '// A header');
    assert.equal((await openEmpty('plaintext')).getText(), '// A header');
    assert.equal(texts.length, 6);
  });
});
