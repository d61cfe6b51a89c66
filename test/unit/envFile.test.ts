import assert from 'node:assert/strict';
import { mendingTitle } from '../../src/envFile/findingMessages.ts';
import { isIgnored } from '../../src/envFile/ignoreRules.ts';
import { type Problem, problemsOf } from '../../src/envFile/problems.ts';
import { decodeEnvFile } from '../../src/service/envText.ts';
import { envFiles, KEY, PROJECT } from './service/envFiles.ts';
import { ibm } from './service/fixtures.ts';

const plain = { hasByteOrderMark: false, isExposed: false };
const brief = ({ kind, severity, place }: Problem) => [place.line, kind, severity];

describe('problems of a .env file', () => {
  const all = envFiles.flatMap(({ file }) => {
    const decoded = typeof file === 'string' ? { text: file } : decodeEnvFile(file);
    const facts = { hasByteOrderMark: true, isExposed: true };
    return decoded ? problemsOf(decoded.text, ibm, facts) : [];
  });

  it('say what is wrong, why it matters and what to do, and never a value', () => {
    const kinds = new Set(all.map(({ kind }) => kind));
    assert.equal(kinds.size, 18);
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
    const text = 'IBM_API_KEY="abc"\nibm_project_id=p\nIBM_URL=https://a.example\n';
    const facts = { hasByteOrderMark: true, isExposed: true };
    assert.deepEqual(problemsOf(text, ibm, facts).map(brief), [
      [0, 'quotes', 'error'],
      [1, 'similar-name', 'warning'],
      [2, 'unknown-region', 'warning'],
      [0, 'incomplete', 'information'],
      [0, 'byte-order-mark', 'warning'],
      [0, 'not-ignored', 'warning'],
    ]);
  });

  it('leave files of others alone', () => {
    const facts = { hasByteOrderMark: true, isExposed: true };
    assert.deepEqual(problemsOf('PORT=3000\nOPENAI_API_KEY="x" # y\n', ibm, facts), []);
    assert.deepEqual(problemsOf(`${'#'.repeat(70_000)}\nIBM_API_KEY="x"`, ibm, facts), []);
  });

  it('name exactly the lines that are missing, and leave empty ones to their own message', () => {
    const gaps = (text: string) =>
      problemsOf(text, ibm, plain).find(({ kind }) => kind === 'incomplete')?.message;
    assert.match(
      gaps('IBM_URL=https://eu-de.ml.cloud.ibm.com') ?? '',
      /^IBM_API_KEY and IBM_PROJECT_ID are missing\./,
    );
    assert.match(gaps('IBM_URL=x\nIBM_API_KEY=\n') ?? '', /^IBM_PROJECT_ID is missing\./);
    assert.equal(gaps('IBM_URL=x\nIBM_API_KEY=\nIBM_PROJECT_ID=<id>'), undefined);
  });

  it('stand on the line of the key if git does not ignore the file', () => {
    const facts = { ...plain, isExposed: true };
    const text = 'IBM_URL=https://eu-de.ml.cloud.ibm.com\nIBM_PROJECT_ID=p\nIBM_API_KEY=k\n';
    assert.deepEqual(problemsOf(text, ibm, facts).map(brief), [[2, 'not-ignored', 'warning']]);
  });

  it('are mended by actions in Title Case', () => {
    for (const { finding } of all) {
      if (finding) assert.match(mendingTitle(finding, ibm.regions[0]), /^Use the Region Dallas$/);
      if (finding) assert.match(mendingTitle(finding, undefined), /^[A-Z]/);
    }
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
