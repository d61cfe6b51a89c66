import { serviceEntries } from '../../config/configuration.ts';
import {
  RESERVED_WORDS,
  readServices,
  type ServiceIssue,
  wordOf,
} from '../../service/addedServices.ts';
import { cleanValue } from '../../service/pastedValue.ts';
import { commandOf, type Service } from '../../service/service.ts';
import { parseServiceUrl } from '../../service/serviceUrl.ts';
import { splitCommand } from './commandLineParser.ts';
import {
  API_CHOICES,
  type ApiChoice,
  AUTH_METHOD_CHOICES,
  type AuthMethodChoice,
  type AuthMethodField,
} from './newServiceChoices.ts';
import { type NewService, type ServiceEntry, serviceEntry } from './serviceEntry.ts';

/** Converts the user's answers about a service to an entry, and a service back to answers. */

/** The user's answers so far. They're prefilled if the user goes back. */
export interface ServiceDraft {
  api: ApiChoice;
  address: string;
  authMethod: AuthMethodChoice | undefined;
  readonly fields: Partial<Record<AuthMethodField, string>>;
}

export function emptyDraft(): ServiceDraft {
  return { api: API_CHOICES[0], address: '', authMethod: undefined, fields: {} };
}

/**
 * Converts an answer to the value of an `authentication` field, and a service back to the answer.
 */
interface FieldConversion {
  readonly valueFor: (answer: string) => unknown;
  readonly answerFor: (service: Service) => string | undefined;
}

const FIELDS: Readonly<Record<AuthMethodField, FieldConversion>> = {
  header: {
    valueFor: (answer) => answer,
    answerFor: ({ authentication }) =>
      'header' in authentication ? authentication.header : undefined,
  },
  command: {
    valueFor: splitCommand,
    answerFor: (service) => commandOf(service)?.map(quoted).join(' '),
  },
  tokenUrl: {
    valueFor: (answer) => answer,
    answerFor: ({ authentication, authUrl }) =>
      'path' in authentication ? authUrl + authentication.path : undefined,
  },
};

/** Placeholder for the model ID of a new service until the user picks or enters a model. */
export const UNKNOWN_MODEL = 'unknown';

/** Matches an endpoint path, which people often paste along with a service's address. */
const PASTED_PATH = /\/(?:chat\/completions|completions|responses|embeddings|models)\/?$/;

/** Removes an endpoint path from an address, and adds `https://` if the scheme is missing. */
export function addressOf(text: string): string {
  const { value } = cleanValue(text);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `https://${value}`;
  return url.replace(PASTED_PATH, '');
}

export function newService(
  { api, address, authMethod = AUTH_METHOD_CHOICES[0], fields }: ServiceDraft,
  steps: number,
  changed: Service | undefined,
): NewService | ServiceIssue {
  const parsed = parseServiceUrl(addressOf(address), true);
  if (!parsed.ok) return { word: '', field: 'url' };
  const { url } = parsed;
  const { hostname, port } = new URL(url);
  const added = {
    word: freeWord(hostname, port),
    name: nameFor(hostname, port),
    defaultModel: UNKNOWN_MODEL,
  };
  const before = changed && serviceEntry(changed);
  const entry = {
    ...(before ?? added),
    url,
    api: api.api,
    authentication: {
      ...authMethod.authentication,
      ...otherFields(before, authMethod),
      ...enteredFields(authMethod, fields),
    },
  };
  const { own, issues } = readServices([entry]);
  const [service] = own;
  return service ? { entry, service, steps } : (issues[0] ?? { word: '', field: 'url' });
}

/**
 * Returns the fields of `authentication` in the existing entry, except those that setup prompts
 * for. Empty for a new service, or if the user picked another kind of authentication method.
 */
function otherFields(
  before: ServiceEntry | undefined,
  { authentication }: AuthMethodChoice,
): ServiceEntry {
  const { kind, ...fields } = Object(before?.['authentication']);
  if (kind !== authentication.kind) return {};
  return Object.fromEntries(
    Object.entries(fields).filter(([field]) => !Object.hasOwn(FIELDS, field)),
  );
}

/** Returns the fields of `authentication` that setup prompted for. */
function enteredFields(
  authMethod: AuthMethodChoice,
  answers: ServiceDraft['fields'],
): Readonly<Record<string, unknown>> {
  const entries = authMethod.fields.map((field) => [
    field,
    FIELDS[field].valueFor(answers[field] ?? ''),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Maximum length of the host in a service's name. Leaves room for the port (see `isServiceName`).
 */
const MAX_HOST_LENGTH = 56;

/** Derives a valid service name, such as `llm.acme.example (8443)`, from the host and port. */
function nameFor(hostname: string, port: string): string {
  // An IPv6 host contains brackets and colons, which aren't allowed in a name.
  const plain = hostname.replace(/[[\]]/g, '').replaceAll(':', '-');
  const host = hostname === '[::1]' ? 'localhost' : plain.slice(0, MAX_HOST_LENGTH);
  return port ? `${host} (${port})` : host;
}

/** Derives an unused service ID, such as `llm_acme_example`, from the host and port. */
function freeWord(hostname: string, port: string): string {
  const host = `${hostname} ${port}`.trim().toLowerCase();
  const plain = host.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
  const word = (/^[a-z]/.test(plain) ? plain : `local_${plain}`).slice(0, 28);
  // The IDs of invalid entries count as used, too.
  const words = new Set([...RESERVED_WORDS, ...serviceEntries().map(wordOf)]);
  let free = word;
  for (let number = 2; words.has(free); number += 1) free = `${word}_${number}`;
  return free;
}

/** Returns the answers that would create this service during setup. */
export function draftOf(service: Service): ServiceDraft {
  const { api, authentication } = service;
  const answers = Object.entries(FIELDS).map(([field, { answerFor }]) => [
    field,
    answerFor(service),
  ]);
  const fields: ServiceDraft['fields'] = Object.fromEntries(answers.filter(([, answer]) => answer));
  return {
    api: API_CHOICES.find((one) => one.api === api.kind) ?? API_CHOICES[0],
    address: service.url,
    authMethod: AUTH_METHOD_CHOICES.find(
      (one) =>
        one.authentication.kind === authentication.kind &&
        one.fields.includes('header') === (fields.header !== undefined),
    ),
    fields,
  };
}

/** Quotes an argument so that `splitCommand` returns it unchanged. */
function quoted(argument: string): string {
  if (/^[^\s"']+$/.test(argument)) return argument;
  const parts = argument.split('"').map((part) => `"${part}"`);
  return parts.join(`'"'`);
}
