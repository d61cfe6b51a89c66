import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv, { type ValidateFunction } from 'ajv-draft-04';
import { PARAMETER_RANGES, type ParameterRange } from '../../../src/service/api/parameterRanges.ts';
import { DEFAULT_NEW_TOKENS } from '../../../src/service/api/parameters.ts';
import { watsonx } from '../../../src/service/api/watsonx.ts';
import { authMethodOf } from '../../../src/service/auth/authMethods.ts';
import { redact } from '../../../src/service/masking.ts';
import { recording, recordings } from '../../emulator/recordings.ts';
import { endWorlds, ibm, pathOf, startWorld } from './world.ts';

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly default?: unknown;
}
interface Content {
  readonly 'application/json': { readonly schema: Schema; readonly example?: unknown };
}
interface Post {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}
interface OpenApi {
  readonly openapi: string;
  readonly info: Readonly<Record<string, string>>;
  readonly servers: readonly [
    {
      readonly url: string;
      readonly variables: Readonly<
        Record<'region' | 'version', { readonly enum: readonly string[]; readonly default: string }>
      >;
    },
  ];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, { readonly post: Post }>>;
  readonly components: {
    readonly securitySchemes: { readonly keyExchange: { readonly flows: object } };
  };
}

const text = readFileSync('docs/skill.openapi.json', 'utf8');
const document: OpenApi = JSON.parse(text);
const operations = ['chat', 'generation'] as const;
const recorded = { chat: recording('chat ok'), generation: recording('generation ok') };

const [server] = document.servers;
/** The server's path, which comes before each operation's path. */
const serverPath = new URL(server.url.replace('{region}', 'region')).pathname;
const pathsSent = Object.keys(document.paths).map(
  (path) => decodeURI(serverPath).replace('{version}', server.variables.version.default) + path,
);

/** The OpenAPI document with its references resolved. */
let resolved: OpenApi;
const postOf = (operation: (typeof operations)[number]): Post => {
  const path = Object.keys(resolved.paths)[pathsSent.indexOf(pathOf(operation, false))];
  const post = resolved.paths[path ?? '']?.post;
  assert.ok(post);
  return post;
};
const jsonOf = ({ content }: { readonly content?: Content }) => {
  assert.ok(content);
  return content['application/json'];
};

const ajv = new Ajv.default({ strict: true, allErrors: true });
const assertValid = (schema: Schema, value: unknown) => {
  const validate: ValidateFunction = ajv.compile(schema);
  assert.ok(validate(value), JSON.stringify(validate.errors));
};

/** Returns the paths of the fields that a schema describes. */
function describedBy({ properties = {}, items }: Schema): string[] {
  if (items) return describedBy(items).map((path) => `0.${path}`);
  return Object.entries(properties).flatMap(([name, schema]) => [
    name,
    ...describedBy(schema).map((path) => `${name}.${path}`),
  ]);
}

/**
 * Returns the paths of a value's fields. For a list, includes only the fields of the first element.
 */
function fieldsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return fieldsIn(value[0]).map((path) => `0.${path}`);
  return Object.entries(value).flatMap(([name, field]) => [
    name,
    ...fieldsIn(field).map((path) => `${name}.${path}`),
  ]);
}

/** Returns a copy of a value with only the fields that the schema describes. */
function described({ properties, items }: Schema, value: unknown): unknown {
  if (items && Array.isArray(value)) return value.map((item) => described(items, item));
  if (!properties) return value;
  const fields = Object.entries(Object(value)).filter(([name]) => properties[name]);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, described(properties[name] ?? {}, field)]),
  );
}

/** Returns the OpenAPI 3.0 schema for a parameter's range. */
function schemaOf(range: ParameterRange): object {
  switch (range.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'string', enum: range.choices };
    case 'texts':
      return { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: range.most };
    case 'object': {
      const fields = [...range.fields].map(([name, field]) => [name, schemaOf(field)]);
      return { type: 'object', properties: Object.fromEntries(fields) };
    }
    default:
      return {
        type: range.type,
        ...(range.least !== undefined && { minimum: range.least }),
        ...(range.above !== undefined && { minimum: range.above, exclusiveMinimum: true }),
        ...(range.most !== undefined && { maximum: range.most }),
      };
  }
}

/** Parameters that are valid for both operations, named as in the settings. */
const parameters = {
  decoding_method: 'sample',
  max_new_tokens: 20,
  temperature: 0.5,
  top_p: 0.5,
  repetition_penalty: 1.1,
  random_seed: 7,
  stop_sequences: ['END'],
  time_limit: 55_000,
};

describe('docs/skill.openapi.json', () => {
  before(async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(text));
    assert.ok(valid, JSON.stringify(errors));
    resolved = validator.resolveRefs() as unknown as OpenApi;
  });
  afterEach(endWorlds);

  it('is an OpenAPI 3.0.3 document in which every reference resolves', () => {
    assert.equal(document.openapi, '3.0.3');
    assert.doesNotMatch(JSON.stringify(resolved), /"\$ref"/);
  });

  it("fails validation if a path doesn't begin with a slash", async () => {
    const invalid = { ...JSON.parse(text), paths: { 'no-slash': {} } };
    const { valid, errors } = await new Validator().validate(invalid);
    assert.equal(valid, false);
    assert.match(JSON.stringify(errors), /no-slash/);
  });

  it("lists each of the service's regions as a server", () => {
    const { url, variables } = server;
    const hosts = variables.region.enum.map((region) => new URL(url.replace('{region}', region)));
    assert.deepEqual(
      hosts.map(({ origin }) => origin),
      ibm.regions.map((region) => region.url),
    );
  });

  it('describes a bearer token and the API key exchange', () => {
    assert.deepEqual(document.security, [{ bearerAuth: [] }, { keyExchange: [] }]);
    assert.ok(ibm.authentication.kind === 'apiKeyGrant');
    assert.deepEqual(document.components.securitySchemes.keyExchange.flows, {
      'x-apikey': {
        tokenUrl: ibm.authUrl + authMethodOf(ibm).exchange?.path,
        grantType: ibm.authentication.grantType,
        secretKeys: ['apikey'],
        paramKeys: [],
        scopes: {},
      },
    });
  });

  it('has the `x-ibm-` fields that watsonx Orchestrate reads', () => {
    const own = Object.entries(document.info).filter(([name]) => name.startsWith('x-'));
    assert.deepEqual(Object.fromEntries(own), {
      'x-ibm-application-id': 'hosted-model',
      'x-ibm-application-name': 'Hosted Model',
      'x-ibm-skill-type': 'imported',
      'x-ibm-skill-subtype': 'public',
    });
    for (const operation of operations) {
      assert.match(postOf(operation).operationId, /^[a-z]+(_[a-z]+)*$/);
    }
  });

  it("G15: doesn't contain keys, tokens, or strings with line breaks", () => {
    assert.equal(redact(text), text);
    assert.doesNotMatch(text, /eyJ|Bearer [A-Za-z0-9]|\\[nrt]/);
  });

  it('describes only the non-streaming variants of the two operations that the extension uses', () => {
    assert.deepEqual(
      pathsSent,
      operations.map((operation) => pathOf(operation, false)),
    );
  });

  for (const operation of operations) {
    describe(`for ${operation}`, () => {
      it('describes the request that the extension sends', async () => {
        const world = await startWorld({ operation });
        await world.generate({}, parameters);
        const path = pathOf(operation, false);
        const sent = world.emulator.requests.find((request) => request.path === path);
        assert.ok(sent);
        assert.equal(sent.method, 'POST');
        const { parameters: query, requestBody } = postOf(operation);
        assert.deepEqual(
          query.map(({ name, schema }) => [name, schema.default]),
          [...sent.query],
        );
        const { schema } = jsonOf(requestBody);
        assertValid(schema, sent.json);
        assert.deepEqual(described(schema, sent.json), sent.json, 'nothing else is sent');
      });

      it('describes every parameter with the range that the extension allows', () => {
        const { model_id, project_id, messages, input, parameters, ...fields } =
          jsonOf(postOf(operation).requestBody).schema.properties ?? {};
        assert.equal(model_id?.default, ibm.defaultModelId);
        const ranges = [...PARAMETER_RANGES[operation]];
        const expected = ranges.flatMap(([name, range]) => {
          const sent = operation === 'chat' ? watsonx.chatParameters.get(name) : name;
          return sent ? [[sent, schemaOf(range)]] : [];
        });
        const given = operation === 'chat' ? fields : (parameters?.properties ?? {});
        const newTokens = operation === 'chat' ? 'max_completion_tokens' : 'max_new_tokens';
        assert.equal(given[newTokens]?.default, DEFAULT_NEW_TOKENS);
        const found = Object.entries(given).map(
          ([name, { description, default: _, ...schema }]) => {
            assert.match(description ?? '', /\.$/, name);
            return [name, schema];
          },
        );
        assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
      });

      it('describes every field that the extension reads, and only fields that the service sends', async () => {
        const { json } = recorded[operation].response;
        const { schema } = jsonOf(postOf(operation).responses['200'] ?? {});
        assertValid(schema, json);
        const fields = new Set(fieldsIn(json));
        assert.deepEqual(
          describedBy(schema).filter((field) => !fields.has(field)),
          [],
        );
        const world = await startWorld({ operation });
        world.emulator.faults.next(pathOf(operation, false), { json });
        world.emulator.faults.next(pathOf(operation, false), { json: described(schema, json) });
        const { warnings: _, ...read } = await world.generate();
        const { warnings: none, ...readAgain } = await world.generate();
        assert.ok(read.text && read.usage.inputTokens && read.usage.outputTokens);
        assert.deepEqual(readAgain, read);
      });

      it('describes the body of every recorded error response', () => {
        const path = pathOf(operation, false);
        const failures = recordings.filter(
          ({ request, response }) => request.path === path && response.status >= 400,
        );
        assert.ok(failures.length >= 4);
        for (const { name, response } of failures) {
          const documented = postOf(operation).responses[response.status];
          assert.ok(documented, name);
          if (!response.json) {
            assert.equal(documented.content, undefined, name);
            continue;
          }
          const { schema } = jsonOf(documented);
          assertValid(schema, response.json);
          assert.deepEqual(described(schema, response.json), response.json, name);
        }
      });

      it('describes the statuses that the extension distinguishes, and the response to an expired token', async () => {
        const { responses } = postOf(operation);
        assert.deepEqual(
          Object.keys(responses),
          [200, 400, 401, 403, 404, 429, 500, 501, 502, 503, 504].map(String),
        );
        for (const { description } of Object.values(responses)) assert.match(description, /\.$/);
        const expired = { chat: 'chat: 401 token expired', generation: '401 token expired' };
        const { example } = jsonOf(responses['401'] ?? {});
        assert.deepEqual(example, recording(expired[operation]).response.json);
        const world = await startWorld({ operation });
        world.emulator.faults.always(pathOf(operation, false), { status: 401, json: example });
        await assert.rejects(world.generate(), { kind: 'unauthorized' });
      });

      it('marks the operation as deprecated if and only if the service does', () => {
        const body = JSON.stringify(recorded[operation].response.json);
        assert.equal(postOf(operation).deprecated ?? false, body.includes('api_legacy'));
      });
    });
  }
});
