import assert from 'node:assert/strict';
import { envFixes } from '../../src/dotenv/envMend.ts';
import { LINE_END } from '../../src/dotenv/envText.ts';
import { parseEnvText, problemsOf } from '../../src/envFile/problems.ts';
import { TextFit } from '../../src/formatting/textFit.ts';
import { inferenceFailure } from '../../src/service/failures.ts';
import { readEvents } from '../../src/service/http/body.ts';
import { parseJson } from '../../src/service/responseSchemas.ts';
import { kindsIn, maskPrivateKeys, maskWhole } from '../../src/service/secrets/promptSecrets.ts';
import { redact } from '../../src/service/secrets/redact.ts';
import { vendorFor } from '../../src/service/vendors.ts';
import { completionsAt } from '../../src/templates/completions.ts';
import { readTemplateText } from '../../src/templates/templateText.ts';
import { fillPrompt } from '../../src/templates/variables.ts';
import { isLinear } from '../growth.ts';

/**
 * What others wrote costs no more than linear time, whatever they wrote. The single expressions have
 * a test of their own; these are whole ways through the code, texts held back and put together
 * included.
 */

const ibm = vendorFor('ibm');
assert.ok(ibm);
const secrets = ['a'.repeat(40), 'abcd-efgh-ijkl-mnop', '` \n'.repeat(8)];

const WORST: readonly string[] = [
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
  ...[
    '-----BEGIN PRIVATE KEY-----\n',
    'AAAA\n-----END PRIVATE KEY-----\n',
    'AAAA',
    'eyJ',
    'bearer ',
  ],
  ...['data:', ':', 'data: {}\n\n', 'IBM_API_KEY="x" # y\n', 'ibm_api_key=1\n', '---\n', 'a: b\n'],
];

/** In single characters this takes as long as 64 KB in one piece, and shows a square as well. */
const LENGTH = 16_384;

type Cut = (text: string) => readonly string[];

const CUTS: Readonly<Record<string, Cut>> = {
  'in one piece': (text) => [text],
  'in single characters': (text) => text.split(''),
};

interface FitCase {
  readonly languageId: string;
  readonly before: string;
  readonly behind: string;
  /** Whether the worst text continues an answer that was cut off. */
  readonly isContinued?: boolean;
}

const FITS: Readonly<Record<string, FitCase>> = {
  'the first line of code': { languageId: 'python', before: 'x = 1', behind: 'z\n    y' },
  'a whole answer': { languageId: 'c', before: '', behind: 'x' },
  'the code of a fence': { languageId: 'python', before: '```py\n', behind: '\nx' },
  'the text behind a fence': { languageId: 'python', before: '```py\na\n```\n', behind: 'x' },
  'a continued answer': { languageId: 'c', before: '```\na', behind: '', isContinued: true },
  'a continued answer whose fence was closed': {
    languageId: 'c',
    before: '```\na\n```',
    behind: '',
    isContinued: true,
  },
  'an answer in LaTeX': { languageId: 'latex', before: '', behind: '\nx' },
  'an answer in Markdown': { languageId: 'markdown', before: 'a', behind: '' },
};

const fitted = ({ languageId, before, behind, isContinued }: FitCase, cut: Cut) => {
  return (text: string) => {
    const fit = new TextFit({ indentation: '    ', languageId });
    fit.add(before);
    if (isContinued) fit.continue();
    for (const piece of cut(text)) fit.add(piece);
    fit.add(behind);
    fit.end();
  };
};

/** The events of a stream whose bytes come in pieces of this size. */
const events = (size: number) => async (text: string) => {
  const bytes = Buffer.from(`data: ${text}`);
  async function* body() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for await (const { data } of readEvents(body())) parseJson(data);
};

const template = { insertModes: ['below'], operation: 'chat' } as const;

const WAYS: Readonly<Record<string, (text: string) => unknown>> = {
  'a stream at once': events(65_536),
  'a stream in single bytes': events(1),
  'the refusal of a prompt': (message) => {
    const errors = [{ code: 'invalid_input_argument', message }];
    inferenceFailure({ status: 400, text: JSON.stringify({ errors }) });
  },
  'a line of the log': (text) => redact(text, secrets),
  'a prompt that is searched for keys': (text) => {
    kindsIn([text], { apiKey: secrets });
    maskWhole(text, secrets);
  },
  'a prompt that is searched for private keys': (text) => {
    maskPrivateKeys(text);
    maskPrivateKeys(`-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`);
  },
  'a .env file': (text) => {
    const file = text;
    const open = parseEnvText(file, ibm);
    problemsOf(open, { hasByteOrderMark: true, risk: 'tracked' });
    const lines = file.split(LINE_END);
    for (const issue of open.reading.issues) {
      envFixes(lines[issue.place?.line ?? -1] ?? '', issue, ibm);
    }
  },
  'a value of a .env file': (text) => parseEnvText(`IBM_API_KEY=${text}`, ibm),
  'a template': async (text) => {
    await readTemplateText(text, template);
    await readTemplateText(`---\n${text}\n---\na`, template);
    fillPrompt(text, { selection: text, language: 'c', fileName: 'a', inputs: new Map() });
  },
  'a template that is written': (text) => {
    completionsAt(text, text.length, template.insertModes);
    completionsAt(`---\n${text}`, 4, template.insertModes);
  },
};

describe('the worst texts take no more than linear time', () => {
  async function checkAll(work: (text: string) => unknown): Promise<void> {
    const slow: string[] = [];
    for (const worst of WORST) {
      const textOf = (length: number) => worst.repeat(Math.ceil(length / worst.length));
      if (!(await isLinear(work, textOf, LENGTH))) slow.push(worst);
    }
    assert.deepEqual(slow, []);
  }

  for (const [what, fit] of Object.entries(FITS)) {
    for (const [how, cut] of Object.entries(CUTS)) {
      it(`as ${what}, ${how}`, () => checkAll(fitted(fit, cut)));
    }
  }
  for (const [what, work] of Object.entries(WAYS)) it(`as ${what}`, () => checkAll(work));
});
