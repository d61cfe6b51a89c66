import assert from 'node:assert/strict';
import { linesOfKey, linesWithText } from '../../../src/dotenv/envKey.ts';
import { ibm } from '../service/fixtures.ts';
import { readEnvFile } from './reading.ts';

const full = ['IBM_API_KEY=first-key', 'IBM_PROJECT_ID=p', 'IBM_URL=https://a.example'];
const none = undefined;

describe('a key that is about to leave a .env file', () => {
  const cases: readonly [
    name: string,
    lines: readonly string[],
    found:
      | readonly [apiKey: string, projectId: string | undefined, url: string | undefined]
      | undefined,
  ][] = [
    ['comes with its project and URL', full, ['first-key', 'p', 'https://a.example']],
    ['comes alone if nothing else is there', ['IBM_API_KEY=first-key'], ['first-key', none, none]],
    [
      'comes without blanks and quotes',
      ['IBM_API_KEY = "first-key" # mine'],
      ['first-key', none, none],
    ],
    [
      'comes without what cannot be used',
      ['IBM_API_KEY=first-key', 'IBM_URL=nowhere'],
      ['first-key', none, none],
    ],
    [
      'is not mixed with another set',
      ['IBM_API_KEY=first-key', 'VENDOR_URL=https://b.example'],
      ['first-key', none, none],
    ],
    [
      'is the one of the set in use',
      ['IBM_API_KEY=key-of-old', ...full.map((line) => line.replace('IBM', 'VENDOR'))],
      ['first-key', 'p', 'https://a.example'],
    ],
    ['is none if it is a placeholder', ['IBM_API_KEY=<API_KEY>', ...full.slice(1)], none],
    [
      'is none if no key is like it',
      ['IBM_API_KEY=with a blank', 'WATSONX_API_KEY=accentuée', 'VENDOR_API_KEY=test'],
      none,
    ],
    ['is none if its name is not read', ['OTHER_API_KEY=first-key', 'ibm_api_key=first-key'], none],
  ];
  for (const [name, lines, found] of cases) {
    it(name, () => {
      const [apiKey, projectId, url] = found ?? [];
      const expected = found && { apiKey, projectId, url };
      assert.deepEqual(readEnvFile(lines.join('\n'), ibm).key, expected);
    });
  }

  it('stands in every line that holds it, and in no other', () => {
    const text = [
      ...[
        '# first-key',
        'IBM_API_KEY=first-key',
        'OTHER=first-key',
        "export WATSONX_APIKEY = 'first-key'",
      ],
      ...['VENDOR_API_KEY=second-key', 'IBM_PROJECT_ID=first-key', 'IBM_API_KEY=Bearer first-key'],
    ].join('\r\n');
    assert.deepEqual(linesOfKey(text, 'first-key', ibm), [1, 3, 6]);
    assert.deepEqual(linesOfKey(text, 'three', ibm), []);
    assert.deepEqual(linesWithText(text, 'first-key'), [0, 1, 2, 3, 5, 6]);
  });
});
