import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { filesIn } from '../filesIn.ts';
import { newestServer, oldestServer } from '../vscode/install.ts';
import { clockReads, clockRules, MAY_READ_CLOCKS } from './clockRules.ts';
import {
  arrowsUp,
  circle,
  floors,
  houseRules,
  importedOnFirstUse,
  namesTwice,
  roomOf,
  violations,
} from './houseRules.ts';

const files = new Map(
  filesIn('src/**/*.ts').map((path) => [path.slice('src/'.length), readFileSync(path, 'utf8')]),
);

describe('the architecture checks', () => {
  it('E10: pass for the current source code', () => {
    assert.ok(files.size > 30);
    assert.deepEqual(violations(files), []);
  });

  for (const { name, planted } of houseRules) {
    it(`detect a planted violation of "${name}"`, () => {
      const [path, line] = planted;
      assert.ok(files.has(path), `${path} is gone`);
      const withViolation = new Map(files).set(path, `${files.get(path)}\n${line}\n`);
      const caught = violations(withViolation).filter(({ rule }) => rule === name);
      assert.equal(caught.length, 1);
    });
  }

  const planting = (path: string, line: string) =>
    new Map(files).set(path, `${files.get(path)}\n${line}\n`);

  it('allow imports in only one direction', () => {
    assert.deepEqual(new Set([...files.keys()].map(roomOf)), new Set(Object.keys(floors)));
    assert.deepEqual(arrowsUp(files), []);
    const up = planting(
      'service/client.ts',
      "import type { Settings } from '../config/settings.ts';",
    );
    assert.deepEqual(arrowsUp(up), ['service/client.ts -> config/settings.ts']);
    const across = planting('envFile/problems.ts', "import '../diagnose/reportText.ts';");
    assert.deepEqual(arrowsUp(across), ['envFile/problems.ts -> diagnose/reportText.ts']);
  });

  it('require a source link and tested versions for each undocumented API', () => {
    const places = ['src/undocumentedApi.ts', 'test/host/undocumentedApi.test.ts'];
    const texts = places.map((place) => readFileSync(place, 'utf8'));
    const versions = [oldestServer, newestServer].map((release) => release.replace('4.', '1.'));
    const named = texts.flatMap((text) => text.match(/(?<=seen in ).+?(?=[:,])/gi));
    assert.deepEqual(new Set(named), new Set([versions.join(' and ')]));
    const [code = ''] = texts;
    const source = `https://github.com/microsoft/vscode/blob/${versions[1]}/`;
    assert.equal(code.split('Seen in').length, code.split(source).length);
  });
  for (const [name, [path, of]] of Object.entries(importedOnFirstUse)) {
    it(`require that ${name} be loaded in only one place, on first use`, () => {
      const imports = [...files].flatMap(([place, text]) =>
        text.includes(`import('${of}')`) ? place : [],
      );
      assert.deepEqual(imports, [path]);
      assert.equal(files.get(path)?.split(`import('${of}')`).length, 2);
    });
  }

  it('forbid circular imports', () => {
    assert.equal(circle(files), undefined);
    const back = planting('service/errors.ts', "import type { Http } from './http/http.ts';");
    assert.ok(circle(back)?.includes('service/errors.ts'));
  });

  it('include linter rules against forbidden imports and against functions longer than 50 lines', () => {
    // Work in a temporary folder, because other tests may be reading the sources.
    const folder = mkdtempSync(join(tmpdir(), 'hosted-model-house-'));
    const planted = join(folder, 'src/service/planted.ts');
    mkdirSync(dirname(planted), { recursive: true });
    for (const name of ['biome.json', '.gitignore']) cpSync(name, join(folder, name));
    const biome = resolve('node_modules/@biomejs/biome/bin/biome');
    const lintOutput = (text: string) => {
      writeFileSync(planted, text);
      const linted = spawnSync(process.execPath, [biome, 'lint', planted], { cwd: folder });
      return `${linted.stdout}${linted.stderr}`;
    };
    assert.match(
      lintOutput("import { Uri } from 'vscode';\nexport const one = Uri;\n"),
      /noRestrictedImports/,
    );
    const long = `export function long() {\n${'  long();\n'.repeat(51)}}\n`;
    assert.match(lintOutput(long), /noExcessiveLinesPerFunction/);
    assert.doesNotMatch(lintOutput('export const one = 1;\n'), /lint\//);
    rmSync(folder, { recursive: true });
  });

  it('require unique file names in src', () => {
    const byName = Map.groupBy(files.keys(), (path) => basename(path));
    const shared = [...byName.values()].filter(({ length }) => length > 1);
    assert.deepEqual(shared, []);
  });

  it('require unique names for exports, types, and classes in src', () => {
    assert.deepEqual(namesTwice(files), []);
    assert.deepEqual(namesTwice(planting('chat/makeChat.ts', 'export const sendWithToken = 1;')), [
      'sendWithToken',
    ]);
    assert.deepEqual(namesTwice(planting('chat/makeChat.ts', 'interface Job {}')), ['Job']);
  });

  it('limit files to 290 lines, not counting comments', () => {
    const comment = /^\s*(\/\/|\/?\*)/;
    const sizeOf = (text: string) => text.split('\n').filter((line) => !comment.test(line)).length;
    const large = [...files].filter(([, text]) => sizeOf(text) > 290);
    assert.deepEqual(
      large.map(([path]) => path),
      [],
    );
  });
});

describe('the clock check', () => {
  const suites = 'unit,contract,faults,fuzz,soak,host,ui,package,emulator,vscode'.split(',');
  // test/run.ts is excluded, because it prints how long the tests took.
  const all = filesIn('test/*.ts', `test/{${suites}}/**/*.ts`).filter(
    (path) => path !== 'test/run.ts',
  );
  const others = all.filter((path) => !(path in MAY_READ_CLOCKS));
  const readsOf = (path: string, more = '') => clockReads(path, readFileSync(path, 'utf8') + more);

  it('allows clock reads, long waits, and test retries only in listed files', () => {
    assert.ok(all.length > 300);
    const reads = others.flatMap((path) => readsOf(path));
    assert.deepEqual(reads, []);
  });

  for (const suite of suites) {
    it(`reports a test in test/${suite}/ that reads the clock`, () => {
      const path = others.find((each) => each.startsWith(`test/${suite}/`)) ?? assert.fail();
      assert.equal(readsOf(path, '\nDate.now();\n').length, 1);
    });
  }

  for (const [path, reason] of Object.entries(MAY_READ_CLOCKS)) {
    it(`needs an exception for ${path}, which ${reason}`, () =>
      assert.notDeepEqual(readsOf(path), []));
  }

  for (const { name, planted } of clockRules) {
    it(`reports a test that ${name}`, () => {
      for (const text of planted) {
        assert.deepEqual(clockReads('a.ts', `// A test.\n${text}\n`).map(ruleOf), [name], text);
      }
    });
  }
  const ruleOf = (read: string) => read.slice(read.indexOf(' ') + 1);

  it('allows short waits, fake clocks, and waits whose length is a variable', () => {
    const text =
      'setTimeout(resolve, 20);\nsetTimeout(end, graceMs);\nmock.timers.tick(60_000);\nnew Date(1_000);\n';
    assert.deepEqual(clockReads('a.ts', text), []);
  });
});
