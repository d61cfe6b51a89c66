import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { houseRules, violations } from './houseRules.ts';

const run = promisify(execFile);
const files = new Map(
  globSync('src/**/*.ts').map((path) => [relative('src', path), readFileSync(path, 'utf8')]),
);

describe('architecture invariants', () => {
  it('E10: hold in every file', () => {
    assert.ok(files.size > 30);
    assert.deepEqual(violations(files), []);
  });

  for (const { name, planted } of houseRules) {
    it(`catch a planted violation of ${name}`, () => {
      const [path, line] = planted;
      assert.ok(files.has(path), `${path} is gone`);
      const spoilt = new Map(files).set(path, `${files.get(path)}\n${line}\n`);
      const caught = violations(spoilt).filter(({ rule }) => rule === name);
      assert.equal(caught.length, 1);
    });
  }

  it('are lint rules, too, where an import breaks them', async function () {
    this.timeout(20_000);
    const planted = 'src/service/planted.ts';
    await writeFile(
      planted,
      "import { Uri } from 'vscode';\nimport { readSettings } from '../settings.ts';\nexport const both = [Uri, readSettings];\n",
    );
    try {
      const lint = run('node_modules/.bin/biome', ['lint', planted]);
      await assert.rejects(lint, (failure: { stderr: string; stdout: string }) => {
        const said = failure.stderr + failure.stdout;
        return said.includes('noRestrictedImports') && /vscode/.test(said) && /sibling/.test(said);
      });
    } finally {
      await rm(planted);
    }
  });

  it('keep files small enough to have one responsibility', () => {
    const large = [...files].filter(([, text]) => text.split('\n').length > 300);
    assert.deepEqual(
      large.map(([path]) => path),
      [],
    );
  });
});
