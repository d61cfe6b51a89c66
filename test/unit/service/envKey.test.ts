import assert from 'node:assert/strict';
import { findKey, linesOfKey, linesWithText } from '../../../src/service/envKey.ts';
import { assignmentsOf } from '../../../src/service/envText.ts';
import { ibm } from './fixtures.ts';

const full = ['IBM_API_KEY=one', 'IBM_PROJECT_ID=p', 'IBM_URL=https://a.example'];
const none = undefined;

describe('a key that is about to leave a .env file', () => {
  const cases: readonly [
    name: string,
    lines: readonly string[],
    found:
      | readonly [apiKey: string, projectId: string | undefined, url: string | undefined]
      | undefined,
  ][] = [
    ['comes with its project and URL', full, ['one', 'p', 'https://a.example']],
    ['comes alone if nothing else is there', ['IBM_API_KEY=one'], ['one', none, none]],
    ['comes without blanks and quotes', ['IBM_API_KEY = "one" # mine'], ['one', none, none]],
    [
      'comes without what cannot be used',
      ['IBM_API_KEY=one', 'IBM_URL=nowhere'],
      ['one', none, none],
    ],
    [
      'is not mixed with another set',
      ['IBM_API_KEY=one', 'VENDOR_URL=https://b.example'],
      ['one', none, none],
    ],
    [
      'is the one of the set in use',
      ['IBM_API_KEY=old', ...full.map((line) => line.replace('IBM', 'VENDOR'))],
      ['one', 'p', 'https://a.example'],
    ],
    ['is none if it is a placeholder', ['IBM_API_KEY=<API_KEY>', ...full.slice(1)], none],
    ['is none if no key is like it', ['IBM_API_KEY=a b', 'WATSONX_API_KEY=clé'], none],
    ['is none if its name is not read', ['OTHER_API_KEY=one', 'ibm_api_key=one'], none],
  ];
  for (const [name, lines, found] of cases) {
    it(name, () => {
      const [apiKey, projectId, url] = found ?? [];
      const expected = found && { apiKey, projectId, url };
      assert.deepEqual(findKey(assignmentsOf(lines.join('\n')), ibm), expected);
    });
  }

  it('stands in every line that holds it, and in no other', () => {
    const text = [
      ...['# one', 'IBM_API_KEY=one', 'OTHER=one', "export WATSONX_APIKEY = 'one'"],
      ...['VENDOR_API_KEY=two', 'IBM_PROJECT_ID=one', 'IBM_API_KEY=Bearer one'],
    ].join('\r\n');
    assert.deepEqual(linesOfKey(text, 'one', ibm), [1, 3, 6]);
    assert.deepEqual(linesOfKey(text, 'three', ibm), []);
    assert.deepEqual(linesWithText(text, 'one'), [0, 1, 2, 3, 5, 6]);
  });
});
