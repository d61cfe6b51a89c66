import assert from 'node:assert/strict';
import type { GitRisk } from '../../src/connection/gitRisk.ts';
import { fixAll } from '../../src/dotenv/envFix.ts';
import { decodeEnvFile } from '../../src/dotenv/envText.ts';
import { fixTitle } from '../../src/envFile/envFileMessages.ts';
import { type Problem, parseEnvText, problemsOf } from '../../src/envFile/problems.ts';
import { services } from '../../src/service/builtInServices.ts';
import { envFiles, KEY, PROJECT } from './service/envFiles.ts';
import { ibm } from './service/fixtures.ts';

const problemsIn = (text: string, risk?: GitRisk) => problemsOf(parseEnvText(text, ibm), risk);
const brief = ({ kind, severity, place }: Problem) => [place.line, kind, severity];

describe('problems in a .env file', () => {
  const all = envFiles.flatMap(({ file }) => {
    const text = typeof file === 'string' ? file : decodeEnvFile(file);
    const risks = ['not-ignored', 'tracked'] as const;
    return risks.flatMap((risk) => (text === undefined ? [] : problemsIn(text, risk)));
  });

  it('have short messages that contain no values from the file', () => {
    const kinds = new Set(all.map(({ kind }) => kind));
    assert.equal(kinds.size, 18);
    for (const { kind, message } of all) {
      assert.match(message, /^\S.*\.$/, kind);
      const parts = message.split(/[.:] |, so /);
      assert.ok(parts.length >= 3, `${kind}: ${message}`);
      assert.ok(message.length <= 220, `${message.length}: ${message}`);
      assert.doesNotMatch(message, /undefined|NaN|[^\x20-\x7e’“”]/);
      assert.ok(!message.includes(KEY) && !message.includes(PROJECT));
      assert.doesNotMatch(message, /evil\.example|eu-de\.ml/);
    }
  });

  it('have the severity Error, Warning, or Information, depending on their kind', () => {
    const text = 'IBM_API_KEY="abcd1234"\nibm_project_id=p\nIBM_URL=https://a.example\n';
    assert.deepEqual(problemsIn(text, 'not-ignored').map(brief), [
      [0, 'quotes', 'Error'],
      [1, 'similar-name', 'Warning'],
      [2, 'unknown-region', 'Warning'],
      [0, 'incomplete', 'Information'],
      [0, 'not-ignored', 'Warning'],
    ]);
  });

  it("aren't reported if the file is too large or has no service variables", () => {
    assert.deepEqual(problemsIn('PORT=3000\nOPENAI_API_KEY="x" # y\n', 'not-ignored'), []);
    assert.deepEqual(problemsIn(`${'#'.repeat(70_000)}\nIBM_API_KEY="x"`, 'not-ignored'), []);
    assert.deepEqual(problemsIn(`#${'ü'.repeat(35_000)}\nIBM_API_KEY="x"`, 'not-ignored'), []);
  });

  it('include a missing variable only if the file has no line for it', () => {
    const gaps = (text: string) =>
      problemsIn(text).find(({ kind }) => kind === 'incomplete')?.message;
    assert.match(
      gaps('IBM_URL=https://eu-de.ml.cloud.ibm.com') ?? '',
      /^IBM_API_KEY and IBM_PROJECT_ID are missing,/,
    );
    assert.match(gaps('IBM_URL=x\nIBM_API_KEY=\n') ?? '', /^IBM_PROJECT_ID is missing,/);
    assert.equal(gaps('IBM_URL=x\nIBM_API_KEY=\nIBM_PROJECT_ID=<id>'), undefined);
  });

  it("include a warning on the key's line if Git doesn't ignore the file", () => {
    const text = 'IBM_URL=https://eu-de.ml.cloud.ibm.com\nIBM_PROJECT_ID=p\nIBM_API_KEY=abcd1234\n';
    assert.deepEqual(problemsIn(text, 'not-ignored').map(brief), [[2, 'not-ignored', 'Warning']]);
  });

  it("include a suggestion to import the key if Git doesn't ignore the file", () => {
    const hint = all.find(({ kind }) => kind === 'not-ignored')?.message ?? '';
    assert.match(hint, /, or import the key in “Show Status and Actions” and delete its line\.$/);
  });

  it('have quick fixes with names in Title Case', () => {
    const [region] = ibm.regions;
    const place = { line: 0, start: 0, end: 0 };
    for (const issue of all.flatMap((one) => one.issue ?? [])) {
      const edit = { kind: 'replace', place, newText: '' } as const;
      assert.equal(fixTitle(issue, { ...edit, region }), 'Use Dallas Region');
      assert.match(fixTitle(issue, edit), /^[A-Z]/);
    }
    const { issue } = all.find(({ kind }) => kind === 'duplicate') ?? {};
    const line = issue?.place?.line;
    assert.ok(issue && line !== undefined);
    const titleFor = (removed: number) => fixTitle(issue, { kind: 'remove-line', line: removed });
    assert.deepEqual(
      [titleFor(line), titleFor(line + 6)],
      ['Remove This Line', `Remove Line ${line + 7}`],
    );
  });
});

describe('Fix All Problems in a .env file', () => {
  const url = 'https://eu-de.ml.cloud.ibm.com';
  const parse = (text: string) => parseEnvText(text, ibm);
  for (const [what, lines, expected, count] of [
    [
      'every faulty line',
      [`IBM_API_KEY="${KEY}"`, `IBM_PROJECT_ID=' ${PROJECT} '`, '# mine', `IBM_URL="${url}"`],
      [`IBM_API_KEY=${KEY}`, `IBM_PROJECT_ID=${PROJECT}`, '# mine', `IBM_URL=${url}`],
      3,
    ],
    [
      'several problems in one line',
      [`IBM_URL="http://eu-de.ml.cloud.ibm.com/ml/v1/text/chat?version=2024-01-01" # x`],
      ['# x', `IBM_URL=${url}`],
      3,
    ],
    ['an address without https://', ['IBM_URL=eu-de.ml.cloud.ibm.com'], [`IBM_URL=${url}`], 1],
    [
      'nothing that has another scheme',
      ['IBM_URL=ftp://a.example'],
      ['IBM_URL=ftp://a.example'],
      0,
    ],
    ['nothing that is only a word', ['IBM_URL=vllm'], ['IBM_URL=vllm'], 0],
    [
      'lines that end with a comment, and moves each comment to its own line',
      [
        `IBM_API_KEY="${KEY}" # old #`,
        '',
        `IBM_PROJECT_ID = ${PROJECT}\t# ours`,
        `IBM_URL="${url}"#EU`,
      ],
      [
        '# old #',
        `IBM_API_KEY=${KEY}`,
        '',
        '# ours',
        `IBM_PROJECT_ID=${PROJECT}`,
        '#EU',
        `IBM_URL=${url}`,
      ],
      6,
    ],
    [
      'nothing if every problem needs a decision by the user',
      [
        `IBM_API_KEY=${KEY}`,
        'IBM_API_KEY=another-key-of-mine',
        'IBM_URL=https://xx.ml.cloud.ibm.com',
      ],
      [
        `IBM_API_KEY=${KEY}`,
        'IBM_API_KEY=another-key-of-mine',
        'IBM_URL=https://xx.ml.cloud.ibm.com',
      ],
      0,
    ],
  ] as const) {
    it(`fixes ${what}`, () => {
      const fixed = fixAll(lines, parse);
      assert.deepEqual([fixed.lines.join('\n').split('\n'), fixed.count], [expected, count]);
    });
  }
});

describe('an open .env file', () => {
  const cpd = services.find(({ word }) => word === 'cpd');
  const text =
    'CPD_USERNAME=anna\nCPD_API_KEY="key-of-the-platform"\nCPD_URL=https://cpd.example\n';

  it("keeps other services' lines unchanged when the user runs Fix All Problems", () => {
    const all = [ibm, ...services.filter(({ word }) => word === 'cpd')];
    const parseFor = (given: string) => parseEnvText(given, ibm, all, false);
    const lines = ['IBM_API_KEY="abcdefgh"', "IBM_PROJECT_ID='p'", ...text.trim().split('\n')];
    const { lines: fixed, count } = fixAll(lines, parseFor);
    assert.deepEqual(fixed.slice(0, 2), ['IBM_API_KEY=abcdefgh', 'IBM_PROJECT_ID=p']);
    assert.deepEqual([fixed.slice(2), count], [lines.slice(2), 2]);
  });

  it('is validated for the service that its variables belong to', () => {
    const open = parseEnvText(text, ibm, services);
    assert.equal(open.service, cpd);
    assert.deepEqual(open.reading.missing, ['CPD_PROJECT_ID']);
    assert.deepEqual(
      open.reading.issues.map(({ kind }) => kind),
      ['quotes'],
    );
  });

  it('if no service is selected, is validated for one with complete values', () => {
    const complete = `VENDOR_URL=https://a.example\n${text}CPD_PROJECT_ID=p\n`.replaceAll('"', '');
    assert.equal(parseEnvText(complete, ibm, services, false).service, cpd);
    assert.equal(parseEnvText(complete, ibm, services).service, ibm);
  });

  it('is validated for the selected service, even if another has more variables', () => {
    assert.equal(parseEnvText(`IBM_URL=https://a.example\n${text}`, ibm, services).service, ibm);
  });

  it("isn't validated for other services if it is complete for one service and none is selected", () => {
    const used = `IBM_URL=https://a.example\n${text.replace(/"/g, '')}CPD_PROJECT_ID=p\n`;
    const open = parseEnvText(used, ibm, services, false);
    assert.equal(open.service, cpd);
    assert.deepEqual(problemsOf(open), []);
  });
});
