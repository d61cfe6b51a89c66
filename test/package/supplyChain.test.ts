import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';
import { noticesOf } from '../../notices.ts';
import { entriesOf } from './vsix.ts';

/** Checks which third-party code is packaged, bundled, or run during installation. */

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

const lockAt = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
const lock = lockAt('.');
/**
 * The lock file for packages that are installed only for a release. Their install scripts aren't
 * run.
 */
const lockOfPublishing = lockAt('.github/publish');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const lockedIn = ({ packages }: typeof lock) =>
  Object.entries(packages).filter(([path]) => path !== '');
const locked = lockedIn(lock);
const nameOf = (path: string) => /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

/** The packages whose code is bundled, with their licenses. */
const BUNDLED: Readonly<Record<string, string>> = {
  axios: 'MIT',
  'axios-retry': 'Apache-2.0',
  'cross-spawn': 'MIT',
  'eventsource-parser': 'MIT',
  'is-retry-allowed': 'MIT',
  isexe: 'ISC',
  'js-yaml': 'MIT',
  oauth4webapi: 'MIT',
  'path-key': 'MIT',
  'shebang-command': 'MIT',
  'shebang-regex': 'MIT',
  valibot: 'MIT',
  which: 'ISC',
};

/** The license text for packages whose own license file only refers to it. */
const APACHE = 'licenses/Apache-2.0.txt';

/**
 * Starting with this version, axios limits the response size, and doesn't forward secrets to other
 * hosts.
 */
const AXIOS_FLOOR = [1, 18] as const;

describe('third-party code', () => {
  it("L02: in node_modules isn't packaged, nor are secrets or stray files", async () => {
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

  it('L04: comes only from the npm registry, with a pinned version and, if recorded, a hash', () => {
    assert.ok(locked.length > 100);
    const all = [...locked, ...lockedIn(lockOfPublishing)];
    for (const [path, { version, integrity, resolved, optional, os, cpu }] of all) {
      assert.match(version, /^\d+\.\d+\.\d+/, path);
      // npm omits the hashes of packages for systems other than the one where the lock file was
      // written.
      const isOfOtherMachine = optional === true && (os ?? cpu) !== undefined;
      if (integrity === undefined) assert.ok(isOfOtherMachine, `${path} without integrity`);
      else assert.match(integrity, /^sha512-/, path);
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path);
    }
  });

  it('L05: runs only reviewed scripts during installation', () => {
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
    // keytar's script isn't allowed, because keytar only stores a publisher's password, which isn't
    // needed here.
    assert.deepEqual(others, ['keytar']);
  });

  it('L06: is bundled only if it is on the allowlist in this test', () => {
    const { inputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
      readonly inputs: Readonly<Record<string, unknown>>;
    };
    const found = new Set(Object.keys(inputs).flatMap((path) => nameOf(path) ?? []));
    assert.deepEqual([...found].sort(), Object.keys(BUNDLED).sort());
  });

  it("L11: ships with exactly one copy of each bundled package's full license text", () => {
    const entries = entriesOf(readFileSync('hosted-model.vsix'));
    const shipped = entries.find(({ name }) => name === 'extension/ThirdPartyNotices.txt');
    const [, ...notices] = shipped?.bytes.toString('utf8').split(/^={80}$/m) ?? [];
    const names = Object.keys(BUNDLED);
    assert.equal(notices.length, names.length);
    for (const [index, name] of names.sort().entries()) {
      const folder = `node_modules/${name}`;
      const { license, version } = lock.packages[folder] ?? {};
      assert.equal(license, BUNDLED[name], name);
      const files = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice)/i.test(file))
        .map((file) => join(folder, file));
      assert.ok(files.length > 0, name);
      if (name === 'axios-retry') files.push(APACHE);
      let left = notices[index] ?? '';
      for (const file of files) {
        const parts = left.split(readFileSync(file, 'utf8').trimEnd());
        assert.equal(parts.length, 2, `${file} in ${left}`);
        left = parts.join('');
      }
      const [head, link, ...others] = left.trim().split('\n');
      assert.equal(head, `${name} ${version}`);
      assert.match(link ?? '', /^(git\+)?https:\/\/\S+$/, name);
      assert.deepEqual(others, []);
    }
    // The SHA-256 of https://www.apache.org/licenses/LICENSE-2.0.txt.
    const hash = createHash('sha256').update(readFileSync(APACHE)).digest('hex');
    assert.equal(hash, 'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30');
  });

  it("can't be bundled without its license text", () => {
    const folder = mkdtempSync(join(tmpdir(), 'hosted-model-'));
    const planted = (name: string, license: string, files: Readonly<Record<string, string>>) => {
      const path = `${folder}/node_modules/a/node_modules/${name}`;
      mkdirSync(path, { recursive: true });
      writeFileSync(`${path}/package.json`, JSON.stringify({ name, version: '1.2.3', license }));
      for (const [file, text] of Object.entries(files)) writeFileSync(`${path}/${file}`, text);
      return noticesOf(['src/extension.ts', `${path}/dist/a.js`, `${path}/b.js`]);
    };
    try {
      const error = /^Error: The terms of @of\/it 1\.2\.3 \(license: MIT\) are neither /;
      assert.throws(() => planted('@of/it', 'MIT', {}), error);
      assert.throws(() => planted('@of/it', 'MIT', { LICENSE: 'MIT, see our page' }), error);
      assert.throws(() => planted('it', 'Other', { LICENSE: 'Free' }), /of it 1\.2\.3/);
      const text = planted('other', 'Apache-2.0', { 'NOTICE.md': 'Made by us\n' });
      const apache = readFileSync(APACHE, 'utf8');
      assert.ok(text.endsWith(`\n\nother 1.2.3\n\nMade by us\n\n${apache}`), text);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('L12: includes axios at or above the minimum version, within the same major version', () => {
    const [major = 0, minor = 0] =
      lock.packages['node_modules/axios']?.version.split('.').map(Number) ?? [];
    assert.ok(major === AXIOS_FLOOR[0] && minor >= AXIOS_FLOOR[1], `${major}.${minor}`);
  });
});
