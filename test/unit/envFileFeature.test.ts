import assert from 'node:assert/strict';
import { becomes } from '../vscode/deadline.ts';
import { FakeEditor, installEditor } from './connection/fakeEditor.ts';
import { FakeKeyring, FakeState } from './connection/fakes.ts';

const nothing = { dispose: () => {} };

/** A fake editor with one open `.env` file. Records the messages about its problems. */
class EditorWithFile extends FakeEditor {
  text = '';
  shown: readonly string[] = [];
  #exports: Record<string, unknown> | undefined;

  /** Created once, so that a document stays the same object. */
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
      onDidChangeConfiguration: listen,
      createFileSystemWatcher: () => Object.fromEntries(watch.map((name) => [name, listen])),
    };
    const workspace = Object.create(from, Object.getOwnPropertyDescriptors(own));
    const languages = {
      createDiagnosticCollection: () => ({ ...nothing, set, clear: () => {} }),
      registerCodeActionsProvider: () => nothing,
    };
    const classes = { Diagnostic: FakeDiagnostic, Position: class {}, Range: class {} };
    const kinds = {
      DiagnosticSeverity: {},
      EndOfLine: {},
      CodeAction: {},
      CodeActionKind: {},
      WorkspaceEdit: {},
    };
    return { ...base, ...classes, ...kinds, workspace, languages };
  }
}

class FakeDiagnostic {
  readonly message: string;
  constructor(_range: unknown, message: string) {
    this.message = message;
  }
}

describe('the problems of an open .env file', () => {
  const editor = new EditorWithFile();
  editor.addFolder('/work');
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it('are updated for the service of a newly stored key if the settings name none', async () => {
    editor.text = 'VENDOR_URL=https://a.example';
    const { KeyStore } = await import('../../src/connection/keyStore.ts');
    const { startEnvFile } = await import('../../src/envFile/envFileFeature.ts');
    const keys = new KeyStore(new FakeKeyring().window(), new FakeState(), () => {});
    const feature = startEnvFile(keys);
    await becomes('the first problems', () => editor.shown.join().includes('VENDOR_PROJECT_ID'));
    const record = { apiKey: 'key-of-the-gateway', authUrl: 'https://a.example' };
    await keys.write({ ...record, serviceUrl: record.authUrl }, 'ibm_gateway');
    await becomes('the updated problems', () => !editor.shown.join().includes('VENDOR_PROJECT_ID'));
    assert.match(editor.shown.join(), /VENDOR_API_KEY/);
    feature.dispose();
    keys.dispose();
  });
});
