import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import type { TextDocument, WorkspaceFolder } from 'vscode';
import type { URI as Address } from 'vscode-uri';
import { FakeEditor, installEditor } from './connection/fakeEditor.ts';

/**
 * Tests Windows paths in VS Code URIs, with drive letters and network shares. Links and short names
 * aren't tested, because they need the Windows file system.
 */

const URI = await urisOfWindows();
const file = (path: string) => URI.file(path);

/**
 * Loads `vscode-uri` as if on Windows. The library reads the platform only once, while it loads.
 */
async function urisOfWindows() {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  try {
    return (await import('vscode-uri')).URI;
  } finally {
    Object.defineProperty(process, 'platform', platform);
  }
}

/** A fake editor that joins URIs as VS Code does on Windows. */
class WindowsEditor extends FakeEditor {
  override exports(): Record<string, unknown> {
    // Unlike `fsPath`, `pathOf` preserves the case of the drive letter.
    const pathOf = ({ authority, path }: Address) =>
      authority === '' ? path.slice(1) : `//${authority}${path}`;
    const joinPath = (uri: Address, ...names: string[]) =>
      uri.with({ path: file(win32.join(pathOf(uri), ...names)).path });
    const TabInputTextDiff = class {};
    return { ...super.exports(), TabInputTextDiff, Uri: { file, joinPath } };
  }
}

describe('the extension on Windows', () => {
  let editor = new WindowsEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  beforeEach(() => {
    editor = new WindowsEditor();
  });
  after(() => hooks.deregister());

  for (const root of ['C:\\Users\\me\\app', '\\\\server\\share\\app', 'D:\\']) {
    const inside = (name: string) => win32.join(root, name);

    it(`recognizes a folder's .env file and templates: ${root}`, async () => {
      const { isEnvFile } = await import('../../src/connection/workspaceEnvFiles.ts');
      const { isTemplateFile } = await import('../../src/templates/templatePath.ts');
      const uri = file(root);
      editor.folders = [{ uri, name: 'app', index: 0 } as WorkspaceFolder];
      const at = (path: string) => ({ uri: file(path) }) as unknown as TextDocument;
      // Shells and extensions use either case for drive letters, so both must be recognized.
      for (const [name, isEnv, isTemplate] of [
        ['.env', true, false],
        ['sub\\.env', false, false],
        ['.hosted-model\\templates\\review.md', false, true],
      ] as const) {
        for (const path of [
          inside(name),
          inside(name).replace(/^[CD]/, (sign) => sign.toLowerCase()),
        ]) {
          assert.equal(isEnvFile(at(path)), isEnv, path);
          assert.equal(isTemplateFile(at(path)), isTemplate, path);
        }
      }
    });
  }

  it('recognizes files that other programs run automatically', async () => {
    const { isAutoRunFile } = await import('../../src/editor/autoRunFiles.ts');
    for (const [path, expected] of [
      ['C:\\app\\.vscode\\settings.json', true],
      ['c:\\app\\.VSCode\\Tasks.json', true],
      ['\\\\server\\share\\.git\\hooks\\pre-commit', true],
      ['\\\\server\\share\\app\\Package.json', true],
      ['D:\\.env.local', true],
      ['D:\\app.code-workspace', true],
      ['C:\\Users\\me\\AppData\\Roaming\\Code\\User\\settings.json', true],
      ['C:\\app\\vscode\\settings.txt', false],
      ['\\\\server\\share\\letter.md', false],
    ] as const) {
      assert.equal(isAutoRunFile({ uri: file(path) as never }), expected, path);
    }
  });
});
