/**
 * `npm run pictures [part]`: runs all files that take pictures, or only those whose paths contain
 * `part`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './install.ts';

const part = process.argv.slice(2).join(' ');
const page = 'test/vscode/pagePictures.ts';
const tests = [
  'test/ui/nightly/walkthrough.test.ts',
  'test/ui/chat.test.ts',
  'test/ui/envFile.test.ts',
  'test/ui/nightly/hostileEnvFile.test.ts',
  'test/ui/nightly/insertModes.test.ts',
];
const isNamed = (path: string): boolean => path.toLowerCase().includes(part.toLowerCase());
const named = tests.filter(isNamed);

if (isNamed(page)) await import('./pagePictures.ts');
else if (named.length === 0) {
  console.log(`No path contains “${part}”. All files with pictures:`);
  for (const path of [page, ...tests]) console.log(`  ${path}`);
  process.exit(1);
}
if (named.length > 0) {
  const mocha = join(repositoryRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const options = ['--require', 'test/ui/session.ts', '--timeout', '600000'];
  const { status } = spawnSync(process.execPath, [mocha, ...options, ...named], {
    cwd: repositoryRoot,
    env: { ...process.env, HOSTED_MODEL_PICTURES: '1' },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
