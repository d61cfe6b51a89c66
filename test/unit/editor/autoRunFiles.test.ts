import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TextDocument } from 'vscode';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';

const at = (path: string, scheme = 'file', authority = '') =>
  ({ uri: { scheme, authority, path, fsPath: path } }) as TextDocument;

describe('files that run automatically', () => {
  let hooks: ReturnType<typeof installEditor>;
  let files: typeof import('../../../src/editor/autoRunFiles.ts');
  before(async () => {
    hooks = installEditor(() => new FakeEditor());
    files = await import('../../../src/editor/autoRunFiles.ts');
  });
  after(() => hooks.deregister());

  for (const [runner, paths] of Object.entries({
    'a shell': [
      ...['/a/.env', '/a/.env.local', '/a/.envrc', '/home/me/.bashrc', '/home/me/.bash_profile'],
      ...['/home/me/.zshrc', '/home/me/.zshenv', '/home/me/.profile', '/home/me/.tcshrc'],
      ...['/home/me/.config/fish/config.fish', '/home/me/.config/fish/conf.d/a.fish'],
      ...['/c:/Users/me/Documents/PowerShell/Microsoft.PowerShell_profile.ps1', '/a/profile.ps1'],
      ...['/home/me/.config/nushell/env.nu', '/etc/profile.d/a.sh', '/etc/bash.bashrc'],
    ],
    'an editor': [
      ...['/a/.vscode/tasks.json', '/a/.VSCode/x/y', '/a/.devcontainer/Dockerfile'],
      ...['/a/.devcontainer.json', '/a/.cursor/mcp.json', '/a/.claude/settings.json'],
      ...['/a/.mcp.json', '/a/b.code-workspace', '/a/.idea/workspace.xml', '/a/.zed/tasks.json'],
      ...['/data/User/settings.json', '/data/User/profiles/x1/snippets/a.json'],
      ...['/home/me/.vscode-server/data/Machine/settings.json', '/srv/data/Machine/mcp.json'],
      ...['/home/me/.vscode-server/server-env-setup', '/a/.nvim.lua', '/a/.dir-locals.el'],
    ],
    git: [
      ...['/a/.git/hooks/pre-commit', '/a/.git', '/home/me/.gitconfig', '/a/.husky/pre-push'],
      ...['/a/.husky/_/h', '/a/.githooks/x', '/a/tools/hooks/post-checkout', '/a/commit-msg'],
      ...['/a/lefthook.yml', '/a/.pre-commit-config.yaml', '/a/.lintstagedrc.json'],
    ],
    'a package manager': [
      ...['/a/package.json', '/a/.npmrc', '/a/.yarnrc.yml', '/a/.yarn/releases/yarn.cjs'],
      ...['/a/.pnpmfile.cjs', '/a/pnpm-workspace.yaml', '/a/setup.py', '/a/pyproject.toml'],
      ...['/a/composer.json', '/a/Gemfile', '/a/x.gemspec', '/a/build.rs', '/a/.cargo/config.toml'],
    ],
    CI: [
      ...['/a/.github/workflows/ci.yml', '/a/.github/actions/x/action.yml', '/a/.gitlab-ci.yml'],
      ...['/a/.circleci/config.yml', '/a/azure-pipelines.yml', '/a/Jenkinsfile'],
    ],
  })) {
    it(`J27: include the files that ${runner} runs`, () => {
      const others = paths.filter((path) => !files.isAutoRunFile(at(path)));
      assert.deepEqual(others, []);
    });
  }

  it("J27: don't include files such as Makefile, .gitignore, and profile.ts", () => {
    const paths = [
      ...['/a/Makefile', '/a/deploy.sh', '/a/scripts/setup', '/a/justfile', '/a/Dockerfile'],
      ...['/a/vscode/tasks.json', '/a/environment.ts', '/a/git/b', '/a/.github/CODEOWNERS'],
      ...['/a/.gitignore', '/a/hooks/useThing.ts', '/a/profile.ts', '/a/package-lock.json'],
      ...['/a/machine/notes.json', '/a/bashrc.md', '/a/fish/soup.md', '/a/pre-commit.md'],
      ...['/a/.vscode-test/a.txt', '/a/SKILL.md', '/a/update', '/a/etc/profile', '/a/Cargo.toml'],
    ];
    const found = paths.filter((path) => files.isAutoRunFile(at(path)));
    assert.deepEqual(found, []);
  });

  it('J34: include an untitled document whose path could resolve to such a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hosted-model-untitled-'));
    try {
      mkdirSync(join(folder, '.vscode'));
      mkdirSync(join(folder, 'docs'));
      writeFileSync(join(folder, 'file'), '');
      symlinkSync('.vscode', join(folder, 'notes'));
      symlinkSync('docs', join(folder, 'texts'));
      symlinkSync('nowhere', join(folder, 'gone'));
      const leads = (path: string, authority = '') =>
        files.resolvesToAutoRunFile(at(join(folder, path), 'untitled', authority));
      for (const path of ['notes/tasks.json', 'notes/new/a.json', 'gone', 'gone/a', 'file/a']) {
        assert.equal(await leads(path), true, path);
      }
      for (const path of ['texts/a.md', 'texts/new/a.md', 'a.md']) {
        assert.equal(await leads(path), false, path);
      }
      assert.equal(await leads('a.md', 'elsewhere'), true, 'on another machine');
      for (const [path, isOne] of Object.entries({ 'Untitled-1': false, '.npmrc': true })) {
        assert.equal(await files.resolvesToAutoRunFile(at(path, 'untitled')), isOne, path);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
