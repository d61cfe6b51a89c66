import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWorkingCopy } from '../workingCopy.ts';

/** Runs `npm run release` in a temporary repository, with a fast script in place of the tests. */

describe('a release', () => {
  let cwd = '';
  before(() => {
    cwd = makeWorkingCopy();
    git('init', '--quiet');
    // In the copy, node_modules is a symbolic link, which the patterns in .gitignore don't match.
    appendFileSync(join(cwd, '.git/info/exclude'), 'node_modules\n');
    // Adds an entry, because the changelog has no unreleased changes right after a release.
    const changelog = read('CHANGELOG.md');
    const [start = '', ...others] = changelog.split('## Unreleased\n');
    const planted = `${start}## Unreleased\n\n- Something new.\n${others.join('')}`;
    writeFileSync(join(cwd, 'CHANGELOG.md'), planted);
    commit('before');
  });
  afterEach(() => {
    git('reset', '--hard', '--quiet');
    git('clean', '--force', '--quiet');
    rmSync(join(cwd, 'hosted-model.vsix'), { force: true });
  });
  after(() => rmSync(cwd, { recursive: true }));

  const git = (...given: string[]) => execFileSync('git', given, { cwd, encoding: 'utf8' });
  const commit = (message: string) => {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@a.example'];
    git('add', '--all');
    git(...who, 'commit', '--quiet', '--message', message);
  };
  const read = (path: string) => readFileSync(join(cwd, path), 'utf8');
  const release = (tests: string) => {
    const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>();
    const given = ['test/release/run.ts', '--tests', tests];
    const child = execFile(process.execPath, given, { cwd }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
    return promise;
  };

  it('sets the next version and creates a package, but no commit or tag @nightly', async () => {
    const { version: before } = JSON.parse(read('package.json'));
    const { code, output } = await release('way');
    assert.equal(code, 0, output);
    const { version } = JSON.parse(read('package.json'));
    assert.notEqual(version, before);
    assert.equal(JSON.parse(read('package-lock.json')).version, version);
    assert.match(
      read('CHANGELOG.md'),
      new RegExp(`^## Unreleased\n\n## ${version} - \\d{4}-`, 'm'),
    );
    const sum = createHash('sha256').update(readFileSync(join(cwd, 'hosted-model.vsix')));
    assert.ok(output.includes(`is version ${version}, SHA-256 ${sum.digest('hex')}`), output);
    assert.match(output, new RegExp(`git push origin HEAD v${version}`));
    const changed = git('status', '--porcelain').trimEnd().split('\n').sort();
    assert.deepEqual(changed, [
      ' M CHANGELOG.md',
      ' M package-lock.json',
      ' M package.json',
      `?? test/contract/upgrade/stored/${version}.json`,
    ]);
    assert.equal(git('rev-list', '--count', 'HEAD'), '1\n');
    assert.equal(git('tag'), '');
  });

  it('stops if a step fails, and explains how to undo the changes', async () => {
    const { code, output } = await release('no-such-script');
    assert.equal(code, 1);
    assert.match(output, /`npm run --silent no-such-script` failed\. To undo .*: git restore \./);
    assert.ok(!existsSync(join(cwd, 'hosted-model.vsix')));
  });

  it('is rejected if its tag already exists', async () => {
    const [, minor = 0] = JSON.parse(read('package.json')).version.split('.').map(Number);
    const tag = `v0.${minor + 1}.0`;
    git('tag', tag);
    const { code, output } = await release('way');
    git('tag', '--delete', tag);
    assert.equal(code, 1);
    assert.match(output, new RegExp(`Nothing was released\\. The tag ${tag} exists`));
    assert.equal(git('status', '--porcelain'), '');
  });

  it('is rejected if the changelog has no new entries', async () => {
    writeFileSync(
      join(cwd, 'CHANGELOG.md'),
      '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- All.\n',
    );
    commit('nothing new');
    const { code, output } = await release('way');
    git('reset', '--hard', '--quiet', 'HEAD~1');
    assert.equal(code, 1);
    assert.match(output, /^\nNothing was released\. CHANGELOG\.md has nothing under/);
  });

  it('is rejected if there are uncommitted changes', async () => {
    writeFileSync(join(cwd, 'LICENSE'), 'changed');
    const { code, output } = await release('way');
    assert.equal(code, 1);
    assert.match(output, /First commit or stash these changes:\n M LICENSE/);
    assert.equal(git('status', '--porcelain'), ' M LICENSE\n');
  });
});
