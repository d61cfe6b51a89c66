import assert from 'node:assert/strict';
import { FakeEditor, installEditor } from '../credentials/fakeEditor.ts';

describe('an empty document', () => {
  it('is not one that VS Code brings back, of the same name, after it was discarded', async () => {
    const kept = ['what the user had discarded', 'and another', ''];
    class EditorThatKeeps extends FakeEditor {
      override exports(): Record<string, unknown> {
        const openTextDocument = async () => {
          const text = kept.shift();
          return { getText: () => text };
        };
        return { ...super.exports(), workspace: { openTextDocument } };
      }
    }
    const editor = new EditorThatKeeps();
    const hooks = installEditor(() => editor);
    const { openEmpty } = await import('../../../src/editor/openEmpty.ts');
    assert.equal((await openEmpty('plaintext')).getText(), '');
    assert.deepEqual(kept, []);
    hooks.deregister();
  });
});
