import assert from 'node:assert/strict';
import { FakeEditor, installEditor } from './fakeEditor.ts';

describe('a .env beside a .gitignore', () => {
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => new FakeEditor());
  });
  after(() => hooks.deregister());

  const cases: [isIgnored: boolean, lines: readonly string[]][] = [
    [false, []],
    [false, ['node_modules/', 'dist']],
    [true, ['.env']],
    [true, ['node_modules/', '/.env', 'dist']],
    [true, ['**/.env']],
    [true, ['.env*']],
    [true, ['*.env']],
    [true, ['.*']],
    [true, ['.env  ']],
    [false, ['#.env']],
    [false, ['.env.local', '.env.*.local', 'x/.env', '.environment']],
    [false, ['.env.*']],
    [false, ['.env/']],
    [false, ['.env', '!.env']],
    [true, ['!.env', '.env']],
  ];
  for (const [isIgnored, lines] of cases) {
    it(`B20: is ${isIgnored ? '' : 'not '}ignored by ${JSON.stringify(lines)}`, async () => {
      const { ignoresEnvFile } = await import('../../../src/credentials/leftover.ts');
      assert.equal(ignoresEnvFile(lines.join('\n')), isIgnored);
      assert.equal(ignoresEnvFile(lines.join('\r\n')), isIgnored);
    });
  }
});
