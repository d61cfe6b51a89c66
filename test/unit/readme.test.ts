import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { markdownOf } from '../table.ts';
import { withTables } from './readmeTables.ts';

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8');

  it('has the tables of manifest, code and figures, word for word', () => {
    assert.equal(withTables(readme), readme, 'run: npm run readme');
  });

  it('is refused where a table has no place in it, or a place no table', () => {
    const start = '<!-- faults: npm run readme -->';
    assert.ok(readme.includes(start));
    assert.throws(() => withTables(readme.replace(start, '')), /The README has places for/);
    assert.throws(() => withTables(`${readme}\n<!-- other: npm run readme -->\n`), /places for/);
    assert.throws(() => withTables(readme.replace('<!-- end of faults -->', '')), /No <!-- end of/);
  });

  it('quotes numbers with their commas, to the right', () => {
    const rows = [
      ['calls', 10_000, '= 10,000'],
      ['seconds', 1.234, ''],
    ];
    assert.equal(
      markdownOf({ title: 'Title', heads: ['', 'found', 'bar'], rows, note: 'Note.' }),
      'Title\n\n|  | found | bar |\n| --- | --: | --: |\n| calls | 10,000 | = 10,000 |\n| seconds | 1.23 |  |\n\nNote.',
    );
  });
});
