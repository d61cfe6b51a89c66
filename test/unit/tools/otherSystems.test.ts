import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import manifest from '../../../package.json' with { type: 'json' };
import { whyNoServer } from '../../vscode/system.ts';

/**
 * Tests that scripts run on any system, and that test tools print an explanation on systems that
 * they don't support.
 */

const ON_WINDOWS =
  'data:text/javascript,Object.defineProperty(process, "platform", { value: "win32" })';

describe('the scripts in package.json', () => {
  it("don't depend on a specific system's shell", () => {
    const ofOneSystem = /(^|&& )[A-Z_]+=|['`$]|\b(rm|cp|mv|mkdir|cat|sh) /;
    const found = Object.entries(manifest.scripts).filter(([, line]) => ofOneSystem.test(line));
    assert.deepEqual(found, []);
  });
});

describe('tools that need a VS Code server', () => {
  for (const tool of ['test/host/run.ts', 'test/vscode/install.ts', 'test/ui/session.ts']) {
    it(`suggest an alternative in a one-line message on Windows: ${tool}`, () => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--import', ON_WINDOWS, tool],
        { encoding: 'utf8', env: { ...process.env, HOSTED_MODEL_DESKTOP_VSCODE: '' } },
      );
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, /^On Windows [^\n]+ HOSTED_MODEL_DESKTOP_VSCODE=1 [^\n]+\.\n$/);
    });
  }

  it('are supported everywhere except on Windows', () => {
    assert.equal(whyNoServer !== undefined, process.platform === 'win32');
  });
});
