import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shownName } from '../../src/credentials/sentences.ts';
import { decodeEnvFile } from '../../src/dotenv/envText.ts';
import { isTracked } from '../../src/dotenv/gitIndex.ts';
import { isIgnored } from '../../src/dotenv/ignoreRules.ts';
import { mendingTitle, type TakenOut, takenOutText } from '../../src/envFile/findingMessages.ts';
import {
  type FileFacts,
  type Problem,
  problemsOf,
  readOpenText,
} from '../../src/envFile/problems.ts';
import { envFiles, KEY, PROJECT } from './service/envFiles.ts';
import { ibm } from './service/fixtures.ts';

const plain = { hasByteOrderMark: false, risk: undefined };
const problemsIn = (text: string, facts: FileFacts) => problemsOf(readOpenText(text, ibm), facts);
const brief = ({ kind, severity, place }: Problem) => [place.line, kind, severity];

describe('problems of a .env file', () => {
  const all = envFiles.flatMap(({ file }) => {
    const decoded = typeof file === 'string' ? { text: file } : decodeEnvFile(file);
    const risks = ['not-ignored', 'tracked'] as const;
    return risks.flatMap((risk) =>
      decoded ? problemsIn(decoded.text, { hasByteOrderMark: true, risk }) : [],
    );
  });

  it('say what is wrong, why it matters and what to do, and never a value', () => {
    const kinds = new Set(all.map(({ kind }) => kind));
    assert.equal(kinds.size, 19);
    for (const { kind, message } of all) {
      assert.match(message, /^\S.*\.$/, kind);
      const sentences = message.split(/[.;] (?=[A-Za-z])/).length;
      assert.ok(sentences >= 3 || /, so /.test(message), `${kind}: ${message}`);
      assert.ok(message.length <= 220, `${message.length}: ${message}`);
      assert.doesNotMatch(message, /undefined|NaN|[^\x20-\x7e]/);
      assert.ok(!message.includes(KEY) && !message.includes(PROJECT));
      assert.doesNotMatch(message, /evil\.example|eu-de\.ml/);
    }
  });

  it('are errors where the file is not used for it, else warnings, and information about gaps', () => {
    const text = 'IBM_API_KEY="abcd1234"\nibm_project_id=p\nIBM_URL=https://a.example\n';
    const facts = { hasByteOrderMark: true, risk: 'not-ignored' as const };
    assert.deepEqual(problemsIn(text, facts).map(brief), [
      [0, 'quotes', 'error'],
      [1, 'similar-name', 'warning'],
      [2, 'unknown-region', 'warning'],
      [0, 'incomplete', 'information'],
      [0, 'byte-order-mark', 'warning'],
      [0, 'not-ignored', 'warning'],
    ]);
  });

  it('leave files of others alone', () => {
    const facts = { hasByteOrderMark: true, risk: 'not-ignored' as const };
    assert.deepEqual(problemsIn('PORT=3000\nOPENAI_API_KEY="x" # y\n', facts), []);
    assert.deepEqual(problemsIn(`${'#'.repeat(70_000)}\nIBM_API_KEY="x"`, facts), []);
  });

  it('name exactly the lines that are missing, and leave empty ones to their own message', () => {
    const gaps = (text: string) =>
      problemsIn(text, plain).find(({ kind }) => kind === 'incomplete')?.message;
    assert.match(
      gaps('IBM_URL=https://eu-de.ml.cloud.ibm.com') ?? '',
      /^IBM_API_KEY and IBM_PROJECT_ID are missing\./,
    );
    assert.match(gaps('IBM_URL=x\nIBM_API_KEY=\n') ?? '', /^IBM_PROJECT_ID is missing\./);
    assert.equal(gaps('IBM_URL=x\nIBM_API_KEY=\nIBM_PROJECT_ID=<id>'), undefined);
  });

  it('stand on the line of the key if git does not ignore the file', () => {
    const facts = { ...plain, risk: 'not-ignored' as const };
    const text = 'IBM_URL=https://eu-de.ml.cloud.ibm.com\nIBM_PROJECT_ID=p\nIBM_API_KEY=abcd1234\n';
    assert.deepEqual(problemsIn(text, facts).map(brief), [[2, 'not-ignored', 'warning']]);
  });

  it('show no name that turns the text around, makes a link of it or goes on for pages', () => {
    for (const name of ['IBM_API\u202e_KEY', '[IBM_API_KEY](command:x)', 'IBM\u200b_API_KEY']) {
      const [problem] = problemsIn(`${name}=x`, plain);
      assert.match(problem?.message ?? 'IBM', /^[\w ?"(),.'-]+$/);
    }
    assert.equal(shownName('[a](b)'), '?a??b?');
    assert.equal(shownName('x'.repeat(1_000)), `${'x'.repeat(64)}...`);
  });

  it('are mended by actions in Title Case', () => {
    const [region] = ibm.regions;
    const place = { line: 0, start: 0, end: 0 };
    for (const finding of all.flatMap((one) => one.finding ?? [])) {
      const edit = { kind: 'replace', place, newText: '' } as const;
      assert.equal(mendingTitle(finding, { edit, region }), 'Use the Region Dallas');
      assert.match(mendingTitle(finding, { edit, region: undefined }), /^[A-Z]/);
    }
    const { finding } = all.find(({ kind }) => kind === 'duplicate') ?? {};
    const line = finding?.place?.line;
    assert.ok(finding && line !== undefined);
    const titleFor = (removed: number) =>
      mendingTitle(finding, { edit: { kind: 'remove-line', line: removed }, region: undefined });
    assert.deepEqual(
      [titleFor(line), titleFor(line + 6)],
      ['Remove This Line', `Remove the Other Line (Line ${line + 7})`],
    );
  });
});

describe('git ignores a file', () => {
  type Rules = readonly (readonly [folder: string, text: string])[];
  const cases: readonly [name: string, path: string, rules: Rules, isIgnored: boolean][] = [
    ['not without rules', '/r/.env', [], false],
    ['by its name', '/r/.env', [['/r', '.env\n']], true],
    ['by a pattern', '/r/.env', [['/r', '# secrets\n\n*.env*\r\n']], true],
    ['by a rule of a folder above', '/r/a/b/.env', [['/r', '.env']], true],
    ['not by a rule for the root alone', '/r/a/.env', [['/r', '/.env']], false],
    ['with its folder', '/r/a/b/.env', [['/r', 'a/']], true],
    ['not by a rule for folders', '/r/.env', [['/r', '.env/']], false],
    ['not by a comment', '/r/.env', [['/r', '#.env']], false],
    ['not by another case', '/r/.env', [['/r', '.ENV']], false],
    ['not if a later rule takes it back', '/r/.env', [['/r', '.env*\n!.env']], false],
    [
      'not if a nearer folder takes it back',
      '/r/a/.env',
      [
        ['/r', '.env'],
        ['/r/a', '!.env'],
      ],
      false,
    ],
    [
      'in an ignored folder, whatever that says',
      '/r/a/.env',
      [
        ['/r', 'a/'],
        ['/r/a', '!.env'],
      ],
      true,
    ],
    [
      'by a nearer folder',
      '/r/a/.env',
      [
        ['/r', '!.env'],
        ['/r/a', '.env'],
      ],
      true,
    ],
    [
      'not in a folder that a stronger rule takes back',
      '/r/a/.env',
      [
        ['/r', 'a'],
        ['/r', '!/a'],
      ],
      false,
    ],
    [
      'by itself in a folder that a stronger rule takes back',
      '/r/a/b/.env',
      [
        ['/r', 'a\n.env'],
        ['/r', '!a/'],
      ],
      true,
    ],
    [
      'not in a folder with signs of a pattern that is taken back',
      '/r/a[b]*/.env',
      [
        ['/r', '/a*'],
        ['/r', '!/a*'],
      ],
      false,
    ],
    ['not by rules of a neighbour', '/r/ab/.env', [['/r/a', '.env']], false],
    ['in a repository at the root of the disk', '/a/.env', [['/', '/a/.env']], true],
  ];
  for (const [name, path, rules, expected] of cases) {
    it(name, () => {
      const root = rules[0]?.[0] === '/' ? '/' : '/r';
      const files = rules.map(([folder, text]) => ({ folder, text }));
      assert.equal(isIgnored(path, root, files), expected);
    });
  }
});

describe('the index of a repository', () => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  const indexWith = (files: readonly string[], version = 2) => {
    const folder = mkdtempSync(join(tmpdir(), 'hosted-model-index-'));
    folders.push(folder);
    const git = (...given: string[]) => execFileSync('git', given, { cwd: folder });
    git('init', '--quiet');
    for (const file of files) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), 'x');
    }
    git('add', '--force', ...files);
    git('update-index', '--index-version', String(version));
    return readFileSync(join(folder, '.git', 'index'));
  };

  it('names the files that are tracked, and no part of them', () => {
    const index = indexWith(['a', 'b/.env', 'c/x.env', 'd/.env.local', 'e.env']);
    assert.equal(isTracked(index, 'b/.env'), true);
    for (const path of ['.env', 'x.env', 'd/.env', 'env', 'c/.env']) {
      assert.equal(isTracked(index, path), false, path);
    }
    assert.equal(isTracked(indexWith(['.env']), '.env'), true);
  });

  it('is not searched if it is none, or shortens its names', () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(100), indexWith(['.env'], 4)]) {
      assert.equal(isTracked(bytes, '.env'), false);
    }
  });
});

describe('what is said once a key is out of a file', () => {
  const cases: readonly [TakenOut['saved'], left: readonly number[], RegExp][] = [
    ['yes', [], /no longer in \.env\. If the file/],
    ['others', [], /taken out of \.env, which has other unsaved changes: save it\. If/],
    ['failed', [], /could not be saved: save it\. If/],
    ['yes', [3], /is in secret storage\. The same key still stands in \.env, in line 4\. Remove/],
    ['others', [0, 2, 4, 6, 8], /unsaved changes: .*lines 1, 3, 5, and 2 more\. Remove/],
  ];
  for (const [saved, left, expected] of cases) {
    it(`tells ${saved} and ${left.length} lines`, () => {
      assert.match(takenOutText({ saved, left }), expected);
    });
  }
});
