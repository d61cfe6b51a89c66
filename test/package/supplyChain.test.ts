import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';

/** What comes from others: into the package, into its scripts, and onto the machine that builds it. */

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly license?: string;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string) => /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

/** The packages whose code is in the scripts, each with the licence it comes under. */
const BUNDLED: Readonly<Record<string, string>> = {
  axios: 'MIT',
  'axios-retry': 'Apache-2.0',
  'eventsource-parser': 'MIT',
  ignore: 'MIT',
  'is-retry-allowed': 'MIT',
  'js-yaml': 'MIT',
  valibot: 'MIT',
};

/** From here on it does not pass on secrets to another host, and bounds what it reads. */
const AXIOS_FLOOR = [1, 18] as const;

describe('what comes from others', () => {
  it('L02: is in no package, whatever lies in the folder', async function () {
    this.timeout(20_000);
    const folder = mkdtempSync(join(tmpdir(), 'hosted-model-'));
    const planted = [
      ...['.env', '.env.local', 'dist/.env', 'server.pem', 'dist/id_rsa', 'dist/part.js.map'],
      ...['dist/meta.json', 'node_modules/axios/index.js', 'test/a.test.js', 'src/extension.ts'],
      ...['.vscode/settings.json', '.npmrc', 'media/key.png', 'script.js', 'dist/deep/a.js'],
    ];
    try {
      for (const path of planted) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), 'planted');
      }
      for (const path of ['package.json', '.vscodeignore', 'LICENSE', 'README.md']) {
        copyFileSync(path, join(folder, path));
      }
      writeFileSync(join(folder, 'dist/extension.js'), '');
      const options = { cwd: folder, packageManager: PackageManager.None };
      assert.deepEqual((await listFiles(options)).sort(), [
        'LICENSE',
        'README.md',
        'dist/extension.js',
        'package.json',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('L04: is locked to one version and its content, from the registry alone', () => {
    assert.ok(locked.length > 100);
    for (const [path, { version, integrity, resolved, optional, os, cpu }] of locked) {
      assert.match(version, /^\d+\.\d+\.\d+/, path);
      // npm leaves it out for what this machine cannot install.
      const isOfOtherMachine = optional === true && (os ?? cpu) !== undefined;
      if (integrity === undefined) assert.ok(isOfOtherMachine, `${path} without integrity`);
      else assert.match(integrity, /^sha512-/, path);
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path);
    }
  });

  it('L05: runs no script at its installation but those that were looked at', () => {
    const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    const required = withScript.filter(([, { optional }]) => !optional);
    const allowed = Object.keys(manifest.allowScripts);
    assert.deepEqual(
      required.map(([path]) => nameOf(path)).filter((name) => !allowed.includes(name ?? '')),
      [],
    );
    const others = withScript
      .map(([path]) => nameOf(path))
      .filter((name) => !allowed.includes(name ?? ''));
    // It stores the password of a publisher, which nobody here is.
    assert.deepEqual(others, ['keytar']);
  });

  it('L06: is in the scripts only if it is on the list', () => {
    const { inputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
      readonly inputs: Readonly<Record<string, unknown>>;
    };
    const found = new Set(Object.keys(inputs).flatMap((path) => nameOf(path) ?? []));
    assert.deepEqual([...found].sort(), Object.keys(BUNDLED).sort());
  });

  it('L11: is named in LICENSE with its licence and its holder', () => {
    const notices = readFileSync('LICENSE', 'utf8');
    const [mit = '', apache = ''] =
      notices.split('Under the MIT License')[1]?.split('Under the Apache License') ?? [];
    for (const [name, licence] of Object.entries(BUNDLED)) {
      assert.equal(lock.packages[`node_modules/${name}`]?.license, licence, name);
      const section = licence === 'MIT' ? mit : apache;
      assert.match(section, new RegExp(`^${name}: Copyright `, 'm'), name);
    }
  });

  it('L12: has an HTTP library that is new enough to be safe', () => {
    const [major = 0, minor = 0] =
      lock.packages['node_modules/axios']?.version.split('.').map(Number) ?? [];
    assert.ok(major === AXIOS_FLOOR[0] && minor >= AXIOS_FLOOR[1], `${major}.${minor}`);
  });
});
