import type { SkillTarget } from '../credentials/sourceView.ts';
import { TOKEN_EXPIRED } from '../service/errors.ts';
import type { Operation, SkillFormat } from '../service/vendors.ts';
import type { Settings } from '../settings.ts';
import { DOCUMENT, ERROR_ANSWERS, SKILLS } from './skillMessages.ts';

/** The OpenAPI document of the operation in use, for products that make a skill of it. Pure. */

/** What the document describes; no key and no token is among it. */
export interface Skill
  extends Pick<SkillTarget, 'serviceUrl'>,
    Pick<Settings, 'operation'>,
    SkillFormat {
  /** Where the operation is asked for, with its query. */
  readonly endpoint: string;
  /** Where a key is traded for a token. */
  readonly tokenUrl: string;
  /** The fields that name the model, and what calls are billed to. */
  readonly modelFields: Readonly<Record<string, unknown>>;
  /** The parameters by the names that the operation has for them. */
  readonly fields: Readonly<Record<string, unknown>>;
}

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const list = (items: Schema): Schema => ({ type: 'array', items });
const object = (properties: Schema, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
});
const json = (schema: Schema, more: Schema = {}) => ({
  content: { 'application/json': { schema, ...more } },
});
/** A value that nobody has to give, and nobody can change. */
const fixed = (value: string, description: string): Schema => ({
  ...TEXT,
  description,
  enum: [value],
  default: value,
});

/** As OpenAPI 3.0.3, the newest version that such products import. */
export function skillDocument(skill: Skill): Schema {
  const { serviceUrl, tokenUrl, operation, info, keyExchange } = skill;
  const endpoint = new URL(skill.endpoint);
  const path = endpoint.href.slice(serviceUrl.length).replace(/\?.*/, '');
  const { title, description } = DOCUMENT;
  const [operationId, summary, use] = SKILLS[operation];
  const version = fixed(endpoint.searchParams.get('version') ?? '', DOCUMENT.version);
  const post = {
    ...{ operationId, summary, description: use },
    parameters: [{ name: 'version', in: 'query', required: true, schema: version }],
    requestBody: { required: true, ...json(requestSchema(skill)) },
    responses: {
      200: { description: DOCUMENT.answer, ...json(ANSWERS[operation]) },
      ...errorAnswers(),
    },
  };
  const flows = { [keyExchange.flow]: { tokenUrl, ...keyExchange.fields, scopes: {} } };
  return {
    openapi: '3.0.3',
    info: { title, description, version: '1.0.0', ...info },
    servers: [{ url: serviceUrl }],
    // One of the two is enough; a product offers those it knows.
    security: [{ bearerAuth: [] }, { keyExchange: [] }],
    paths: { [path]: { post } },
    components: {
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer', description: DOCUMENT.bearer },
        keyExchange: { type: 'oauth2', flows, description: DOCUMENT.keyExchange },
      },
      schemas: { Errors: object({ errors: list(object({ code: TEXT, message: TEXT })) }) },
    },
  };
}

/** What a caller sends: the words are theirs, all else is filled in from the settings. */
function requestSchema({ operation, modelFields, fields }: Skill): Schema {
  const names = Object.entries(modelFields).map(([name, value]) => {
    const text = name.startsWith('model') ? DOCUMENT.model : DOCUMENT.project;
    return [name, fixed(String(value), text)] as const;
  });
  const chosen = Object.fromEntries(names);
  const presets = Object.entries(fields).map(([name, value]) => [name, preset(value)]);
  const parameters: Schema = Object.fromEntries(presets);
  const required = Object.keys(chosen);
  if (operation === 'chat') {
    return object({ ...chosen, messages: MESSAGES, ...parameters }, [...required, 'messages']);
  }
  const input = { ...TEXT, description: DOCUMENT.input };
  const given: Schema = { type: 'object', properties: parameters, default: fields };
  return object({ ...chosen, input, parameters: given });
}

/** A value that stands there until a caller changes it. A list is one of texts, where it is empty. */
function preset(value: unknown): Schema {
  const isList = Array.isArray(value);
  const schema = isList ? list({ type: typeof (value[0] ?? '') }) : { type: typeof value };
  return { ...schema, default: value };
}

const ROLE: Schema = { ...TEXT, enum: ['system', 'user', 'assistant'], default: 'user' };
const MESSAGES: Schema = {
  ...list(object({ role: ROLE, content: TEXT })),
  minItems: 1,
  description: DOCUMENT.messages,
};

/** What `answerReader.ts` reads of a whole answer. */
const ANSWERS: Readonly<Record<Operation, Schema>> = {
  chat: object({
    choices: list(object({ message: object({ content: TEXT }), finish_reason: TEXT })),
  }),
  generation: object({ results: list(object({ generated_text: TEXT, stop_reason: TEXT })) }),
};

/** As the service answers it. */
const EXPIRED_MESSAGE = 'Failed to authenticate the request due to an expired token';
const EXPIRED = { errors: [{ code: TOKEN_EXPIRED, message: EXPIRED_MESSAGE }] };

function errorAnswers(): Schema {
  const schema = { $ref: '#/components/schemas/Errors' };
  const answers = ERROR_ANSWERS.flatMap(([description, statuses]) =>
    statuses.map((status) => {
      const example = status === 401 ? { example: EXPIRED } : {};
      return [status, { description, ...json(schema, example) }] as const;
    }),
  );
  return Object.fromEntries(answers);
}
