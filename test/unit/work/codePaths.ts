import assert from 'node:assert/strict';
import { envFixes } from '../../../src/dotenv/envFix.ts';
import { LINE_END } from '../../../src/dotenv/envText.ts';
import { type ResponseFitOptions, TextFit } from '../../../src/editor/fit/textFit.ts';
import { TrackedRange } from '../../../src/editor/trackedRange.ts';
import { parseEnvText, problemsOf } from '../../../src/envFile/problems.ts';
import { inferenceFailure } from '../../../src/service/api/watsonxFailure.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import { readEvents } from '../../../src/service/http/body.ts';
import { holdsSecret, maskPrivateKeys, maskSecrets, redact } from '../../../src/service/masking.ts';
import { parseJson } from '../../../src/service/schemaHelpers.ts';
import { completionsAt } from '../../../src/templates/completions.ts';
import { readTemplateText } from '../../../src/templates/parseTemplate.ts';
import { fillPrompt } from '../../../src/templates/variables.ts';
import { type CodePaths, rows, type TextOf } from './workCounter.ts';

/** The complete paths that untrusted text takes through the code. */

const ibm = serviceFor('ibm');
assert.ok(ibm);
const secrets = ['a'.repeat(40), 'abcd-efgh-ijkl-mnop', '` \n'.repeat(8)];

/** Inputs that cause the most work in the code that fits a response into a document. */
const ODD = [
  ...[' ', '\t', '\n', '\r', '\r\n', ' \n', '\n ', '\f', '\u00a0', '\0'],
  ...[
    '`',
    '~',
    '```\n',
    '\n```\n\n',
    '\n``` \n',
    '    ```',
    '"',
    "'",
    '"""',
    '\\',
    '\\n',
    '\\u0020',
  ],
  ...['//', ' //', '#', ' #', '/*', '{', '{}', '=', '-', '*', '$', '${', '${a', 'a', 'a ', 'a\n'],
  ...['\u0301', '\u200d', '\ufe0f', '👩\u200d', 'می\u200c', '\ud83d', '😀', '\u202e'],
].map((row) => rows(row));
/** The inputs in `ODD`, and the inputs that cause the most work in other code. */
const WORST = [
  ...ODD,
  ...[
    ...[
      'eyJ',
      'bearer ',
      'AAAA',
      'AAAA\n-----END PRIVATE KEY-----\n',
      '-----BEGIN PRIVATE KEY-----\n',
    ],
    ...[
      'data:',
      ':',
      'data: {}\n\n',
      'IBM_API_KEY="x" # y\n',
      'ibm_api_key=1\n',
      '---\n',
      'a: b\n',
    ],
  ].map((row) => rows(row)),
];

/** Creates text in which every line is different, with about 20 characters per line. */
const lines =
  (line: (n: number) => string): TextOf =>
  (length) =>
    Array.from({ length: length / 20 }, (_, n) => line(n)).join('\n');

type Cut = (text: string) => readonly string[];

const CUTS: Readonly<Record<string, Cut>> = {
  'in one chunk': (text) => [text],
  'in single characters': (text) => text.split(''),
};

interface FitCase extends Partial<ResponseFitOptions> {
  readonly before: string;
  readonly behind: string;
  /** True if the tested text continues a truncated response. */
  readonly isContinued?: boolean;
}

/** Add a case for each option that changes lines. */
const FITS: Readonly<Record<string, FitCase>> = {
  'the first line of code': { languageId: 'python', before: 'x = 1', behind: 'z\n    y' },
  'a whole response': { before: '', behind: 'x' },
  'the code in a fence': { languageId: 'python', before: '```py\n', behind: '\nx' },
  'the text after a fence': { languageId: 'python', before: '```py\na\n```\n', behind: 'x' },
  'a continued response': { before: '```\na', behind: '', isContinued: true },
  'a continued response after a closed fence': {
    before: '```\na\n```',
    behind: '',
    isContinued: true,
  },
  'an introduction': { before: 'Here is it:\n', behind: '\n```\na' },
  'an explanation': { before: '```\na\n```\n\nI', behind: '\n```\na' },
  'a response converted to tabs': { before: '', behind: 'x', step: '\t' },
  'a response converted to spaces': { before: '{\n', behind: 'x', step: '  ' },
  'a list item': { languageId: 'yaml', before: '-', behind: 'x', itemIndentation: '  ' },
  'a response in LaTeX': { languageId: 'latex', before: '', behind: '\nx' },
  'a response in Markdown': { languageId: 'markdown', before: 'a', behind: '' },
};

const fitted = ({ before, behind, isContinued, ...options }: FitCase, cut: Cut) => {
  return (text: string) => {
    const fit = new TextFit({ indentation: '    ', languageId: 'c', ...options });
    fit.add(before);
    if (isContinued) fit.continue();
    for (const piece of cut(text)) fit.add(piece);
    fit.add(behind);
    fit.end();
  };
};

/** Reads the events of a stream whose bytes arrive in chunks of this size. */
const events = (size: number) => async (text: string) => {
  const bytes = Buffer.from(`data: ${text}`);
  async function* body() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for await (const { data } of readEvents(body())) parseJson(data);
};

/** Types text into a range, one character at a time. */
const type = (text: string, place: TrackedRange, then = () => {}) => {
  for (const [index, character] of text.split('').entries()) {
    const change = { rangeOffset: 4 + index, rangeLength: 0, text: character };
    place.follow(change, { isTyping: true });
    then();
  }
};

const envValues = [
  '"',
  'Bearer ',
  '" ',
  '"Bearer ',
  '\u200b',
  'a"',
  '/',
  '//',
  '/ml/v1',
  '<',
  '[',
  'your_',
];
const template = { insertModes: ['below'], operation: 'chat' } as const;
const front = (row: string, before = '') => rows(row, `---\n${before}`, '\n---\na');
const BEGIN = '-----BEGIN PRIVATE KEY-----\n';

export const codePaths: CodePaths = {
  ...Object.fromEntries(
    Object.entries(FITS).flatMap(([what, fit]) =>
      Object.entries(CUTS).map(([how, cut]) => [
        `${what}, ${how}`,
        { work: fitted(fit, cut), texts: ODD },
      ]),
    ),
  ),
  'a stream': { work: events(64), texts: WORST },
  'a stream in single bytes': { work: events(1), texts: WORST },
  'a stream in one chunk': {
    work: events(262_144),
    texts: ['\r', '\n', '\r\n', 'data:\r', 'data: {}\n\n'].map((row) => rows(row)),
    // Within a single call, the parser can take quadratic time. Both texts exceed the maximum input
    // of one call, so they're split across calls, and the total work has to grow linearly.
    length: 8_192,
  },
  'the response to a rejected prompt': {
    work: (message) => {
      const errors = [{ code: 'invalid_input_argument', message }];
      inferenceFailure({ status: 400, text: JSON.stringify({ errors }) });
    },
    texts: WORST,
  },
  'typing in a selection': {
    work: (text) => type(text, new TrackedRange({ start: 0, end: 8 })),
    texts: [rows('a')],
  },
  'typing in a response': {
    work: (text) => {
      const own = new TrackedRange({ start: 0, end: 0 });
      own.grow(own.changeFor('response'));
      type(text, own, () => own.conclude({ replay: undefined }, () => true));
    },
    texts: [rows('a')],
    // With fewer changes, the range wouldn't reach the maximum number of earlier states that it
    // keeps.
    length: 2_048,
  },
  'a log line': { work: (text) => redact(text, secrets), texts: WORST },
  'the search of a prompt for keys': {
    work: (text) => {
      holdsSecret(text, secrets);
      maskSecrets(text, secrets);
    },
    texts: WORST,
  },
  'the search of a prompt for private keys': {
    work: (text) => {
      maskPrivateKeys(text);
      maskPrivateKeys(`${BEGIN}${text}\n-----END PRIVATE KEY-----`);
    },
    texts: [
      ...WORST,
      ...[
        ...['-----BEGIN ', '-----BEGIN A', '-----BEGIN PRIVATE KEY', '-----BEGIN PRIVATE KEY-----'],
        ...['-----BEGIN PRIVATE KEY----------END ', '-----END PRIVATE KEY-----'],
      ].map((row) => rows(row)),
    ],
  },
  'B18: a .env file': {
    work: (file) => {
      const open = parseEnvText(file, ibm);
      problemsOf(open, 'tracked');
      const split = file.split(LINE_END);
      for (const issue of open.reading.issues) {
        envFixes(split[issue.place?.line ?? -1] ?? '', issue, ibm);
      }
    },
    texts: [
      ...WORST,
      lines((n) => `IBM_API_KEY="${n}"`),
      lines((n) => `IBM_PRJECT_I${n % 10}=${n}`),
      lines((n) => `VENDER_${n.toString(36)}_KEY=${n}`),
      lines((n) => `IBM_API_KEY=${n}`),
      rows('" ', `IBM_API_KEY=${' '.repeat(200)}#`),
      (length) => `${' '.repeat(length)}IBM_API_KEY${' '.repeat(length)}`,
      ...envValues.flatMap((row) =>
        ['IBM_API_KEY', 'IBM_PROJECT_ID', 'IBM_URL'].flatMap((name) =>
          ['', 'https://a.example/'].map((start) => rows(row, `${name}=${start}a`, 'a')),
        ),
      ),
    ],
  },
  'a value of a .env file': {
    work: (text) => parseEnvText(`IBM_API_KEY=${text}`, ibm),
    texts: [...WORST, rows('"\'')],
  },
  'a template': {
    work: async (text) => {
      await readTemplateText(text, template);
      await readTemplateText(`---\n${text}\n---\na`, template);
      fillPrompt(text, { selection: text, language: 'c', fileName: 'a', inputs: new Map() });
    },
    texts: [
      ...WORST,
      ...[front('{a: ', 'a: '), front('\\u0041', 'a: "'), front('- ', 'a: '), front('? ')],
      (length) => front(lines((n) => `k${n}: 1`)(length))(1),
      ...[rows(' ', '---', 'x'), rows(`\${x}`), rows('y', '', `\${language}`)],
    ],
  },
  'a template while it is edited': {
    work: (text) => {
      completionsAt(text, text.length, template.insertModes);
      completionsAt(`---\n${text}`, 4, template.insertModes);
    },
    texts: WORST,
  },
};
