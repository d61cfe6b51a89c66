import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * The named scenarios of docs/threat-model.md, which a release stands on: their ids, by the heading
 * that they stand under.
 */
const [, listed = ''] = readFileSync('docs/threat-model.md', 'utf8').split('## Scenarios\n');
const scenarios = new Map(
  listed.split(/^### /m).map((group) => {
    const [heading = ''] = group.split('\n');
    return [heading, [...group.matchAll(/^\| ([A-M]\d\d) \|/gm)].map(([, id = '']) => id)];
  }),
);

/** Where the tests of VS Code are: nobody but its extension host can load them. */
const IN_HOST = 'test/host/*.test.ts';

/**
 * The titles of all tests, as mocha has them once it has loaded every file and run none; of those
 * in the host what begins like one in their sources.
 */
async function titles(): Promise<string[]> {
  const files = globSync('test/**/*.test.ts', { exclude: [IN_HOST] });
  const options = ['--dry-run', '--reporter', 'json'];
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', ...options, ...files],
    { env, maxBuffer: 64 * 1_048_576 },
  );
  const { tests } = JSON.parse(stdout) as { readonly tests: readonly { readonly title: string }[] };
  const ofHost = globSync(IN_HOST).flatMap((path) => {
    const found = readFileSync(path, 'utf8').matchAll(/(['"`])((?:[A-M]\d\d ?)+: .*)\1/g);
    return [...found].map(([, , title = '']) => title);
  });
  return [...tests.map(({ title }) => title), ...ofHost];
}

/** A title names its scenarios before a colon. */
function namedIn(title: string): string[] {
  return /^((?:[A-M]\d\d )*[A-M]\d\d): /.exec(title)?.[1]?.split(' ') ?? [];
}

describe('the scenarios of the threat model', () => {
  let named: ReadonlySet<string>;
  before(async () => {
    named = new Set((await titles()).flatMap(namedIn));
  });

  for (const [group, ids] of scenarios) {
    if (group === '') continue;
    it(`of ${group} have a test each`, () => {
      assert.ok(ids.length > 0);
      assert.deepEqual(
        ids.filter((id) => !named.has(id)),
        [],
      );
    });
  }

  it('are all on their page', () => {
    const there = new Set([...scenarios.values()].flat());
    assert.deepEqual([...named].filter((id) => !there.has(id)).sort(), []);
  });

  it('are named by titles of tests alone', () => {
    assert.deepEqual(namedIn('A01 A02: is a title'), ['A01', 'A02']);
    assert.deepEqual(namedIn('tells A01: of other text'), []);
  });
});
