import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { loadedAtStart, loadedByFirstCommand } from '../built.ts';
import { entriesOf } from './vsix.ts';

const vsix = 'hosted-model.vsix';
const scripts = globSync('dist/*.js');
const text = new Map(scripts.map((path) => [basename(path), readFileSync(path, 'utf8')]));
const sizeOf = (names: Iterable<string>) =>
  [...names].reduce((bytes, name) => bytes + Buffer.byteLength(text.get(name) ?? ''), 0);

const script = (name: string) => `dist/${name}.js`;

describe('the package', () => {
  it('L01: contains exactly the files that users need', () => {
    const files = entriesOf(readFileSync(vsix)).flatMap(
      ({ name }) => /^extension\/(.*)$/.exec(name)?.[1]?.replace(/(?<=shared)-\w+/, '') ?? [],
    );
    assert.deepEqual(files.sort(), [
      'LICENSE.txt',
      'ThirdPartyNotices.txt',
      'changelog.md',
      // One file for activation, one for each module that is loaded on first use, and two that
      // these files share.
      ...['app', 'chat', 'envFile', 'extension', 'shared', 'shared', 'templates'].map(script),
      'media/icon.png',
      ...['chat', 'generated', 'hosts', 'menu', 'templates'].flatMap((name) =>
        ['dark', 'light'].map((theme) => `media/walkthrough/${name}-${theme}.webp`),
      ),
      'package.json',
      'readme.md',
    ]);
  });

  it('contains at most seven script files', () => {
    assert.ok(scripts.length <= 7, scripts.join());
    const start = sizeOf([...loadedAtStart()].map((path) => basename(path)));
    const command = sizeOf(loadedByFirstCommand().map((path) => basename(path)));
    const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`;
    const rows: [what: string, bytes: number][] = [
      ['loaded at activation', start],
      ['loaded by the first command', command],
      ['all scripts', sizeOf(text.keys())],
      ['VSIX', statSync(vsix).size],
    ];
    for (const [what, bytes] of rows) {
      console.log(`      ${what.padEnd(34)}${kilobytes(bytes).padStart(9)}`);
    }
  });

  it("doesn't load the HTTP stack at activation", () => {
    for (const path of loadedAtStart()) {
      assert.doesNotMatch(text.get(basename(path)) ?? '', /axios/, path);
    }
  });

  it('never accesses the navigator global, because VS Code would log an error', () => {
    const access = /\btypeof navigator\b|(?<![.\w])navigator[.?]/;
    for (const [name, script] of text) assert.doesNotMatch(script, access, name);
  });

  it("doesn't use any proposed API", () => {
    const gated =
      /\b(requiresAuthorization|isDefault|editTools|debounceDelayMs|createChatStatusItem|pastTenseMessage|approveCombination|enabledApiProposals)\b/;
    for (const [name, script] of text) assert.doesNotMatch(script, gated, name);
    assert.doesNotMatch(readFileSync('package.json', 'utf8'), /enabledApiProposals/);
  });

  it('starts programs only from runProgram.ts, and only with cross-spawn', () => {
    const { inputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
      readonly inputs: Readonly<
        Record<string, { readonly imports: readonly { readonly path: string }[] }>
      >;
    };
    const importersOf = (pattern: RegExp) =>
      Object.entries(inputs).flatMap(([path, { imports }]) =>
        imports.some((one) => pattern.test(one.path)) ? path : [],
      );
    const starting = importersOf(/^node:(child_process|worker_threads|cluster)$/);
    assert.deepEqual(starting, ['built-in:child_process']);
    assert.deepEqual(importersOf(/^built-in:child_process$/), [
      'node_modules/cross-spawn/index.js',
    ]);
    const using = importersOf(/^node_modules\/cross-spawn\/index\.js$/);
    assert.deepEqual(using, ['src/service/auth/runProgram.ts']);
  });

  it("doesn't contain eval, source map references, or unexpected addresses", () => {
    const addresses = new Set<string>();
    for (const [name, script] of text) {
      assert.doesNotMatch(script, /\beval\(|new Function\(|sourceMappingURL/, name);
      for (const [address] of script.matchAll(/https?:\/\/[\w.-]+/g)) addresses.add(address);
    }
    const service = /\.cloud\.ibm\.com$|^https:\/\/(iam\.)?cloud\.ibm\.com$/;
    const others = [...addresses]
      .filter((address) => !service.test(address) && !address.endsWith('.example'))
      .sort();
    // axios uses the first address as the base for relative URLs, but the extension doesn't use
    // any. The second is the host of a page about chat models in VS Code. Addresses that end with
    // `.example` are skipped, because that top-level domain is reserved for examples (RFC 2606).
    assert.deepEqual(others, ['http://localhost', 'https://code.visualstudio.com']);
  });
});
