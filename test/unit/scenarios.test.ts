import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * The IDs of the scenarios in docs/threat-model.md, keyed by heading. Each scenario needs a test.
 */
const [, listed = ''] = readFileSync('docs/threat-model.md', 'utf8').split('## Scenarios\n');
const scenarios = new Map(
  listed.split(/^### /m).map((group) => {
    const [heading = ''] = group.split('\n');
    return [heading, [...group.matchAll(/^\| ([A-M]\d\d) \|/gm)].map(([, id = '']) => id)];
  }),
);

/** Matches the host tests, which only VS Code's extension host can load. */
const IN_HOST = 'test/host/*.test.ts';

/**
 * Returns the titles of all tests, from a dry run of mocha. For the host tests, which mocha can't
 * load, returns the strings in their source that start with IDs.
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

/** Returns the scenario IDs at the start of a title, before the colon. */
function namedIn(title: string): string[] {
  return /^((?:[A-M]\d\d )*[A-M]\d\d): /.exec(title)?.[1]?.split(' ') ?? [];
}

describe('the scenarios in the threat model', () => {
  let named: ReadonlySet<string>;
  before(async () => {
    named = new Set((await titles()).flatMap(namedIn));
  });

  for (const [group, ids] of scenarios) {
    if (group === '') continue;
    it(`under the heading “${group}” each have a test`, () => {
      assert.ok(ids.length > 0);
      assert.deepEqual(
        ids.filter((id) => !named.has(id)),
        [],
      );
    });
  }

  it('include every ID that a test title starts with', () => {
    const there = new Set([...scenarios.values()].flat());
    assert.deepEqual([...named].filter((id) => !there.has(id)).sort(), []);
  });

  it('are recognized only if their ID starts a test title', () => {
    assert.deepEqual(namedIn('A01 A02: is a title'), ['A01', 'A02']);
    assert.deepEqual(namedIn('tells A01: of other text'), []);
  });
});
