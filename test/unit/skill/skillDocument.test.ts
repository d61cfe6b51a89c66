import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { dialectOf } from '../../../src/service/generation/dialects.ts';
import { mapParameters } from '../../../src/service/generation/requestBody.ts';
import type { Operation } from '../../../src/service/vendors.ts';
import { skillDocument } from '../../../src/skill/skillDocument.ts';
import { recordings } from '../../emulator/recordings.ts';
import { credentials, ibm } from '../service/fixtures.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
}
interface Answer {
  readonly description: string;
  readonly content: {
    readonly 'application/json': { readonly schema: Schema; readonly example?: unknown };
  };
}
interface Post {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody: Pick<Answer, 'content'>;
  readonly responses: Readonly<Record<string, Answer>>;
}
interface OpenApi {
  readonly openapi: string;
  readonly info: Readonly<Record<string, string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, { readonly post: Post }>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
}

const modelId = 'ibm/granite-4-h-small';
const parameters = {
  max_new_tokens: 200,
  temperature: 0.5,
  stop_sequences: ['END'],
  length_penalty: { decay_factor: 2 },
  top_k: null,
};
const { skill, way } = ibm;
assert.ok(skill && way.kind === 'apiKeyGrant');
const dialect = dialectOf(ibm);
const tokenUrl = credentials.authUrl + way.path;
const documentOf = (operation: Operation) =>
  skillDocument({
    ...skill,
    serviceUrl: credentials.serviceUrl,
    endpoint: dialect.url(operation, credentials),
    tokenUrl,
    operation,
    modelFields: dialect.modelFields(modelId, credentials),
    fields: mapParameters(operation, parameters, dialect.chatParameters).fields,
  }) as unknown as OpenApi;
const postOf = (operation: Operation) => {
  const [[path, item] = []] = Object.entries(documentOf(operation).paths);
  assert.ok(path && item);
  return { path, ...item.post };
};
const requestOf = (operation: Operation) =>
  postOf(operation).requestBody.content['application/json'].schema;

/** The answers of the service that the emulator is true to. */
const recorded = { chat: 'chat ok', generation: 'generation ok' };

/** Names of fields that a schema asks for, or describes where `all`, as paths. */
function fieldsOf({ properties = {}, items, required = [] }: Schema, all: boolean): string[] {
  if (items) return fieldsOf(items, all).map((path) => `0.${path}`);
  const names = Object.keys(properties).filter((name) => all || required.includes(name));
  return names.flatMap((name) => [
    name,
    ...fieldsOf(properties[name] ?? {}, all).map((path) => `${name}.${path}`),
  ]);
}

function has(value: unknown, path: string): boolean {
  let at: unknown = value;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !(name in at)) return false;
    at = Reflect.get(at, name);
  }
  return true;
}

describe('the document of a skill', () => {
  for (const operation of ['chat', 'generation'] as const) {
    describe(`of ${operation}`, () => {
      const recording = recordings.find(({ name }) => name === recorded[operation]);
      assert.ok(recording);

      it('is OpenAPI 3.0.3, all of its references included', async () => {
        const validator = new Validator();
        const { valid, errors } = await validator.validate({ ...documentOf(operation) });
        assert.ok(valid, JSON.stringify(errors));
        assert.equal(documentOf(operation).openapi, '3.0.3');
        assert.doesNotMatch(JSON.stringify(validator.resolveRefs()), /"\$ref"/);
      });

      it('is noticed where it is none', async () => {
        const spoilt = { ...documentOf(operation), paths: { 'no-slash': {} } };
        const { valid, errors } = await new Validator().validate(spoilt);
        assert.equal(valid, false);
        assert.match(JSON.stringify(errors), /no-slash/);
      });

      it('asks for what a request of ours holds, where we send it', () => {
        const { path, parameters: query } = postOf(operation);
        assert.equal(path, recording.request.path);
        assert.deepEqual(
          query.map(({ name }) => name),
          ['version'],
        );
        assert.deepEqual(query[0]?.schema.enum, [recording.request.query?.['version']]);
        const { json } = recording.request;
        const missing = fieldsOf(requestOf(operation), false).filter((field) => !has(json, field));
        assert.deepEqual(missing, []);
      });

      it('describes nothing of an answer that the service does not say', () => {
        const schema = postOf(operation).responses['200']?.content['application/json'].schema;
        assert.ok(schema);
        const fields = fieldsOf(schema, true);
        assert.ok(fields.length >= 3);
        assert.deepEqual(
          fields.filter((field) => !has(recording.response.json, field)),
          [],
        );
      });

      it('has model and project filled in, and one server', () => {
        const { properties } = requestOf(operation);
        for (const [name, value] of [
          ['model_id', modelId],
          ['project_id', credentials.projectId],
        ] as const) {
          assert.deepEqual(properties?.[name]?.enum, [value]);
          assert.equal(properties?.[name]?.default, value);
        }
        assert.deepEqual(documentOf(operation).servers, [{ url: credentials.serviceUrl }]);
      });

      it('says what each error answer means, and shows the one of a token that has expired', () => {
        const { responses } = postOf(operation);
        const statuses = Object.keys(responses);
        assert.deepEqual(
          statuses,
          [200, 400, 401, 403, 404, 429, 500, 501, 502, 503, 504].map(String),
        );
        for (const { description } of Object.values(responses)) assert.match(description, /\.$/);
        const expired = recordings.find(({ name }) => name === '401 token expired');
        const example = responses['401']?.content['application/json'].example;
        assert.ok(expired);
        const [{ code, message }] = (expired.response.json as Errors).errors;
        assert.deepEqual((example as Errors).errors, [{ code, message }]);
      });

      it('has the parameters that are set, as a caller may change them', () => {
        const { properties = {} } = requestOf(operation);
        const set = operation === 'chat' ? properties : properties['parameters']?.properties;
        const names =
          operation === 'chat'
            ? ['max_completion_tokens', 'temperature', 'stop', 'length_penalty']
            : ['max_new_tokens', 'temperature', 'stop_sequences', 'length_penalty'];
        assert.deepEqual(
          names.map((name) => set?.[name]?.default),
          [200, 0.5, ['END'], { decay_factor: 2 }],
        );
        assert.equal(set?.['top_k'], undefined);
      });

      it('G15: holds neither key nor token, and no line break in a description', () => {
        const text = JSON.stringify(documentOf(operation));
        assert.doesNotMatch(text, /key-of-the-unit-tests|token-of-the-unit-tests/);
        assert.doesNotMatch(text, /\\[nrt]/);
      });

      it('has what the maker of the service reads', () => {
        const { info, components, security } = documentOf(operation);
        assert.deepEqual(
          Object.keys(info).filter((name) => name.startsWith('x-')),
          Object.keys(skill.info),
        );
        assert.match(postOf(operation).operationId, /^[a-z]+(_[a-z]+)*$/);
        assert.deepEqual(security, [{ bearerAuth: [] }, { keyExchange: [] }]);
        assert.deepEqual(Object.keys(components.securitySchemes), ['bearerAuth', 'keyExchange']);
        const exchange = JSON.stringify(components.securitySchemes['keyExchange']);
        assert.ok(exchange.includes(`"tokenUrl":"${tokenUrl}"`));
        assert.ok(exchange.includes(`"grantType":"${way.grantType}"`));
      });
    });
  }
});

interface Errors {
  readonly errors: readonly [{ readonly code: string; readonly message: string }];
}
