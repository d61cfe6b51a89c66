import assert from 'node:assert/strict';
import type { CodeAction } from 'vscode';
import { becomes } from '../vscode/deadline.ts';
import { FakeEditor, installEditor } from './connection/fakeEditor.ts';
import { FakeKeyring, FakeState } from './connection/fakes.ts';
import { untracked, withApi } from './dotenv/fakeGit.ts';

const nothing = { dispose: () => {} };

/**
 * A fake editor with one open `.env` file. `shown` contains the current messages about the file's
 * problems.
 */
class EditorWithFile extends FakeEditor {
  text = '';
  shown: readonly string[] = [];
  /** Returns the code actions for a line of the file. */
  actionsAt: (line: number) => Promise<readonly CodeAction[]> = async () => [];
  /** Reports that the editor has created these files. */
  reportCreated = (_: { readonly files: readonly { readonly path: string }[] }): void => {};
  /** True if Git ignores all files. Undefined if no repository is open. */
  isIgnored: boolean | undefined;
  #exports: Record<string, unknown> | undefined;

  /** Creates the exports only once so that the document stays the same object. */
  override exports(): Record<string, unknown> {
    this.#exports ??= this.#makeExports(super.exports());
    return this.#exports;
  }

  #makeExports(base: Record<string, unknown>): Record<string, unknown> {
    const from = base['workspace'] as Record<string, unknown>;
    const { joinPath } = base['Uri'] as { joinPath: (uri: unknown, name: string) => unknown };
    const document = {
      uri: joinPath(this.folders[0]?.uri, '.env'),
      version: 1,
      getText: () => this.text,
      lineCount: 4,
      lineAt: (line: number) => ({
        text: this.text.split('\n')[line] ?? '',
        range: new FakeRange(line, 0, line, 0),
        rangeIncludingLineBreak: new FakeRange(line, 0, line + 1, 0),
      }),
    };
    const set = (_: unknown, all: readonly { readonly message: string }[]) => {
      this.shown = all.map(({ message }) => message);
    };
    const [listen, watch] = [() => nothing, ['onDidCreate', 'onDidChange', 'onDidDelete']];
    const own = {
      textDocuments: [document],
      onDidChangeTextDocument: listen,
      onDidCloseTextDocument: listen,
      onDidSaveTextDocument: listen,
      onDidCreateFiles: (listener: typeof this.reportCreated) => {
        this.reportCreated = listener;
        return nothing;
      },
      onDidChangeConfiguration: listen,
      createFileSystemWatcher: () => Object.fromEntries(watch.map((name) => [name, listen])),
    };
    const workspace = Object.create(from, Object.getOwnPropertyDescriptors(own));
    const languages = {
      createDiagnosticCollection: () => ({ ...nothing, set, clear: () => {} }),
      registerCodeActionsProvider: (_: unknown, { provideCodeActions }: ActionProvider) => {
        this.actionsAt = (line) =>
          provideCodeActions(document, new FakeRange(line, 0, line, 0), { diagnostics: [] });
        return nothing;
      },
    };
    const classes = {
      Diagnostic: FakeDiagnostic,
      Position: class {},
      Range: FakeRange,
      CodeAction: FakeCodeAction,
      WorkspaceEdit: FakeEdit,
    };
    const kinds = {
      DiagnosticSeverity: {},
      EndOfLine: {},
      CodeActionKind: { QuickFix: 'quick fix', SourceFixAll: 'fix all' },
    };
    const checkIgnore = async (paths: string[]) => new Set(this.isIgnored ? paths : []);
    const git = withApi({
      ...{ onDidOpenRepository: listen, onDidCloseRepository: listen },
      getRepository: () => (this.isIgnored === undefined ? null : { ...untracked, checkIgnore }),
    });
    const extensions = { getExtension: () => git, onDidChange: listen };
    return { ...base, ...classes, ...kinds, workspace, languages, extensions };
  }
}

class FakeDiagnostic {
  readonly message: string;
  constructor(_range: unknown, message: string) {
    this.message = message;
  }
}

interface ActionProvider {
  provideCodeActions(
    document: object,
    range: FakeRange,
    context: { readonly diagnostics: readonly [] },
  ): Promise<readonly CodeAction[]>;
}

class FakeRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = { line, character };
    this.end = { line: endLine, character: endCharacter };
  }
}

class FakeCodeAction {
  readonly title: string;
  readonly kind: unknown;
  constructor(title: string, kind: unknown) {
    this.title = title;
    this.kind = kind;
  }
}

class FakeEdit {
  readonly #changes: (readonly [line: number, newText: string])[] = [];
  replace(_: unknown, { start }: FakeRange, newText: string): void {
    this.#changes.push([start.line, newText]);
  }
  /** The changed lines and their new text. */
  entries() {
    return this.#changes;
  }
}

describe('problems in an open .env file', () => {
  const editor = new EditorWithFile();
  editor.addFolder('/work');
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  let parts: DisposableStack;
  beforeEach(() => {
    parts = new DisposableStack();
    editor.isIgnored = undefined;
  });
  afterEach(() => parts.dispose());

  async function start() {
    const { KeyStore } = await import('../../src/connection/keyStore.ts');
    const { startEnvFile } = await import('../../src/envFile/envFileFeature.ts');
    const keys = new KeyStore(new FakeKeyring().window(), new FakeState(), () => {});
    parts.adopt(keys, (one) => one.dispose());
    parts.adopt(startEnvFile(keys), (one) => one.dispose());
    return keys;
  }

  it('are updated for the service whose key was just stored', async () => {
    editor.text = 'VENDOR_URL=https://a.example';
    const keys = await start();
    await becomes('the first problems', () => editor.shown.join().includes('VENDOR_PROJECT_ID'));
    const record = { apiKey: 'key-of-the-gateway', authUrl: 'https://a.example' };
    await keys.write({ ...record, serviceUrl: record.authUrl }, 'ibm_gateway');
    await becomes('the updated problems', () => !editor.shown.join().includes('VENDOR_PROJECT_ID'));
    assert.match(editor.shown.join(), /VENDOR_API_KEY/);
  });

  it('are updated after the editor creates a .gitignore file', async () => {
    editor.text = 'IBM_API_KEY=abcd1234';
    editor.isIgnored = false;
    await start();
    await becomes('the warning', () => editor.shown.join().includes('.gitignore'));
    editor.isIgnored = true;
    editor.reportCreated({ files: [{ path: '/work/.gitignore' }] });
    await becomes('no warning', () => !editor.shown.join().includes('.gitignore'));
  });

  it('can all be fixed at once, except for duplicate variables', async () => {
    const [url, other] = ['eu-de', 'eu-gb'].map((region) => `https://${region}.ml.cloud.ibm.com`);
    editor.text = `IBM_URL=${url}\nIBM_URL=${other}\nIBM_API_KEY="abcd1234"\nIBM_PROJECT_ID='p'`;
    await start();
    const all = await editor.actionsAt(1);
    assert.deepEqual(
      all.map(({ title, edit }) => [title, edit?.entries()]),
      [
        ['Remove This Line', [[1, '']]],
        ['Remove Line 1', [[0, '']]],
        [
          'Fix All Problems',
          [
            [2, 'IBM_API_KEY=abcd1234'],
            [3, 'IBM_PROJECT_ID=p'],
          ],
        ],
      ],
    );
  });
});
