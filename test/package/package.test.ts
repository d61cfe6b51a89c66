import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';

/** What is shipped: `npm run package` has made it before. */
const vsix = 'hosted-model.vsix';
const scripts = globSync('dist/*.js');
const text = new Map(scripts.map((path) => [basename(path), readFileSync(path, 'utf8')]));
const sizeOf = (names: Iterable<string>) =>
  [...names].reduce((bytes, name) => bytes + Buffer.byteLength(text.get(name) ?? ''), 0);

/** The files that a file loads at once, itself included. */
function loadedWith(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const imports = (text.get(name) ?? '').matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g);
  for (const [, imported] of imports) if (imported) loadedWith(imported, found);
  return found;
}

describe('the package', () => {
  it('L01: holds exactly the files that users need', async function () {
    this.timeout(20_000);
    const listed = await listFiles({ packageManager: PackageManager.None });
    const files = listed.filter((file) => !file.startsWith('dist/part-'));
    assert.deepEqual(files.sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/extension.js',
      'media/icon.png',
      ...['diagnose', 'generated', 'hosts', 'key', 'menu'].flatMap((name) =>
        ['dark', 'light'].map((theme) => `media/walkthrough/${name}-${theme}.webp`),
      ),
      'package.json',
    ]);
  });

  it('is small: what loads at activation, the HTTP stack, all scripts, the VSIX', () => {
    const activation = sizeOf(loadedWith('extension.js'));
    const http = sizeOf([...text.keys()].filter((name) => text.get(name)?.includes('axios-retry')));
    const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`;
    const rows: [what: string, bytes: number, limit: number][] = [
      ['loaded at activation', activation, 20_000],
      ['HTTP stack, loaded at first use', http, 100_000],
      ['all scripts', sizeOf(text.keys()), 350_000],
      ['VSIX', statSync(vsix).size, 350_000],
    ];
    for (const [what, bytes, limit] of rows) {
      console.log(`      ${what.padEnd(34)}${kilobytes(bytes).padStart(9)} of ${kilobytes(limit)}`);
      assert.ok(bytes > 0 && bytes <= limit, what);
    }
  });

  it('does not load the HTTP stack at activation', () => {
    for (const name of loadedWith('extension.js')) {
      assert.doesNotMatch(text.get(name) ?? '', /axios/, name);
    }
  });

  it('holds no code that starts programs or runs text, and no address but its own', () => {
    const addresses = new Set<string>();
    for (const [name, script] of text) {
      assert.doesNotMatch(script, /child_process|\beval\(|new Function\(|sourceMappingURL/, name);
      for (const [address] of script.matchAll(/https?:\/\/[\w.-]+/g)) addresses.add(address);
    }
    const vendor = /\.cloud\.ibm\.com$|^https:\/\/(iam\.)?cloud\.ibm\.com$/;
    const others = [...addresses].filter((address) => !vendor.test(address)).sort();
    // What axios resolves relative addresses against; ours are absolute.
    assert.deepEqual(others, ['http://localhost']);
  });
});
