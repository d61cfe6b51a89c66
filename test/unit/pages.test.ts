import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { HOUSE, pictureOf } from '../architecture/picture.ts';
import { readRooms } from '../architecture/rooms.ts';
import { markdownOf } from '../table.ts';
import { readBlocks, readPages, withBlocks } from './pageBlocks.ts';
import { leadsSomewhere, linksIn } from './pageLinks.ts';

const MOST_LINES_OF_README = 220;
const MOST_BYTES_THAT_MOVE = 1_500_000;

const pages = readPages();

describe('the pages', () => {
  it('have the blocks of manifest, code and figures, word for word', () => {
    assert.deepEqual(withBlocks(pages, readBlocks()), pages, 'run: npm run pages');
  });

  it('are refused where a block has no place or two, or a place no block or no end', () => {
    const blocks = { one: 'text' };
    const [start, end] = ['<!-- one: npm run pages -->', '<!-- end of one -->'];
    const page = `${start}\nold\n${end}\n`;
    assert.deepEqual(withBlocks({ page }, blocks), { page: page.replace('old', 'text') });
    assert.throws(() => withBlocks({ page: '' }, blocks), /The pages have places for/);
    assert.throws(() => withBlocks({ page, other: page }, blocks), /places for one,one/);
    assert.throws(() => withBlocks({ page }, {}), /places for one, and/);
    assert.throws(() => withBlocks({ page: `${start}\nold\n` }, blocks), /No <!-- end of one/);
  });

  it('show the house as it is', () => {
    assert.equal(readFileSync(HOUSE, 'utf8'), pictureOf(readRooms()), 'run: npm run pages');
  });

  it('quote numbers with their commas, to the right', () => {
    const rows = [
      ['calls', 10_000, '= 10,000'],
      ['seconds', 1.234, ''],
    ];
    assert.equal(
      markdownOf({ title: 'Title', heads: ['', 'found', 'bar'], rows, note: 'Note.' }),
      'Title\n\n|  | found | bar |\n| --- | --: | --: |\n| calls | 10,000 | = 10,000 |\n| seconds | 1.23 |  |\n\nNote.',
    );
  });

  it('have a README that is read to its end', () => {
    const lines = pages['README.md']?.trimEnd().split('\n') ?? [];
    assert.ok(lines.length <= MOST_LINES_OF_README, `${lines.length} lines`);
  });

  it("have a README without the markup that only VS Code's settings editor reads", () => {
    assert.doesNotMatch(pages['README.md'] ?? '', /`#|\(command:/);
  });

  it('have a README that shows the main job, moving, then three pictures, then the set-up', () => {
    const [before = ''] = pages['README.md']?.split(/^## Set up/m) ?? [];
    const [title, sentence = '', ...rest] = before.trim().split('\n\n');
    assert.equal(title, '# Hosted Model');
    assert.match(sentence, /^[^.\n]+\.$/);
    const pictures = rest.join('\n').match(/<img src="[^"]+"/g) ?? [];
    assert.equal(pictures[0], '<img src="media/generate.webp"');
    assert.equal(pictures.length, 4);
    assert.match(rest[0] ?? '', /^<picture><source media="\(prefers-reduced-motion: reduce\)"/);
    const moving = readFileSync('media/generate.webp');
    assert.ok(moving.includes('ANIM'), 'it does not move');
    assert.ok(moving.length <= MOST_BYTES_THAT_MOVE, `${moving.length} bytes`);
  });

  it('have a README with the command that starts it and the one that tests it, as CI runs it', () => {
    for (const command of ['npm ci && npm start', 'npm ci && npm test']) {
      assert.ok(pages['README.md']?.includes(`\`${command}\``), command);
    }
    assert.match(readFileSync('.ci/run', 'utf8'), /^npm ci && npm test$/m);
  });

  for (const [path, text] of Object.entries(pages)) {
    it(`lead from ${path} to what there is`, () => {
      assert.deepEqual(
        linksIn(text).filter((link) => isRelative(link) && !leadsSomewhere(path, link)),
        [],
      );
    });

    it(`name in ${path} only files that there are`, () => {
      const named = [...text.matchAll(/`((?:src|test|docs|media|\.vscode)\/[^`\s*]+)`/g)];
      const gone = named.flatMap(([, file = '']) => (existsSync(file) ? [] : file));
      assert.deepEqual(gone, []);
    });
  }

  it('are noticed where a link leads nowhere', () => {
    const text = 'See [a](docs/none.md), ![b](media/none.png) and <img src="none.png">.';
    const links = linksIn(text);
    assert.deepEqual(links, ['docs/none.md', 'media/none.png', 'none.png']);
    for (const link of [...links, '#no-such-heading']) {
      assert.equal(leadsSomewhere('README.md', link), false, link);
    }
  });
});

function isRelative(link: string): boolean {
  return !/^[a-z]+:/.test(link);
}
