import assert from 'node:assert/strict';
import fc from 'fast-check';
import { appendedLines, type EnvFix, envFixes } from '../../../src/dotenv/envFix.ts';
import { assignmentsOf, decodeEnvFile, LINE_END } from '../../../src/dotenv/envText.ts';
import {
  type Issue,
  type IssueKind,
  recognizedSettings,
} from '../../../src/dotenv/settingValue.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import { MAX_VALUE_LENGTH } from '../../../src/service/pastedValue.ts';
import { type EnvFileFixture, envFiles, KEY, PROJECT } from '../service/envFiles.ts';
import { ibm } from '../service/fixtures.ts';
import { readEnvFile, readEnvironment } from './reading.ts';

/** Every kind of issue, and whether a text edit can fix it. */
const kinds: Readonly<Record<IssueKind, boolean | 'sometimes'>> = {
  whitespace: true,
  quotes: 'sometimes',
  bearer: true,
  control: true,
  placeholder: false,
  'non-ascii': false,
  malformed: false,
  comment: true,
  empty: false,
  duplicate: true,
  'similar-name': true,
  'bad-url': 'sometimes',
  'endpoint-url': true,
  'url-path': true,
  'unknown-region': true,
};
const warnings = ['url-path', 'unknown-region', 'similar-name'];

const HTTP = 'http://vllm.acme.example:8000';
const [added = assert.fail()] = readServices([
  { word: 'vllm', authentication: { kind: 'apiKey' }, api: 'openai', defaultModel: 'm' },
]).own;

describe('a .env file', () => {
  it('is tested with a fixture for each kind of issue', () => {
    assert.ok(envFiles.length >= 40);
    assert.equal(new Set(envFiles.map(({ name }) => name)).size, envFiles.length);
    const found = new Set(envFiles.flatMap(({ issues = [] }) => issues.map(([, kind]) => kind)));
    assert.deepEqual([...found].sort(), Object.keys(kinds).sort());
  });

  for (const fixture of envFiles) {
    it(`A07 B18 B19: with ${fixture.name}: ${summary(fixture)}`, () => {
      const text = textOf(fixture);
      if (text === undefined) return;
      const reading = readEnvFile(text, ibm);
      const { values: [apiKey, projectId, url] = [], missing = [], issues = [] } = fixture;
      assert.deepEqual(
        reading.values,
        apiKey === undefined ? undefined : { apiKey, projectId, url },
      );
      assert.deepEqual(reading.missing, missing);
      const ofNames =
        /^\s*(?:export\s+)?((?:IBM|WATSONX|VENDOR)_(?:API_KEY|PROJECT_ID|URL)|WATSONX_APIKEY)\s*=/;
      const named = text.split(/\r\n?|\n/).flatMap((line) => ofNames.exec(line)?.[1] ?? []);
      assert.deepEqual(
        reading.named.map(({ place }) => coveredBy(text, place)),
        named,
      );
      const found = reading.issues.map(({ kind, place }, index) => {
        const covered = coveredBy(text, place);
        const { 2: expected } = issues[index] ?? [];
        return [(place?.line ?? NaN) + 1, kind, ...(expected === undefined ? [] : [covered])];
      });
      assert.deepEqual(found, issues);
      for (const { kind, isError } of reading.issues) {
        assert.equal(isError, !warnings.includes(kind));
      }
      assert.doesNotMatch(JSON.stringify(reading.issues), secret);
    });
  }

  it('yields the same result as an environment with the same values, except for line numbers and similar-name issues', () => {
    for (const fixture of envFiles) {
      const text = textOf(fixture);
      // Skip files with two lines for the same name, or with whitespace around a value or before
      // `=`. An environment can contain neither a duplicate name nor whitespace before `=`.
      const names = readEnvFile(text ?? '', ibm).named.map(({ name }) => name);
      if (
        text === undefined ||
        new Set(names).size !== names.length ||
        fixture.issues?.some(([, kind]) => kind === 'duplicate' || kind === 'whitespace')
      )
        continue;
      const environment: Record<string, string> = Object.create(null);
      for (const line of text.split(/\r\n?|\n/)) {
        const [, name, value] = /^\s*(?:export\s+)?([^\s=#]+)=(.*)$/s.exec(line) ?? [];
        if (name !== undefined && value !== undefined) environment[name] = value;
      }
      const { issues, named, ...rest } = readEnvironment(environment, ibm);
      const { issues: ofFile, named: namedInFile, ...restOfFile } = readEnvFile(text, ibm);
      assert.deepEqual(rest, restOfFile, fixture.name);
      const withoutPlace = (all: readonly Issue[]) =>
        all.map((issue) => ({ ...issue, place: undefined }));
      assert.deepEqual(
        named.map(({ assignment, ...one }) => one),
        namedInFile.map(({ assignment, ...one }) => ({
          ...one,
          place: undefined,
          issues: withoutPlace(one.issues),
        })),
      );
      // An environment variable with a similar name may belong to another program.
      const ofBoth = ofFile.filter(({ kind }) => kind !== 'similar-name');
      assert.deepEqual(issues, withoutPlace(ofBoth));
    }
  });

  it('has a single issue, “malformed”, if a value is too long', () => {
    for (const name of ['IBM_API_KEY', 'IBM_PROJECT_ID']) {
      const { issues, values } = readEnvFile(`${name}="${'a'.repeat(MAX_VALUE_LENGTH)}"`, ibm);
      assert.deepEqual([issues.map(({ kind }) => kind), values], [['malformed'], undefined]);
    }
  });

  it('can contain a remote http address only for an added service', () => {
    const text = `VLLM_API_KEY=${KEY}\nVLLM_URL=${HTTP}/v1\n`;
    const { values, issues } = readEnvFile(text, added);
    assert.equal(values?.url, `${HTTP}/v1`);
    assert.deepEqual(
      issues.map(({ kind }) => kind),
      ['url-path'],
    );
    const builtIn = readEnvFile(`IBM_URL=${HTTP}\n`, ibm);
    assert.deepEqual(
      builtIn.issues.map(({ kind }) => kind),
      ['bad-url'],
    );
  });

  it("B18: can't modify Object.prototype", () => {
    readEnvFile('__proto__=x\nconstructor=y\n', ibm);
    readEnvironment(JSON.parse('{"__proto__":"x","constructor":"y"}'), ibm);
    assert.equal(Object.getPrototypeOf({}), Object.prototype);
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });
});

describe('envFixes', () => {
  for (const fixture of envFiles.filter(({ issues }) => issues)) {
    it(`fixes issues without changing other lines: ${fixture.name}`, () => {
      const text = textOf(fixture) ?? '';
      const { issues } = readEnvFile(text, ibm);
      for (const issue of issues) {
        const fixes = fixesOf(text, issue);
        const isFixable = kinds[issue.kind];
        if (isFixable !== 'sometimes') assert.equal(fixes.length > 0, isFixable);
        if (issue.kind === 'unknown-region') {
          assert.deepEqual(
            fixes.map((fix) => fix.kind === 'replace' && fix.region),
            ibm.regions,
          );
        }
        for (const edit of fixes) {
          const fixed = applied(text, edit);
          const sameIn = (of: string) =>
            readEnvFile(of, ibm).issues.filter(
              (one) => one.kind === issue.kind && one.name === issue.name,
            ).length;
          // If the first of several lines with the same name is removed, the next line becomes the
          // first, so the issues of the remaining lines can change.
          const isOther = edit.kind === 'remove-line' && edit.line !== issue.place?.line;
          if (!isOther) assert.equal(sameIn(fixed), sameIn(text) - 1);
          assertOtherLinesKept(text, fixed, edit);
        }
      }
    });
  }

  const cases: readonly [name: string, line: string, becomes: string, kind?: IssueKind][] = [
    [
      'all issues of a value at once',
      `export IBM_API_KEY = " Bearer ab\u200bc "`,
      'export IBM_API_KEY=abc',
    ],
    ['quotes around a placeholder', 'IBM_API_KEY="<API_KEY>"', 'IBM_API_KEY=<API_KEY>'],
    ['spaces, and keeps the comment', 'IBM_API_KEY= abc # mine', 'IBM_API_KEY=abc # mine'],
    ['a comment after a value', 'IBM_API_KEY=abc\t# mine', '# mine\nIBM_API_KEY=abc'],
    ['a comment that contains a second #', 'IBM_API_KEY=a # b #c', '# b #c\nIBM_API_KEY=a'],
    [
      'a comment, and keeps the spaces and quotes of the value',
      'export IBM_API_KEY = "abc"#IBM_API_KEY=x',
      '#IBM_API_KEY=x\nexport IBM_API_KEY = "abc"',
      'comment',
    ],
    ['an endpoint URL', 'IBM_URL=https://a.example/p/ml/v1?x=1', 'IBM_URL=https://a.example/p'],
    ['quotes, and keeps a comment right after them', 'IBM_API_KEY=" abc "#x', 'IBM_API_KEY=abc #x'],
    [
      'an address, and keeps a comment right after it',
      'IBM_URL="http://a.example"#x',
      'IBM_URL=https://a.example #x',
      'bad-url',
    ],
    [
      'an address, and removes the spaces around the equals sign',
      'export IBM_URL = http://a.example # x',
      'export IBM_URL=https://a.example # x',
      'bad-url',
    ],
    ['an address with a path', 'IBM_URL=https://a.example/p', 'IBM_URL=https://a.example'],
    [
      'a similar name',
      'IBM_URL=x\nexport IBM_APIKEY = a',
      'IBM_URL=x\nexport IBM_API_KEY = a',
      'similar-name',
    ],
    ['an http address', 'IBM_URL=HTTP://a.example/p/', 'IBM_URL=https://a.example/p'],
  ];
  for (const [name, line, becomes, kind] of cases) {
    it(`fixes ${name}`, () => {
      const { issues } = readEnvFile(line, ibm);
      const issue = issues.find((one) => !kind || one.kind === kind);
      assert.ok(issue);
      const [fix] = fixesOf(line, issue);
      assert.ok(fix);
      assert.equal(applied(line, fix), becomes);
    });
  }

  it("doesn't change http to https in an added service's address", () => {
    const line = `VLLM_URL=${HTTP}/v1/chat/completions`;
    const fixes = readEnvFile(line, added).issues.flatMap((issue) => {
      return fixesOf(line, issue, added).map((fix) => applied(line, fix));
    });
    assert.deepEqual(fixes, [`VLLM_URL=${HTTP}/v1`, `VLLM_URL=${HTTP}`]);
  });

  it('never changes the key that the extension reads', () => {
    const pieces = ['"', "'", '`', '#', ' ', '\t', 'a', 'b', '=', 'Bearer ', '\u200b'];
    const raws = fc.array(fc.constantFrom(...pieces), { maxLength: 12 });
    const valueIn = (text: string) => recognizedSettings(assignmentsOf(text), ibm)[0]?.value;
    fc.assert(
      fc.property(fc.constantFrom('', ' '), raws, (gap, raw) => {
        const text = `IBM_API_KEY${gap}=${raw.join('')}`;
        for (const issue of readEnvFile(text, ibm).issues) {
          for (const edit of fixesOf(text, issue)) {
            assert.equal(valueIn(applied(text, edit)), valueIn(text), issue.kind);
          }
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('can remove either of two lines that set the same variable', () => {
    const text = 'IBM_API_KEY=one\nIBM_URL=x\nIBM_API_KEY=two';
    const issue = readEnvFile(text, ibm).issues.find(({ kind }) => kind === 'duplicate');
    assert.ok(issue);
    assert.deepEqual(
      fixesOf(text, issue),
      [2, 0].map((line) => ({ kind: 'remove-line', line })),
    );
  });

  it("doesn't offer a fix that would leave an address unusable", () => {
    for (const url of [
      'http://a.example?x',
      'vllm',
      '127.0.0.1:4000',
      '1.5',
      'sk.AbCdEf0123456789',
      'sk.abcdef0123456789',
      'https://a@b.example',
      'http://a_b.example',
    ]) {
      const text = `IBM_URL=${url}`;
      const [issue] = readEnvFile(text, ibm).issues;
      assert.equal(issue?.kind, 'bad-url');
      assert.deepEqual(fixesOf(text, issue), []);
    }
  });
});

describe('appendedLines', () => {
  for (const [name, text, becomes] of [
    ['an empty file', '', 'A=\nB=\n'],
    ['a file without a final line break', 'X=1', 'X=1\nA=\nB=\n'],
    ['a file with a final line break', 'X=1\r\nY=2\r\n', 'X=1\r\nY=2\r\nA=\nB=\n'],
    ['a file with CR line breaks', 'X=1\rY=2', 'X=1\rY=2\nA=\nB=\n'],
    ['a file with spaces in the last line', 'X=1\n ', 'X=1\n \nA=\nB=\n'],
  ] as const) {
    it(`adds lines to ${name}`, () => {
      assert.equal(applied(text, appendedLines(text, ['A=', 'B='])), becomes);
    });
  }
});

function fixesOf(text: string, issue: Issue, service = ibm) {
  return envFixes(text.split(LINE_END)[issue.place?.line ?? -1] ?? '', issue, service);
}

const secret = new RegExp(`${KEY}|${PROJECT}`);

function summary({ values, missing = [], issues = [], isRejected }: EnvFileFixture): string {
  if (isRejected) return 'rejected';
  const parts = [
    values ? 'used' : 'not used',
    ...missing.map((name) => `${name} missing`),
    ...issues.map(([line, kind]) => `${kind} in line ${line}`),
  ];
  return parts.join(', ');
}

/**
 * Checks that the file is rejected if and only if the fixture's `isRejected` is true. Returns the
 * file's text, or undefined if the fixture consists of bytes that are rejected.
 */
function textOf({ file, isRejected = false }: EnvFileFixture) {
  const decoded = decodeEnvFile(typeof file === 'string' ? new TextEncoder().encode(file) : file);
  assert.equal(decoded === undefined, isRejected);
  return typeof file === 'string' ? file : decoded;
}

function coveredBy(text: string, place: Issue['place']): string | undefined {
  return place && text.split(/\r\n?|\n/)[place.line]?.slice(place.start, place.end);
}

function applied(text: string, edit: EnvFix): string {
  const lines = text.split(/(?<=\r\n|\r(?!\n)|\n)/);
  if (edit.kind === 'remove-line') return lines.toSpliced(edit.line, 1).join('');
  const { place, newText } = edit;
  const line = lines[place.line] ?? '';
  return lines
    .toSpliced(place.line, 1, line.slice(0, place.start) + newText + line.slice(place.end))
    .join('');
}

function assertOtherLinesKept(before: string, after: string, edit: EnvFix): void {
  const line = edit.kind === 'remove-line' ? edit.line : edit.place.line;
  const [old, edited] = [before.split('\n'), after.split('\n')];
  const kept = edited.toSpliced(line, edited.length - old.length + 1);
  assert.deepEqual(kept, old.toSpliced(line, 1));
}
