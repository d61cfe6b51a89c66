import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsIn, leadsSomewhere, linksIn } from '../unit/pageLinks.ts';
import { run } from '../vscode/command.ts';
import { makeWorkingCopy } from '../workingCopy.ts';
import { entriesOf } from './vsix.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly repository: { readonly url: string };
};
const address = manifest.repository.url;

/** Returns the shipped readme and changelog, which marketplaces and VS Code show. */
function pagesOf(vsix: string): [name: string, text: string][] {
  const entries = entriesOf(readFileSync(vsix));
  return ['readme.md', 'changelog.md'].map((name) => {
    const page = entries.find((entry) => entry.name === `extension/${name}`);
    return [name, page?.bytes.toString('utf8') ?? assert.fail(name)];
  });
}

describe('the shipped readme and changelog', () => {
  it('link only to their own headings, existing files, and HTTPS addresses', () => {
    for (const [name, page] of pagesOf('hosted-model.vsix')) {
      const links = linksIn(page);
      const ours = links.filter((link) => link.startsWith(`${address}/`));
      const others = links.filter((link) => !ours.includes(link));
      assert.ok(ours.length > 0, name);
      for (const link of ours) {
        const [, path = ''] = /\/(?:blob|raw)\/HEAD\/(.*)$/.exec(link) ?? [];
        assert.ok(path !== '' && leadsSomewhere('README.md', path), `${name}: ${link}`);
      }
      for (const link of others) {
        const isHeading = link.startsWith('#') && anchorsIn(page).includes(link.slice(1));
        assert.ok(isHeading || link.startsWith('https://'), `${name}: ${link}`);
      }
      // vsce doesn't rewrite the links in these elements, so the links would be broken.
      assert.doesNotMatch(page, /<picture|<source|srcset/, name);
    }
  });

  it("have no images or relative links if package.json doesn't name a repository @nightly", async () => {
    const copy = makeWorkingCopy();
    try {
      const { repository: _, ...rest } = JSON.parse(readFileSync('package.json', 'utf8'));
      writeFileSync(join(copy, 'package.json'), JSON.stringify(rest));
      await run(['npm', 'run', '--silent', 'package'], copy);
      const pages = pagesOf(join(copy, 'hosted-model.vsix'));
      for (const [name, page] of pages) {
        for (const link of linksIn(page)) {
          const isHeading = link.startsWith('#') && anchorsIn(page).includes(link.slice(1));
          assert.ok(isHeading || link.startsWith('https://'), `${name}: ${link}`);
        }
        assert.doesNotMatch(page, /<img|!\[/, name);
      }
      // In this package's readme, each image is replaced by its alt text.
      const [[, readme] = assert.fail()] = pages;
      const shown = [...readFileSync('README.md', 'utf8').matchAll(/\balt="([^"]+)"/g)];
      assert.ok(shown.length > 2);
      for (const [, words] of shown) assert.ok(readme.includes(`_${words}_`), words);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});
