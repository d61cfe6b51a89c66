import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeWorkingCopy } from '../workingCopy.ts';

const run = promisify(execFile);

/**
 * Packages a copy of the repository. Returns the output of `npm run package` and the SHA-256 of the
 * VSIX.
 */
async function packaged(fileMode: number, environment: NodeJS.ProcessEnv) {
  const cwd = makeWorkingCopy();
  try {
    for (const path of ['LICENSE', 'media/icon.png']) chmodSync(join(cwd, path), fileMode);
    const mask = (0o777 & ~fileMode).toString(8);
    const script = `umask ${mask} && npm run --silent package`;
    const { stdout } = await run('sh', ['-c', script], {
      cwd,
      env: { ...process.env, ...environment },
    });
    const bytes = readFileSync(join(cwd, 'hosted-model.vsix'));
    return { hash: createHash('sha256').update(bytes).digest('hex'), stdout };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

// Windows has no Unix file modes.
const itWithModes = process.platform === 'win32' ? it.skip : it;

describe('a rebuilt package', () => {
  itWithModes('stays the same with another file mode, time zone, and locale @nightly', async () => {
    const one = await packaged(0o644, { TZ: 'America/Los_Angeles', LC_ALL: 'C' });
    const other = await packaged(0o600, { TZ: 'Asia/Tokyo', LC_ALL: 'sv_SE.UTF-8' });
    assert.equal(other.hash, one.hash);
    for (const { hash, stdout } of [one, other]) assert.ok(stdout.includes(`SHA-256 ${hash}`));
  });
});
