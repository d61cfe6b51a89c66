import assert from 'node:assert/strict';
import {
  checkUrl,
  problemOfKey,
  problemOfProject,
  validationOf,
  warningOfProject,
} from '../../../../src/connection/setUp/answerChecks.ts';
import { serviceFor } from '../../../../src/service/builtInServices.ts';
import { oauth } from '../../service/fixtures.ts';
import { found } from '../sources.ts';

const service = serviceFor('ibm');
assert.ok(service);
const URL_SETTING = 'https://us-south.ml.cloud.ibm.com';
const { settings } = found({ settings: { url: URL_SETTING, projectId: 'project-1' } });

describe('input checks', () => {
  const checkKey = (text: string) => validationOf(text, problemOfKey(text, service));
  const checkProject = (text: string) => validationOf(text, problemOfProject(text));
  const cases: [what: string, message: string | undefined, want: RegExp | undefined][] = [
    ['a clean key', checkKey('abcDEF123_-')?.message, undefined],
    ['only spaces', checkKey('  ')?.message, /^Enter a value/],
    ['spaces around a key', checkKey(' abcd1234 ')?.message, /Spaces will be removed/],
    ['quotes around a key', checkKey('"abcd1234"')?.message, /Quotes will be removed/],
    [
      'the word Bearer before a key',
      checkKey('Bearer abcd1234')?.message,
      /Bearer will be removed/,
    ],
    ['a placeholder', checkKey('<API_KEY>')?.message, /placeholder/],
    ['a space inside a key', checkKey('abcd 1234')?.message, /^An API key can’t contain spaces/],
    ['a space inside a client secret', problemOfKey('abcd 1234', oauth), undefined],
    [
      'an accented letter in a client secret',
      problemOfKey('é', oauth),
      /^A client secret can’t contain non/,
    ],
    [
      'a key of 4,097 characters',
      checkKey('k'.repeat(4_097))?.message,
      /^An API key can have at most 4,096 characters/,
    ],
    ['a key as short as a word', checkKey('test')?.message, undefined],
    ['quotes without a key', checkKey('""')?.message, /^Enter a value/],
    [
      'a clean project ID',
      checkProject('12ac4cf1-252f-424b-b52d-5cdd9814987f')?.message,
      undefined,
    ],
    [
      'a UUID as the project ID',
      warningOfProject('12ac4cf1-252f-424b-b52d-5cdd9814987f')?.message,
      undefined,
    ],
    ['a project name as the project ID', warningOfProject('my-project')?.message, /usually UUIDs/],
    ['a project ID with a slash', checkProject('a/b')?.message, /at most 128 letters/],
    ['a valid address', checkUrl(URL_SETTING, settings), undefined],
    [
      'an address with a user name',
      checkUrl('https://good@evil.example', settings),
      /user name or password/,
    ],
    [
      'an invalid identity service URL',
      checkUrl(URL_SETTING, { ...settings, authUrl: 'ftp://x' }),
      /^The identity service URL/,
    ],
  ];
  for (const [what, message, want] of cases) {
    it(`A04 A07: respond to ${what} with: ${message ?? 'no message'}`, () => {
      if (want) assert.match(message ?? '', want);
      else assert.equal(message, undefined);
    });
  }

  it('never repeat the input in their messages', () => {
    const secret = 'S3cret-Välue';
    assert.doesNotMatch(checkKey(secret)?.message ?? '', /S3cret/);
    assert.doesNotMatch(checkProject(secret)?.message ?? '', /S3cret/);
    assert.doesNotMatch(checkUrl(`https://${secret}@x`, settings) ?? '', /S3cret/);
  });
});
