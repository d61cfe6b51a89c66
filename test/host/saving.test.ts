import assert from 'node:assert/strict';
import { ConfigurationTarget, Range, workspace } from 'vscode';
import { registerFormatter } from './formatter.ts';
import { close, jobOn, open, openFile, until } from './jobs.ts';

const PROMPT = new Range(0, 0, 0, 6);

describe('text that is saved or changed while it streams', () => {
  afterEach(close);

  it('J24: is inserted in full and only once despite autosave and format on save @nightly', async () => {
    const settings: [section: string, key: string, value: unknown][] = [
      ['files', 'autoSave', 'afterDelay'],
      ['files', 'autoSaveDelay', 50],
      ['files', 'insertFinalNewline', true],
      ['files', 'trimTrailingWhitespace', true],
      ['editor', 'formatOnSave', true],
    ];
    for (const [section, key, value] of settings) await update(section, key, value);
    const formatter = registerFormatter('plaintext');
    try {
      const editor = await openFile('formatted.txt', 'prompt\nend', PROMPT);
      const { document } = editor;
      let saves = 0;
      const counter = workspace.onDidSaveTextDocument(() => {
        saves += 1;
      });
      const job = jobOn(editor, 'below');
      const lines: string[] = [];
      // Repeats these steps at least nine times, and continues until the document has been
      // formatted. A manual save right after an autosave doesn't format the document, because
      // there's nothing to save.
      const isFormatted = () => / = /.test(document.getText());
      for (let index = 0; index < 9 || !isFormatted(); index += 1) {
        const before = saves;
        lines.push(`word${index}=${index}`);
        job.append(0, `${lines.at(-1)}\n`);
        await until(workspace.onDidChangeTextDocument, () =>
          new RegExp(`word${index} ?= ?${index}\n`).test(document.getText()),
        );
        // VS Code formats on a manual save, but not on an autosave after a delay.
        if (index % 4 === 0) await document.save();
        if (index % 4 === 3) await until(workspace.onDidSaveTextDocument, () => saves > before);
      }
      assert.equal(await job.end(0, 'ended'), true);
      counter.dispose();
      const words = document.getText().match(/word.*/g) ?? [];
      assert.deepEqual(
        words.map((line) => line.replaceAll(' ', '')),
        lines,
      );
      assert.equal(await job.undo(), 'undone');
      assert.match(document.getText(), /^prompt\s+end\s*$/);
    } finally {
      formatter.dispose();
      for (const [section, key] of settings) await update(section, key, undefined);
    }
  });

  it('J14: is inserted only once, even if another extension edits it immediately', async () => {
    const editor = await open('prompt', PROMPT);
    const { document } = editor;
    const other = workspace.onDidChangeTextDocument(async (event) => {
      const text = document.getText();
      const at = text.indexOf('=');
      if (event.document !== document || at < 0) return;
      const range = new Range(document.positionAt(at), document.positionAt(at + 1));
      await editor.edit((builder) => builder.replace(range, ' is '));
    });
    const job = jobOn(editor, 'below');
    for (let count = 0; count < 8; count += 1) {
      job.append(0, `word${count}=${count} `);
      await until(workspace.onDidChangeTextDocument, () =>
        document.getText().includes(`word${count} is ${count} `),
      );
    }
    assert.equal(await job.end(0, 'ended'), true);
    other.dispose();
    const want = Array.from({ length: 8 }, (_, count) => `word${count} is ${count} `).join('');
    assert.equal(document.getText(), `prompt\n${want}`);
  });
});

async function update(section: string, key: string, value: unknown): Promise<void> {
  await workspace.getConfiguration(section).update(key, value, ConfigurationTarget.Global);
}
