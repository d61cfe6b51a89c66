import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import type { TextDocument, WorkspaceFolder } from 'vscode';
import type { URI as Address } from 'vscode-uri';
import { FakeEditor, installEditor } from './credentials/fakeEditor.ts';

/**
 * Paths of Windows, in the addresses that VS Code has there: drive letters and shares. Links and
 * short names need its file system, which is not here.
 */

const URI = await urisOfWindows();
const file = (path: string) => URI.file(path);

/** As they are where this is Windows: the library looks once, when it is loaded. */
async function urisOfWindows() {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  try {
    return (await import('vscode-uri')).URI;
  } finally {
    Object.defineProperty(process, 'platform', platform);
  }
}

/** A file system with these files, by their paths, and VS Code's own way with addresses. */
class WindowsEditor extends FakeEditor {
  readonly contents = new Map<string, string | Uint8Array>();
  /** Machines that were asked for anything; the empty one is this one. */
  readonly machines = new Set<string>();

  put(path: string, content: string | Uint8Array): void {
    this.contents.set(file(path).toString(), content);
  }

  override exports(): Record<string, unknown> {
    const { workspace, ...others } = super.exports() as { readonly workspace: object };
    const textOf = (uri: Address) => {
      this.machines.add(uri.authority);
      const content = this.contents.get(uri.toString());
      if (content === undefined) throw new Error('no such file');
      return Buffer.from(content);
    };
    const isFolder = (uri: Address) =>
      [...this.contents.keys()].some((path) => path.startsWith(`${uri}/`));
    const fs = {
      stat: async (uri: Address) =>
        isFolder(uri) ? { type: 2, size: 0 } : { type: 1, size: textOf(uri).length },
      readFile: async (uri: Address) => textOf(uri),
    };
    // Unlike `fsPath` it leaves the letter of a drive as it is.
    const pathOf = ({ authority, path }: Address) =>
      authority === '' ? path.slice(1) : `//${authority}${path}`;
    const joinPath = (uri: Address, ...names: string[]) =>
      uri.with({ path: file(win32.join(pathOf(uri), ...names)).path });
    // Not spread: it has getters.
    const place = Object.create(workspace, { fs: { value: fs } });
    const TabInputTextDiff = class {};
    return { ...others, TabInputTextDiff, workspace: place, Uri: { file, joinPath } };
  }
}

describe('on Windows', () => {
  let editor = new WindowsEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  beforeEach(() => {
    editor = new WindowsEditor();
  });
  after(() => hooks.deregister());

  const riskOf = async (path: string) => {
    const { gitRisk } = await import('../../src/dotenv/gitRisk.ts');
    return gitRisk(file(path));
  };

  for (const root of ['C:\\Users\\me\\app', '\\\\server\\share\\app', 'D:\\']) {
    const inside = (name: string) => win32.join(root, name);

    it(`the rules of git are found from ${root} on, whatever their line ends`, async () => {
      editor.put(inside('.git\\HEAD'), 'ref: refs/heads/main\n');
      assert.equal(await riskOf(inside('sub\\.env')), 'not-ignored');
      editor.put(inside('.gitignore'), '*.log\r\nsub/.env\r\n');
      assert.equal(await riskOf(inside('sub\\.env')), undefined);
      assert.equal(await riskOf(inside('.env')), 'not-ignored');
    });

    it(`what git tracks is found from ${root} on`, async () => {
      editor.put(inside('.git\\index'), indexWith('.env'));
      editor.put(inside('.gitignore'), '.env\r\n');
      assert.equal(await riskOf(inside('.env')), 'tracked');
      assert.equal(await riskOf(inside('sub\\.env')), undefined);
    });

    it(`a repository is looked for up to the root, and no further: ${root}`, async () => {
      assert.equal(await riskOf(inside('.env')), undefined);
    });

    it(`the .env file and the templates of a folder are known: ${root}`, async () => {
      const { isEnvFile } = await import('../../src/credentials/folders.ts');
      const { isTemplateFile } = await import('../../src/templates/templateDocument.ts');
      const uri = file(root);
      editor.folders = [{ uri, name: 'app', index: 0 } as WorkspaceFolder];
      const at = (path: string) => ({ uri: file(path) }) as unknown as TextDocument;
      // Shells and extensions write drive letters as they like.
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

  it('rules hold in any case where the repository says so', async () => {
    editor.put('C:\\app\\.git\\config', '[core]\r\n\tbare = false\r\n');
    editor.put('C:\\app\\.gitignore', '.ENV\r\n');
    assert.equal(await riskOf('C:\\app\\.env'), 'not-ignored');
    editor.put('C:\\app\\.git\\config', '[core]\r\n\tignorecase = true\r\n\tbare = false\r\n');
    assert.equal(await riskOf('C:\\app\\.env'), undefined);
  });

  it('a further working tree shares the rules of the first one', async () => {
    const own = 'C:\\main\\.git\\worktrees\\app';
    editor.put('D:\\app\\.git', 'gitdir: C:/main/.git/worktrees/app\r\n');
    editor.put(`${own}\\commondir`, '../..\r\n');
    editor.put('C:\\main\\.git\\info\\exclude', '.env\r\n');
    assert.equal(await riskOf('D:\\app\\.env'), undefined);
    editor.put(`${own}\\index`, indexWith('.env'));
    assert.equal(await riskOf('D:\\app\\.env'), 'tracked');
  });

  it('no repository makes us ask another machine', async () => {
    for (const place of ['//other/share/x', '\\\\other\\share\\x', '/\\other\\x']) {
      editor.put('C:\\app\\.git', `gitdir: ${place}\r\n`);
      assert.equal(await riskOf('C:\\app\\.env'), 'not-ignored', place);
    }
    assert.deepEqual([...editor.machines], ['']);
  });

  it('files that an editor or a shell obeys are known', async () => {
    const { isConfigFile } = await import('../../src/document/configFiles.ts');
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
      assert.equal(isConfigFile({ uri: file(path) as never }), expected, path);
    }
  });
});

/** The index of a repository that tracks this file, as git writes it on any system. */
function indexWith(path: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'hosted-model-index-'));
  const git = (...given: string[]) => execFileSync('git', given, { cwd: folder });
  git('init', '--quiet');
  writeFileSync(join(folder, path), 'x');
  git('add', '--force', path);
  const index = readFileSync(join(folder, '.git', 'index'));
  rmSync(folder, { recursive: true });
  return index;
}
