import type { IssueKind } from '../../../src/dotenv/settingValue.ts';

/** `.env` files, each with the exact result of reading the file. */

export interface EnvFileFixture {
  readonly name: string;
  readonly file: string | Uint8Array;
  /** Key, project, and URL. Undefined if the file's text doesn't provide all three. */
  readonly values?: readonly [apiKey: string, projectId: string, url: string];
  readonly missing?: readonly string[];
  /**
   * The line number (starting at 1) and the kind of each issue. If `covered` is present, the tests
   * also check the text that the issue covers.
   */
  readonly issues?: readonly (readonly [line: number, kind: IssueKind, covered?: string])[];
  /**
   * True if the file is rejected because it's too large, contains NUL characters, or isn't valid
   * UTF-8.
   */
  readonly isRejected?: boolean;
}

export const KEY = 'canaryKey-0123456789_abc';
export const PROJECT = '8fcb9bd1-canary-project';
const URL = 'https://eu-de.ml.cloud.ibm.com';
const good = [KEY, PROJECT, URL] as const;

const key = `IBM_API_KEY=${KEY}`;
const project = `IBM_PROJECT_ID=${PROJECT}`;
const url = `IBM_URL=${URL}`;
const lines = (...all: string[]) => `${all.join('\n')}\n`;
const withKey = (line: string) => lines(line, project, url);
const withProject = (line: string) => lines(key, line, url);
const withUrl = (line: string) => lines(key, project, line);
const bytes = (text: string, encoding: 'utf8' | 'utf16le' | 'latin1' = 'utf8') =>
  new Uint8Array(Buffer.from(text, encoding));

const shapes: readonly EnvFileFixture[] = [
  { name: 'an empty file', file: '' },
  { name: 'other names only', file: lines('PORT=3000', 'DEBUG=1', '# a comment') },
  { name: 'the three settings', file: lines(key, project, url), values: good },
  { name: 'no final line end', file: [key, project, url].join('\n'), values: good },
  { name: 'CRLF', file: [key, project, url, ''].join('\r\n'), values: good },
  { name: 'CR', file: [key, project, url, ''].join('\r'), values: good },
  { name: 'mixed line ends', file: `${key}\r${project}\r\n${url}\n`, values: good },
  { name: 'any order', file: lines(url, key, project), values: good },
  {
    name: 'a byte order mark',
    file: bytes(`\ufeff${lines(key, project, url)}`),
    values: good,
  },
  {
    name: 'export before names',
    file: lines(`export ${key}`, `export\t${project}`, `  export  ${url}`),
    values: good,
  },
  {
    name: 'comments, empty lines, and other settings in between',
    file: lines('# keys', '', key, '   # more', 'OTHER=1', project, '\t', url, '#IBM_URL=x'),
    values: good,
  },
  {
    name: 'lines without an assignment',
    file: lines('IBM_API_KEY', '=', '= x', '[section]', 'export', key, project, url),
    values: good,
  },
  { name: 'an indented name', file: withKey(`  ${key}`), values: good },
  {
    name: 'an equals sign and a number sign in the value',
    file: withKey('IBM_API_KEY=a#b=c=d=='),
    values: ['a#b=c=d==', PROJECT, URL],
  },
  {
    name: 'variables and commands, which are not expanded',
    file: withKey('IBM_API_KEY=a$' + '{HOME}b$HOME`x`c'),
    values: ['a$' + '{HOME}b$HOME`x`c', PROJECT, URL],
  },
  {
    name: 'names of JavaScript object properties',
    file: lines('__proto__=x', 'constructor=y', 'toString=z', 'hasOwnProperty=', key, project, url),
    values: good,
  },
  {
    name: '10,000 other lines',
    file: lines(...Array.from({ length: 10_000 }, (_, n) => `V_${n}=${n}`), key, project, url),
    values: good,
    isRejected: true,
  },
  { name: '64 KiB', file: bytes(`${lines(key, project, url)}#`.padEnd(65_536, 'x')), values: good },
  { name: 'more than 64 KiB', file: bytes(''.padEnd(65_537, '#')), isRejected: true },
  { name: '10 MB', file: new Uint8Array(10_000_000).fill(35), isRejected: true },
  { name: 'NUL', file: bytes(withKey(`${key}\0`)), isRejected: true },
  { name: 'UTF-16', file: bytes(`\ufeff${lines(key, project, url)}`, 'utf16le'), isRejected: true },
  { name: 'Latin-1', file: bytes(lines('NAME=Jürgen', key), 'latin1'), isRejected: true },
];

const sets: readonly EnvFileFixture[] = [
  {
    name: 'the alias set',
    file: lines(`WATSONX_API_KEY=${KEY}`, `WATSONX_PROJECT_ID=${PROJECT}`, `WATSONX_URL=${URL}`),
    values: good,
  },
  {
    name: 'the alias set with the alternative key name',
    file: lines(`WATSONX_APIKEY=${KEY}`, `WATSONX_PROJECT_ID=${PROJECT}`, `WATSONX_URL=${URL}`),
    values: good,
  },
  {
    name: 'both names of the key with the same value',
    file: lines(
      `WATSONX_APIKEY=${KEY}`,
      `WATSONX_API_KEY=${KEY}`,
      `WATSONX_PROJECT_ID=${PROJECT}`,
      `WATSONX_URL=${URL}`,
    ),
    values: good,
  },
  {
    name: 'both names of the key with different values',
    file: lines(
      `WATSONX_APIKEY=${KEY}`,
      'WATSONX_API_KEY=another-key',
      `WATSONX_PROJECT_ID=${PROJECT}`,
      `WATSONX_URL=${URL}`,
    ),
    issues: [[2, 'duplicate', 'WATSONX_API_KEY']],
  },
  {
    name: 'the neutral set',
    file: lines(`VENDOR_API_KEY=${KEY}`, `VENDOR_PROJECT_ID=${PROJECT}`, `VENDOR_URL=${URL}`),
    values: good,
  },
  {
    name: 'two complete sets, the last of which takes precedence',
    file: lines(
      ...[
        'VENDOR_API_KEY=another-key',
        'VENDOR_PROJECT_ID=other',
        'VENDOR_URL=https://other.example',
      ],
      ...[key, project, url],
    ),
    values: good,
    issues: [[3, 'unknown-region', 'https://other.example']],
  },
  {
    name: 'an error in the first set, none in the second',
    file: lines(
      ...[`IBM_API_KEY="${KEY}"`, 'IBM_PROJECT_ID=other', url],
      ...[`WATSONX_API_KEY=${KEY}`, `WATSONX_PROJECT_ID=${PROJECT}`, `WATSONX_URL=${URL}`],
    ),
    values: good,
    issues: [[1, 'quotes']],
  },
  {
    name: 'an error in a set of the service, none in the neutral set',
    file: lines(
      ...[`IBM_API_KEY="${KEY}`, project, url],
      ...[`VENDOR_API_KEY=${KEY}`, `VENDOR_PROJECT_ID=${PROJECT}`, `VENDOR_URL=${URL}`],
    ),
    issues: [[1, 'quotes']],
  },
  {
    name: 'an error in a single value of the service, none in the neutral set',
    file: lines(
      'WATSONX_URL=eu-de',
      ...[`VENDOR_API_KEY=${KEY}`, `VENDOR_PROJECT_ID=${PROJECT}`, `VENDOR_URL=${URL}`],
    ),
    issues: [[1, 'bad-url']],
  },
  {
    name: 'gaps in sets of the service, none in the neutral set',
    file: lines(
      ...['IBM_API_KEY=""', 'IBM_PROJECT_ID=<project-id>', `WATSONX_URL=${URL}`],
      ...[`VENDOR_API_KEY=${KEY}`, `VENDOR_PROJECT_ID=${PROJECT}`, `VENDOR_URL=${URL}`],
    ),
    values: good,
    issues: [
      [1, 'quotes'],
      [1, 'empty'],
      [2, 'placeholder'],
    ],
  },
  {
    name: 'an error in the neutral set, none in a set of the service',
    file: lines(key, project, url, `VENDOR_API_KEY="${KEY}`),
    values: good,
    issues: [[4, 'quotes']],
  },
  {
    name: 'values of two sets, which are never mixed',
    file: lines(key, `WATSONX_PROJECT_ID=${PROJECT}`, `WATSONX_URL=${URL}`),
    missing: ['WATSONX_API_KEY'],
  },
  {
    name: 'one value of each set',
    file: lines(key, `WATSONX_PROJECT_ID=${PROJECT}`, `VENDOR_URL=${URL}`),
    missing: ['IBM_PROJECT_ID', 'IBM_URL'],
  },
  { name: 'no key', file: lines(project, url), missing: ['IBM_API_KEY'] },
  {
    name: 'a misspelled name next to a correct one without a value',
    file: lines('IBM_API_KEY=', `IBM_APIKEY=${KEY}`, project, url),
    missing: ['IBM_API_KEY'],
    issues: [[1, 'empty']],
  },
  { name: 'no project', file: lines(key, url), missing: ['IBM_PROJECT_ID'] },
  { name: 'no URL', file: lines(key, project), missing: ['IBM_URL'] },
  { name: 'only a key', file: lines(key), missing: ['IBM_PROJECT_ID', 'IBM_URL'] },
  { name: 'only a URL', file: lines(url), missing: ['IBM_API_KEY', 'IBM_PROJECT_ID'] },
  {
    name: 'a repeated line',
    file: lines(key, project, key, url, key),
    values: good,
  },
  {
    name: 'different values for the same name',
    file: lines(key, project, 'IBM_API_KEY=another-key', url, key, 'IBM_API_KEY='),
    issues: [
      [3, 'duplicate', 'IBM_API_KEY'],
      [6, 'duplicate', 'IBM_API_KEY'],
      [6, 'empty', 'IBM_API_KEY'],
    ],
  },
  {
    name: 'a repeated line with other issues',
    file: lines(key, project, url, 'export IBM_URL="http://evil.example"'),
    issues: [
      [4, 'duplicate', 'IBM_URL'],
      [4, 'quotes'],
      [4, 'bad-url'],
    ],
  },
];

const values: readonly EnvFileFixture[] = [
  {
    name: 'double quotes',
    file: withKey(`IBM_API_KEY="${KEY}"`),
    issues: [[1, 'quotes', `"${KEY}"`]],
  },
  {
    name: 'single quotes',
    file: withProject(`IBM_PROJECT_ID='${PROJECT}'`),
    issues: [[2, 'quotes']],
  },
  { name: 'backticks', file: withUrl(`IBM_URL=\`${URL}\``), issues: [[3, 'quotes']] },
  { name: 'one quote', file: withKey(`IBM_API_KEY="${KEY}`), issues: [[1, 'quotes']] },
  {
    name: 'nested quotes and spaces',
    file: withKey(`IBM_API_KEY= " '${KEY} ' "`),
    issues: [
      [1, 'whitespace', ` " '${KEY} ' "`],
      [1, 'quotes', `" '${KEY} ' "`],
    ],
  },
  {
    name: 'typographic quotes',
    file: withKey(`IBM_API_KEY=“${KEY}”`),
    issues: [[1, 'non-ascii', `“${KEY}”`]],
  },
  { name: 'a trailing space', file: withKey(`${key} `), issues: [[1, 'whitespace', `${KEY} `]] },
  { name: 'a trailing tab', file: withUrl(`${url}\t`), issues: [[3, 'whitespace']] },
  {
    name: 'a leading space',
    file: withKey(`IBM_API_KEY= ${KEY}`),
    issues: [[1, 'whitespace', ` ${KEY}`]],
  },
  {
    name: 'a space before the equals sign',
    file: withKey(`IBM_API_KEY =${KEY}`),
    issues: [[1, 'whitespace', ` =${KEY}`]],
  },
  {
    name: 'spaces around the equals sign, with export and CRLF',
    file: [key, `export IBM_PROJECT_ID  = ${PROJECT}`, url].join('\r\n'),
    issues: [[2, 'whitespace', `  = ${PROJECT}`]],
  },
  { name: 'a no-break space', file: withKey(`${key}\u00a0`), issues: [[1, 'whitespace']] },
  {
    name: 'a space inside a key',
    file: withKey('IBM_API_KEY=abcd efgh'),
    issues: [[1, 'malformed', 'abcd efgh']],
  },
  {
    name: 'a key as short as a word',
    file: withKey('IBM_API_KEY=test'),
    values: ['test', PROJECT, URL],
  },
  {
    name: 'invalid characters in a project ID',
    file: withProject('IBM_PROJECT_ID=my project!'),
    issues: [[2, 'malformed']],
  },
  { name: 'a Bearer prefix', file: withKey(`IBM_API_KEY=Bearer ${KEY}`), issues: [[1, 'bearer']] },
  {
    name: 'quotes after Bearer, spaces, and a comment',
    file: withKey(`IBM_API_KEY= Bearer "${KEY}"  # the key`),
    issues: [
      [1, 'whitespace', ` Bearer "${KEY}"`],
      [1, 'quotes', `Bearer "${KEY}"`],
      [1, 'bearer', `Bearer "${KEY}"`],
      [1, 'comment', '# the key'],
    ],
  },
  {
    name: 'an invisible character',
    file: withKey(`IBM_API_KEY=ab\u200b${KEY}`),
    issues: [[1, 'control']],
  },
  { name: 'a tab inside', file: withProject(`${project}\tx`), issues: [[2, 'control']] },
  {
    name: 'a right-to-left override in a URL',
    file: withUrl(`${url}\u202e`),
    issues: [[3, 'control']],
  },
  {
    name: 'a non-ASCII letter in a key',
    file: withKey('IBM_API_KEY=clé'),
    issues: [[1, 'non-ascii']],
  },
  {
    name: 'a Cyrillic letter in a project ID',
    file: withProject('IBM_PROJECT_ID=рroject'),
    issues: [[2, 'non-ascii']],
  },
  { name: 'an inline comment', file: withKey(`${key} # mine`), issues: [[1, 'comment', '# mine']] },
  {
    name: 'a comment in place of a value',
    file: withKey('IBM_API_KEY=# mine'),
    missing: ['IBM_API_KEY'],
    issues: [
      [1, 'comment', '# mine'],
      [1, 'empty', 'IBM_API_KEY'],
    ],
  },
  {
    name: 'a number sign in quotes, followed by a comment',
    file: withKey(`IBM_API_KEY="a #b" #c`),
    issues: [
      [1, 'quotes', '"a #b"'],
      [1, 'comment', '#c'],
      [1, 'malformed', '"a #b"'],
    ],
  },
  {
    name: 'no value',
    file: withKey('IBM_API_KEY='),
    missing: ['IBM_API_KEY'],
    issues: [[1, 'empty', 'IBM_API_KEY']],
  },
  {
    name: 'a value of only spaces',
    file: withProject('IBM_PROJECT_ID=  '),
    missing: ['IBM_PROJECT_ID'],
    issues: [
      [2, 'whitespace', '  '],
      [2, 'empty', 'IBM_PROJECT_ID'],
    ],
  },
  {
    name: 'empty quotes with the alternative key name',
    file: lines('WATSONX_APIKEY=""', `WATSONX_PROJECT_ID=${PROJECT}`, `WATSONX_URL=${URL}`),
    missing: ['WATSONX_APIKEY'],
    issues: [
      [1, 'quotes'],
      [1, 'empty'],
    ],
  },
  {
    name: 'placeholders',
    file: lines('IBM_API_KEY=<API_KEY>', 'IBM_PROJECT_ID="your-project-id"', 'IBM_URL=changeme'),
    missing: ['IBM_API_KEY', 'IBM_PROJECT_ID', 'IBM_URL'],
    issues: [
      [1, 'placeholder', '<API_KEY>'],
      [2, 'quotes'],
      [2, 'placeholder'],
      [3, 'placeholder'],
    ],
  },
];

const address = (name: string, value: string, ...kinds: IssueKind[]): EnvFileFixture => ({
  name: `a URL: ${name}`,
  file: withUrl(`IBM_URL=${value}`),
  issues: kinds.map((kind) => [3, kind, value]),
});

const urls: readonly EnvFileFixture[] = [
  address('no scheme', 'eu-de.ml.cloud.ibm.com', 'bad-url'),
  address('http', 'http://eu-de.ml.cloud.ibm.com', 'bad-url'),
  address('http to a host that starts with localhost', 'http://localhost.example:8080', 'bad-url'),
  address('a user', 'https://eu-de.ml.cloud.ibm.com@evil.example', 'bad-url'),
  address('a backslash', 'https://eu-de.ml.cloud.ibm.com\\@evil.example', 'bad-url'),
  address('a query', 'https://eu-de.ml.cloud.ibm.com?x=1', 'bad-url'),
  address('dots in the path', 'https://eu-de.ml.cloud.ibm.com/a/../b', 'bad-url'),
  address('an invalid host', 'https://under_score.example', 'bad-url'),
  address('an unexpanded region', 'https://{region}.ml.cloud.ibm.com', 'bad-url'),
  address('an endpoint', `${URL}/ml/v1/text/generation?version=2023-05-29`, 'endpoint-url'),
  address(
    'an endpoint after a prefix, on another host',
    'https://gate.example/p/ml/v1',
    ...(['endpoint-url', 'url-path', 'unknown-region'] as const),
  ),
  { ...address('a path', `${URL}/gateway`, 'url-path'), values: [KEY, PROJECT, `${URL}/gateway`] },
  {
    ...address('a region on the private network', URL.replace('//', '//private.')),
    values: [KEY, PROJECT, URL.replace('//', '//private.')],
  },
  address('a private host with http', 'http://private.eu-de.ml.cloud.ibm.com', 'bad-url'),
  { ...address('a trailing slash', `${URL}/`), values: [KEY, PROJECT, `${URL}/`] },
  {
    ...address('another host', 'https://evil.example', 'unknown-region'),
    values: [KEY, PROJECT, 'https://evil.example'],
  },
  {
    ...address('a region with another port', `${URL}:8443`, 'unknown-region'),
    values: [KEY, PROJECT, `${URL}:8443`],
  },
  {
    ...address(
      'a host that looks like a region',
      'https://eu-dе.ml.cloud.ibm.com',
      'unknown-region',
    ),
    values: [KEY, PROJECT, 'https://eu-dе.ml.cloud.ibm.com'],
  },
  {
    ...address('loopback', 'http://127.0.0.1:8080', 'unknown-region'),
    values: [KEY, PROJECT, 'http://127.0.0.1:8080'],
  },
];

/**
 * Returns a file with the wrong name for the key, and the correct names for the project and the
 * URL.
 */
const misnamed = (name: string): EnvFileFixture => ({
  name: `a name: ${JSON.stringify(name)}`,
  file: withKey(`${name}=${KEY}`),
  missing: ['IBM_API_KEY'],
});

/** Like `misnamed`, but the name differs from the correct one only in case and punctuation. */
const similar = (name: string): EnvFileFixture => ({
  ...misnamed(name),
  issues: [[1, 'similar-name', name]],
});

const unrelated = (...names: string[]): EnvFileFixture => ({
  name: `unrelated names: ${names.join(', ')}`,
  file: lines(...names.map((name) => `${name}=x`)),
});

const names: readonly EnvFileFixture[] = [
  ...['ibm_api_key', 'Ibm_Api_Key', 'IBM-API-KEY', 'IBM.API.KEY', 'IBM_APIKEY'].map(similar),
  ...['IBM__API_KEY', 'IBM_\u200bAPI_KEY'].map(similar),
  ...['IBM_API_KYE', 'IBM_API_KE', 'IBM_AIP_KEY', 'IMB_API_KEY', 'IBM_API_KEYS'].map(misnamed),
  ...['IBM_API_KEY_2', 'IBM2_API_KEY', 'IBMAPIKEY', '"IBM_API_KEY"', '//IBM_API_KEY'].map(misnamed),
  ...['WX_API_KEY', 'WATSONX_AI_APIKEY', 'wx-api-key'].map(misnamed),
  {
    name: 'misspelled names of the other settings',
    file: lines(key, `export ibm_projectid = ${PROJECT}`, `IBM_URI=${URL}`),
    missing: ['IBM_PROJECT_ID', 'IBM_URL'],
    issues: [[2, 'similar-name', 'ibm_projectid']],
  },
  {
    name: 'the names of another client',
    file: lines(
      ...[`WATSONX_AI_APIKEY=${KEY}`, `WATSONX_AI_PROJECT_ID=${PROJECT}`],
      ...[`WATSONX_AI_SERVICE_URL=${URL}`, `WATSONX_API_BASE=${URL}`],
    ),
  },
  {
    name: 'misspelled names next to correct ones',
    file: lines(key, project, url, 'ibm_api_key=x', `WX_URL=${URL}`, 'IBM_PROJECTID=x'),
    values: good,
  },
  unrelated('MY_VENDOR_URL', 'OPENAI_API_KEY', 'DB_URL', 'API_KEY', 'PROJECT_ID', 'URL', 'APP_URL'),
  unrelated('IAM_URL', 'IBM_API_KEY_2', 'NEXT_PUBLIC_IBM_URL', 'X_IBM_API_KEY', 'WATSONX_IAM_URL'),
  unrelated(
    'WATSONX_DEPLOYMENT_SPACE_ID',
    'WATSONX_TOKEN',
    'IBM_URL_OF_DOCS',
    'VENDOR_KEY',
    'SENDER_API_KEY',
  ),
  unrelated('WATSON_APIKEY', 'WATSON_API_KEY', 'WATSON_URL', 'IBM_PRODUCT_ID', 'IBM_PRODUCTID'),
  unrelated('X'.repeat(5_000), 'É', '$', '__proto__'),
];

export const envFiles: readonly EnvFileFixture[] = [
  ...shapes,
  ...sets,
  ...values,
  ...urls,
  ...names,
];
