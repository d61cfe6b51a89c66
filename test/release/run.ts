/**
 * `npm run release`: creates the next version from the changes under *Unreleased* in the changelog,
 * tests it, and packages it. It doesn't commit, tag, or publish anything.
 *
 * For a trial run, `--tests <script>` runs another script from package.json instead of
 * `test:nightly`.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { nextVersion, released } from './changelog.ts';

const CHANGELOG = 'CHANGELOG.md';
const PACKAGE = 'hosted-model.vsix';

const { values } = parseArgs({ options: { tests: { type: 'string', default: 'test:nightly' } } });

process.exitCode = release(values.tests);

function release(tests: string): 0 | 1 {
  const changed = run('git status --porcelain', 'pipe');
  if (changed === undefined) return reject('This isn’t a Git repository.');
  if (changed !== '') return reject(`First commit or stash these changes:\n${changed}`);
  const changelog = readFileSync(CHANGELOG, 'utf8');
  const version = nextVersion(changelog, manifest.version);
  if (version instanceof Error) return reject(version.message);
  const isTagged = run(`git tag --list v${version}`, 'pipe') !== '';
  if (isTagged)
    return reject(`The tag v${version} exists, so this version has already been released.`);
  writeFileSync(CHANGELOG, released(changelog, version, new Date().toISOString().slice(0, 10)));
  rmSync(PACKAGE, { force: true });
  const steps = [
    `npm version ${version} --no-git-tag-version`,
    'npm run --silent record-state',
    `npm run --silent ${tests}`,
    'npm run --silent package',
  ];
  for (const step of steps) {
    console.log(`\n=== ${step}`);
    if (run(step) === undefined) {
      return reject(
        `\`${step}\` failed. To undo all changes, run: git restore . && git clean -f test/contract/upgrade/stored`,
      );
    }
  }
  console.log(nextSteps(version));
  return 0;
}

/** @returns the output (empty unless it is piped), or undefined if the command failed */
function run(command: string, stdout: 'inherit' | 'pipe' = 'inherit'): string | undefined {
  const stdio = ['ignore', stdout, 'inherit'] as const;
  const { status, stdout: output } = spawnSync(command, {
    shell: true,
    stdio: [...stdio],
    encoding: 'utf8',
  });
  return status === 0 ? (output ?? '') : undefined;
}

function reject(reason: string): 1 {
  console.error(`\nNothing was released. ${reason}`);
  return 1;
}

function nextSteps(version: string): string {
  const sum = createHash('sha256').update(readFileSync(PACKAGE)).digest('hex');
  const isReady = !readFileSync('SECURITY.md', 'utf8').includes('has to fill in');
  const open = 'First, fill in the owner’s values: see docs/releases.md.\n';
  return `
${PACKAGE} is version ${version}, SHA-256 ${sum}
Nothing has been committed or published. ${isReady ? '' : open}To publish it:

  git add --all
  git commit --message "Version ${version}"
  git tag v${version}
  git push origin HEAD v${version}

The tag starts .github/workflows/release.yml, which builds the same file, attests its origin, and
publishes it to both registries. Then compare the SHA-256.
`;
}
