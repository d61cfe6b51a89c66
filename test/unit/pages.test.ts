import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { services } from '../../src/service/builtInServices.ts';
import { HOUSE, pictureOf } from '../architecture/picture.ts';
import { readRooms } from '../architecture/rooms.ts';
import { CHART, chartOf } from '../bench/picture.ts';
import { readResults } from '../bench/results.ts';
import { markdownOf } from '../table.ts';
import { readBlocks, readPages, withBlocks } from './pageBlocks.ts';
import { leadsSomewhere, linksIn } from './pageLinks.ts';

const MOST_WORDS_OF_README = 1_000;
const MOST_LINES_OF_README = 115;
const MOST_BYTES_THAT_MOVE = 1_500_000;

const pages = readPages();

describe('the pages', () => {
  it('contain up-to-date generated blocks', () => {
    assert.deepEqual(withBlocks(pages, readBlocks()), pages, 'run: npm run pages');
  });

  it("are rejected if their markers don't match the generated blocks", () => {
    const blocks = { one: 'text' };
    const [start, end] = ['<!-- one: npm run pages -->', '<!-- end of one -->'];
    const page = `${start}\nold\n${end}\n`;
    assert.deepEqual(withBlocks({ page }, blocks), { page: page.replace('old', 'text') });
    assert.throws(() => withBlocks({ page: '' }, blocks), /The pages have places for/);
    assert.throws(() => withBlocks({ page, other: page }, blocks), /places for one,one/);
    assert.throws(() => withBlocks({ page }, {}), /places for one, and/);
    assert.throws(() => withBlocks({ page: `${start}\nold\n` }, blocks), /No <!-- end of one/);
  });

  it('include an up-to-date architecture diagram and up-to-date charts of the benchmark results', () => {
    assert.equal(readFileSync(HOUSE, 'utf8'), pictureOf(readRooms()), 'run: npm run pages');
    assert.equal(readFileSync(CHART, 'utf8'), chartOf(readResults()), 'run: npm run pages');
  });

  it('right-align numbers in tables, with commas as thousands separators', () => {
    const rows = [
      ['calls', 10_000, '= 10,000'],
      ['seconds', 1.234, ''],
    ];
    assert.equal(
      markdownOf({ title: 'Title', heads: ['', 'found', 'bar'], rows, note: 'Note.' }),
      'Title\n\n|  | found | bar |\n| --- | --: | --: |\n| calls | 10,000 | = 10,000 |\n| seconds | 1.23 |  |\n\nNote.',
    );
  });

  it('in the docs folder state their audience in the first sentence', () => {
    for (const [path, text] of Object.entries(pages)) {
      if (!path.startsWith('docs/')) continue;
      const [, , intro = ''] = text.split('\n');
      assert.match(intro, /^This page is for .+\. After reading it, you'll know .+\.$/, path);
    }
  });

  for (const [path, text] of Object.entries(pages)) {
    it(`have no broken links: ${path}`, () => {
      assert.deepEqual(
        linksIn(text).filter((link) => isRelative(link) && !leadsSomewhere(path, link)),
        [],
      );
    });

    it(`name only existing files: ${path}`, () => {
      const named = [...text.matchAll(/`((?:src|test|docs|media|\.vscode)\/[^`\s*]+)`/g)];
      const gone = named.flatMap(([, file = '']) => (existsSync(file) ? [] : file));
      assert.deepEqual(gone, []);
    });
  }

  it('are reported if they have broken links', () => {
    const text = 'See [a](docs/none.md), ![b](media/none.png) and <img src="none.png">.';
    const links = linksIn(text);
    assert.deepEqual(links, ['docs/none.md', 'media/none.png', 'none.png']);
    for (const link of [...links, '#no-such-heading']) {
      assert.equal(leadsSomewhere('README.md', link), false, link);
    }
  });
});

describe('the pages about services', () => {
  for (const { word, name } of services) {
    it(`list the built-in service ${word}`, () => {
      const row = `| \`${word}\` |`;
      assert.ok(
        pages['docs/services.md']?.includes(row),
        `add a row to the first table in docs/services.md that starts with: ${row}`,
      );
      // The README has one row for services that differ only in their login.
      const [product = ''] = name.split(' (');
      assert.ok(
        pages['README.md']?.includes(`| ${product}`),
        `add a row for ${product} to the table under Works with in README.md`,
      );
    });
  }
});

describe('README.md', () => {
  it('has at most 1,000 words and 115 lines', () => {
    const text = pages['README.md']?.trim() ?? '';
    const words = text.split(/\s+/).length;
    assert.ok(words <= MOST_WORDS_OF_README, `${words} words`);
    const lines = text.split('\n').length;
    assert.ok(lines <= MOST_LINES_OF_README, `${lines} lines`);
  });

  it("doesn't contain markup that only VS Code's settings editor supports", () => {
    assert.doesNotMatch(pages['README.md'] ?? '', /`#|\(command:/);
  });

  it('starts with a one-sentence description, an animated image, and five highlights', () => {
    const [before = ''] = pages['README.md']?.split(/^## /m) ?? [];
    const [title, sentence = '', first = '', ...rest] = before.trim().split('\n\n');
    assert.equal(title, '# Hosted Model');
    assert.match(sentence, /^[^.\n]+\.$/);
    assert.match(first, /^<picture><source media="\(prefers-reduced-motion: reduce\)/);
    assert.match(first, /<img src="media\/generate-dark\.webp"/);
    const moving = readFileSync('media/generate-dark.webp');
    assert.ok(moving.includes('ANIM'), "the picture isn't animated");
    assert.ok(moving.length <= MOST_BYTES_THAT_MOVE, `${moving.length} bytes`);
    assert.equal(rest.join('\n').match(/^- \*\*/gm)?.length, 5, 'the number of highlights');
  });

  it('has its sections in a fixed order', () => {
    const headings = [...(pages['README.md'] ?? '').matchAll(/^## (.*)$/gm)];
    assert.deepEqual(
      headings.map(([, heading]) => heading),
      [
        'Works with',
        'Get started',
        'Generate',
        'Templates',
        'Chat',
        'Security and privacy',
        'Settings',
        'Limitations',
        'Troubleshooting and support',
        'Build from source',
        'License',
      ],
    );
  });

  it('mentions only once that the extension has never been tested with a live service', () => {
    assert.equal(pages['README.md']?.match(/\blive service\b/g)?.length, 1);
  });

  it('contains the start command and the test command that CI runs', () => {
    for (const command of ['npm ci && npm start', 'npm ci && npm test']) {
      assert.ok(pages['README.md']?.includes(`\`${command}\``), command);
    }
    assert.match(readFileSync('.ci/run', 'utf8'), /^npm ci && npm test$/m);
  });
});

function isRelative(link: string): boolean {
  return !/^[a-z]+:/.test(link);
}
