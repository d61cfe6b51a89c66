import type { Operation } from '../service/vendors.ts';

/**
 * Every sentence about skills: those in the document that is exported, for whoever builds a skill of
 * it, and those about pasted error details. Our own words only; nothing that was pasted. Pure. Those
 * in the document are one line each, since products take no line break in a description.
 */

/** What the document says of itself and of its parts. */
export const DOCUMENT = {
  title: 'Hosted Model',
  description:
    'Asks a hosted model for text. Each call needs a bearer token, which ends after an hour at most.',
  version: 'The version of the service that this document describes.',
  model: 'The model that generates the text.',
  project: 'The project that calls are billed to.',
  messages: 'The conversation so far, the oldest message first. One message of the user is enough.',
  input: 'The prompt that the text is generated from.',
  answer: 'The generated text, and why it ended.',
  bearer:
    'A bearer token that is pasted in. Nothing renews it: every call fails once it has ended, an hour later at most.',
  keyExchange:
    'An API key that is traded for tokens at the token URL. A token that has ended is replaced by itself.',
} as const;

const USE = 'Use it to write, summarise, translate or explain text.';

/** Name, title and description: what products call a skill by, and agents and people choose it by. */
export const SKILLS: Readonly<Record<Operation, readonly string[]>> = {
  chat: [
    'ask_hosted_model',
    'Ask the model',
    `Answers what messages ask of a hosted model. ${USE}`,
  ],
  generation: ['generate_text', 'Generate text', `Generates what follows a prompt. ${USE}`],
};

/** What an error answer means, by the statuses it comes with. */
export const ERROR_ANSWERS: readonly (readonly [text: string, statuses: readonly number[]])[] = [
  ['A field is missing or out of its range, or the text is too long for the model.', [400]],
  ['The bearer token is missing, not accepted or, as in the example, expired: renew it.', [401]],
  ['The account has no rights in the project, or no runtime, or its quota is used up.', [403]],
  ['The service does not know the model or the project.', [404]],
  ['Too many requests. Wait before the next one.', [429]],
  ['The service failed for now. Try again later.', [500, 501, 502, 503, 504]],
];

export const EXPORT_TEXTS = {
  title: 'Export as Skill',
  unsupported: (name: string) =>
    `Hosted Model knows no product that makes a skill of ${name}. Nothing was written.`,
  /** @param what "a project ID and a service URL" */
  missing: (what: string) => `Hosted Model needs ${what} for a skill. Nothing was written.`,
  holdsSecret:
    'Hosted Model: nothing was written, since a key or a token stands where a project, a model, an address or a parameter belongs. Check the settings.',
  notWritten:
    'Hosted Model: the skill could not be written. Most likely the folder or the file is read-only. Choose another place.',
  done: (host: string) =>
    `the skill calls ${host}. It holds no key and no token. Import it into the orchestration product, and give its connection an API key to exchange: a pasted bearer token lasts an hour at most.`,
} as const;

export const EXPLAIN_TEXTS = {
  title: 'Explain Error Details',
  prompt:
    'Paste the error details that an orchestration product or another client of the service shows. They are read here, and sent to nobody.',
  placeHolder: 'Status, code and message, as JSON or text',
  exportSkill: 'Export as Skill…',
  /** @param text what would be said if a request of our own had failed so */
  known: (text: string) => `${text} In another client, do the same there.`,
  unauthorized:
    'a 401 that says no more has five causes: no .env file in the root of the folder, blanks or quotes around a value, an expired API key, a wrong project ID, or an expired bearer token. Check them in this order.',
  unknown:
    'nothing known is in these error details. Paste all of them: the status, such as 401, and the answer of the service with its code and message help most.',
} as const;

/** Of a 401 by its code. Ours is renewed before anybody hears of it: these are about a pasted token. */
export const TOKEN_TEXTS: Readonly<Record<string, string>> = {
  authentication_token_expired:
    'the bearer token has expired. A connection that holds a pasted one has nothing to renew it with, and fails every hour. Two kinds renew themselves: OAuth 2.0 with a token URL and client credentials, and one that exchanges an API key, as an exported skill offers.',
  authentication_token_not_valid:
    'the bearer token was not accepted. Most likely a part of it is missing, or it is of another account or region than the service URL. Paste it again, or let the connection exchange an API key.',
  authentication_no_token:
    'the request had no bearer token. Most likely the connection holds none, or a gateway in between takes it out. Check the connection.',
};
