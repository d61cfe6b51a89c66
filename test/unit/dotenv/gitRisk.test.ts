import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeEditor, installEditor } from '../credentials/fakeEditor.ts';

const hooks = installEditor(() => new FakeEditor());
const { isIgnored, isTracked } = await import('../../../src/dotenv/gitRisk.ts');
hooks.deregister();

describe('git ignores a file', () => {
  type Rules = readonly (readonly [folder: string, text: string])[];
  const cases: readonly [name: string, path: string, rules: Rules, isIgnored: boolean][] = [
    ['not without rules', '/r/.env', [], false],
    ['by its name', '/r/.env', [['/r', '.env\n']], true],
    ['by a pattern', '/r/.env', [['/r', '# secrets\n\n*.env*\r\n']], true],
    ['by a rule of a folder above', '/r/a/b/.env', [['/r', '.env']], true],
    ['not by a rule for the root alone', '/r/a/.env', [['/r', '/.env']], false],
    ['with its folder', '/r/a/b/.env', [['/r', 'a/']], true],
    ['not by a rule for folders', '/r/.env', [['/r', '.env/']], false],
    ['not by a comment', '/r/.env', [['/r', '#.env']], false],
    ['not by another case', '/r/.env', [['/r', '.ENV']], false],
    ['not if a later rule takes it back', '/r/.env', [['/r', '.env*\n!.env']], false],
    [
      'not if a nearer folder takes it back',
      '/r/a/.env',
      [
        ['/r', '.env'],
        ['/r/a', '!.env'],
      ],
      false,
    ],
    [
      'in an ignored folder, whatever that says',
      '/r/a/.env',
      [
        ['/r', 'a/'],
        ['/r/a', '!.env'],
      ],
      true,
    ],
    [
      'by a nearer folder',
      '/r/a/.env',
      [
        ['/r', '!.env'],
        ['/r/a', '.env'],
      ],
      true,
    ],
    [
      'not in a folder that a stronger rule takes back',
      '/r/a/.env',
      [
        ['/r', 'a'],
        ['/r', '!/a'],
      ],
      false,
    ],
    [
      'by itself in a folder that a stronger rule takes back',
      '/r/a/b/.env',
      [
        ['/r', 'a\n.env'],
        ['/r', '!a/'],
      ],
      true,
    ],
    [
      'not in a folder with signs of a pattern that is taken back',
      '/r/a[b]*/.env',
      [
        ['/r', '/a*'],
        ['/r', '!/a*'],
      ],
      false,
    ],
    ['not by rules of a neighbour', '/r/ab/.env', [['/r/a', '.env']], false],
    ['in a repository at the root of the disk', '/a/.env', [['/', '/a/.env']], true],
  ];
  for (const [name, path, rules, expected] of cases) {
    it(name, () => {
      const root = rules[0]?.[0] === '/' ? '/' : '/r';
      const files = rules.map(([folder, text]) => ({ folder, text }));
      assert.equal(isIgnored(path, { root, isCaseIgnored: false }, files), expected);
    });
  }
});

describe('the index of a repository', () => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  const indexWith = (files: readonly string[], version = 2) => {
    const folder = mkdtempSync(join(tmpdir(), 'hosted-model-index-'));
    folders.push(folder);
    const git = (...given: string[]) => execFileSync('git', given, { cwd: folder });
    git('init', '--quiet');
    for (const file of files) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), 'x');
    }
    git('add', '--force', ...files);
    git('update-index', '--index-version', String(version));
    return readFileSync(join(folder, '.git', 'index'));
  };

  it('names the files that are tracked, and no part of them', () => {
    const index = indexWith(['a', 'b/.env', 'c/x.env', 'd/.env.local', 'e.env']);
    assert.equal(isTracked(index, 'b/.env'), true);
    for (const path of ['.env', 'x.env', 'd/.env', 'env', 'c/.env']) {
      assert.equal(isTracked(index, path), false, path);
    }
    assert.equal(isTracked(indexWith(['.env']), '.env'), true);
  });

  it('is not searched if it is none, or shortens its names', () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(100), indexWith(['.env'], 4)]) {
      assert.equal(isTracked(bytes, '.env'), false);
    }
  });
});
