import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Ajv from 'ajv-draft-04';
import { readServices } from '../../src/service/addedServices.ts';
import { APIS } from '../../src/service/apiCapabilities.ts';
import { AUTH_INPUTS } from '../../src/service/authInputs.ts';
import { settingsIn } from '../settingsIn.ts';
import { AUTH_FIELDS } from './service/authFields.ts';

/**
 * Tests the schema of `hostedModel.services`, which VS Code uses to complete entries and underline
 * errors.
 */

const MOST_WORDS = 20;

interface Schema {
  readonly type?: unknown;
  readonly items: Schema;
  readonly enum: readonly string[];
  readonly enumDescriptions: readonly string[];
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly defaultSnippets: readonly { readonly label: string; readonly body: object }[];
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { items: schema } = settingsIn<Schema>(manifest)['hostedModel.services'] as Schema;
// Not strict, because the schema also has fields that only VS Code reads.
const isValid = new Ajv.default({ strict: false, validateFormats: false }).compile(schema);

const entry = { word: 'acme', api: 'openai', defaultModel: 'm' };
const apiKey = { kind: 'apiKey' };
const ofCommand = (command: unknown) => ({ authentication: { kind: 'command', command } });
const withHeaders = (headers: unknown) => ({ authentication: apiKey, headers });

describe('the schema of added services', () => {
  const rows: readonly (readonly [what: string, changes: object])[] = [
    ['an address', { authentication: apiKey, url: 'https://llm.acme.example/v1' }],
    ['an unencrypted address', { authentication: apiKey, url: 'http://llm.acme.example/v1' }],
    ['an address in capitals', { authentication: apiKey, url: 'HTTPS://LLM.ACME.EXAMPLE/v1' }],
    ['a service without a key', { authentication: { kind: 'none' } }],
    ['a command', ofCommand(['print-token', '--json', ''])],
    ['50 arguments', ofCommand(Array.from({ length: 50 }, () => 'a'))],
    ['a long argument', ofCommand(['a'.repeat(1_000)])],
    ['headers', withHeaders({ 'X-Team': 'search and find', 'x-b': { secret: 'Schlüssel 2' } })],
    [
      'a secret with a label of 64 characters',
      withHeaders({ 'X-Team': { secret: 'x'.repeat(64) } }),
    ],
    ['20 headers', withHeaders(headersOfCount(20))],
    ['a header value of 1,024 characters', withHeaders({ 'X-Team': 'x'.repeat(1_024) })],
    ...Object.entries(AUTH_FIELDS).map(
      ([kind, fields]) =>
        [`all fields of ${kind}`, { authentication: { kind, ...fields } }] as const,
    ),
  ];
  for (const [what, changes] of rows) {
    it(`allows ${what}, as readServices does`, () => {
      assert.deepEqual(accepted({ ...entry, ...changes }), { schema: true, reader: true });
    });
  }

  const wrongRows: readonly (readonly [what: string, changes: object])[] = [
    [
      'an address with an unsupported scheme',
      { authentication: apiKey, url: 'ftp://llm.acme.example' },
    ],
    ['an unknown authentication method', { authentication: { kind: 'other' } }],
    ['an empty command', ofCommand([])],
    ['a command line', ofCommand('print-token --json')],
    ['51 arguments', ofCommand(Array.from({ length: 51 }, () => 'a'))],
    ['an argument that is too long', ofCommand(['a'.repeat(1_001)])],
    ['a number as an argument', ofCommand(['a', 1])],
    ['a list of headers', withHeaders(['X-Team'])],
    ['21 headers', withHeaders(headersOfCount(21))],
    ['a header name with a space', withHeaders({ 'X Team': 'a' })],
    ['an empty header value', withHeaders({ 'X-Team': '' })],
    ['a header value with a line break', withHeaders({ 'X-Team': 'a\r\nX-Other: b' })],
    ['a header value with an umlaut', withHeaders({ 'X-Team': 'Süd' })],
    ['a header value of 1,025 characters', withHeaders({ 'X-Team': 'x'.repeat(1_025) })],
    ['a number as a header value', withHeaders({ 'X-Team': 1 })],
    ['a secret header without a label', withHeaders({ 'X-Team': {} })],
    [
      'a secret with a label of 65 characters',
      withHeaders({ 'X-Team': { secret: 'x'.repeat(65) } }),
    ],
    ['markup in the label of a secret', withHeaders({ 'X-Team': { secret: '[x](y)' } })],
  ];
  for (const [what, changes] of wrongRows) {
    it(`rejects ${what}, as readServices does`, () => {
      assert.deepEqual(accepted({ ...entry, ...changes }), { schema: false, reader: false });
    });
  }

  it('lists every authentication method and API', () => {
    const { kind } = schema.properties['authentication']?.properties ?? {};
    const { api } = schema.properties;
    for (const [field, known] of [
      [kind, AUTH_INPUTS],
      [api, APIS],
    ] as const) {
      assert.deepEqual([...(field?.enum ?? [])].sort(), Object.keys(known).sort());
      assert.equal(field?.enumDescriptions.length, field?.enum.length);
    }
  });

  it('has a description of `tokenUrl` that lists each authentication method that needs it', () => {
    const { description = '' } = schema.properties['authentication']?.properties['tokenUrl'] ?? {};
    for (const [kind, { hasAddress }] of Object.entries(AUTH_INPUTS)) {
      if (hasAddress) assert.ok(description.includes(kind), `add ${kind} to: ${description}`);
    }
  });

  it('has valid snippets for four authentication methods', () => {
    const bodies = schema.defaultSnippets.map(({ body }) =>
      JSON.parse(JSON.stringify(body).replaceAll(/\$\{\d+:([^}]*)\}/g, '$1')),
    );
    for (const body of bodies) {
      assert.deepEqual(accepted(body), { schema: true, reader: true }, JSON.stringify(body));
    }
    const kinds = bodies.map(({ authentication }) => authentication.kind);
    assert.deepEqual(kinds, ['clientCredentials', 'apiKey', 'command', 'none']);
  });

  it('allows all entries in docs/services.md', () => {
    const page = readFileSync('docs/services.md', 'utf8');
    const blocks = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) =>
      JSON.parse(`{${json}}`),
    );
    const entries = blocks.flatMap((settings) => settings['hostedModel.services'] ?? []);
    assert.ok(entries.length > 5);
    for (const one of entries) {
      assert.deepEqual(accepted(one), { schema: true, reader: true }, one.word);
    }
  });

  it(`describes each field in at most ${MOST_WORDS} words`, () => {
    const texts = [...JSON.stringify(schema).matchAll(/"description":("(?:[^"\\]|\\.)*")/g)];
    assert.ok(texts.length > 15);
    for (const [, json = ''] of texts) {
      const text: string = JSON.parse(json);
      const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      assert.ok(words.length <= MOST_WORDS, `${words.length}: ${text}`);
    }
  });
});

function accepted(value: unknown) {
  return { schema: isValid(value), reader: readServices([value]).issues.length === 0 };
}

function headersOfCount(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'a']));
}
