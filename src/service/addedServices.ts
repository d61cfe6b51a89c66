import { APIS } from './apiCapabilities.ts';
import { AUTH_INPUTS } from './authInputs.ts';
import { EMPTY_DEFAULTS, services } from './builtInServices.ts';
import { MODEL_ID } from './modelId.ts';
import { type FixedHeader, mayBeUnencrypted, type Service } from './service.ts';
import { parseServiceUrl } from './serviceUrl.ts';
import { readStatedModels } from './statedModels.ts';

/**
 * Reads and validates the services that the user defines in the settings. Pure.
 */

/**
 * The ID of an invalid entry in the settings, and the entry's first invalid field. Only the field's
 * name is reported, so a field of `authentication` can't have the same name as another field.
 * Fields are validated no matter which authentication method the entry uses. For each check, add a
 * row to `addedServices.test.ts`.
 */
export interface ServiceIssue {
  readonly word: string;
  readonly field:
    | 'word'
    | 'name'
    | 'url'
    | 'authentication'
    | 'tokenUrl'
    | 'grantType'
    | 'command'
    | 'header'
    | 'headers'
    | 'api'
    | 'prefix'
    | 'models'
    | 'defaultModel'
    | 'keyPage';
}

/**
 * The prefix of setting names such as `VENDOR_API_KEY`, which work for any service. No service can
 * have this word as its ID.
 */
const NEUTRAL = 'vendor';

/**
 * The IDs that new services can't have, because they're prefixes of existing setting names or
 * aliases.
 */
export const RESERVED_WORDS: readonly string[] = [
  NEUTRAL,
  ...services.flatMap((one) => [one.word, ...wordsOfAliases(one)]),
];

/** Returns the valid entries as services, and an issue for each entry that can't be used. */
export function readServices(entries: readonly unknown[]) {
  const own: Service[] = [];
  const issues: ServiceIssue[] = [];
  const taken = new Set(RESERVED_WORDS);
  for (const entry of entries) {
    const read = readService(entry, taken);
    if ('field' in read) {
      issues.push(read);
    } else {
      own.push(read);
      taken.add(read.word);
    }
  }
  return { own, issues };
}

function readService(entry: unknown, taken: ReadonlySet<string>): Service | ServiceIssue {
  const text = textsOf(entry);
  const ofAuthentication = textsOf(Object(entry).authentication);
  const word = text('word').toLowerCase();
  const wrong = (field: ServiceIssue['field']) => ({ word, field });
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(word) || taken.has(word)) return wrong('word');
  const name = text('name') || word;
  if (!isServiceName(name)) return wrong('name');
  const kind = ofAuthentication('kind');
  if (!isKeyOf(AUTH_INPUTS, kind)) return wrong('authentication');
  const { hasAddress, required, read } = AUTH_INPUTS[kind];
  const command = commandIn(Object(Object(entry).authentication).command);
  // Check the text itself, because the parsed host of a malformed address can differ from the host
  // that the user sees.
  const isStrict = parseServiceUrl(ofAuthentication('tokenUrl')).ok;
  const address = URL.parse(ofAuthentication('tokenUrl'));
  const isPlain = isStrict && address && !address.search && !address.hash;
  if (hasAddress && !isPlain) return wrong('tokenUrl');
  const hasRequired = required === 'command' ? command : !required || ofAuthentication(required);
  if (!hasRequired) return wrong(required ?? 'authentication');
  if (!isAllowedHeaderName(ofAuthentication('header'))) return wrong('header');
  const headers = headersIn(Object(entry).headers, ofAuthentication('header'));
  if (!headers) return wrong('headers');
  const api = text('api');
  if (!isKeyOf(APIS, api)) return wrong('api');
  if (!/^(\/(?!\.{1,2}(\/|$))[\w.-]+)*$/.test(text('prefix'))) return wrong('prefix');
  const models = readStatedModels(Object(entry).models);
  if (!models) return wrong('models');
  const defaultModelId = text('defaultModel') || models[0]?.id;
  if (!defaultModelId || !MODEL_ID.test(defaultModelId)) return wrong('defaultModel');
  const keyPage = text('keyPage');
  if (keyPage && !/^https:\/\/[\w./-]+$/.test(keyPage)) return wrong('keyPage');
  const service = {
    ...EMPTY_DEFAULTS,
    ...{
      word,
      name,
      keyPage,
      defaultModelId,
      models,
      headers,
      authentication: read(address?.pathname ?? '', ofAuthentication, command ?? []),
    },
    authUrl: hasAddress ? (address?.origin ?? '') : '',
    api: { kind: api, prefix: text('prefix') },
    definition: JSON.stringify(entry),
  };
  const url = text('url') && parseServiceUrl(text('url'), mayBeUnencrypted(service));
  if (url && !url.ok) return wrong('url');
  return url ? { ...service, url: url.url } : service;
}

/** Returns the ID of an entry, even if the entry is invalid. Empty if the entry has no ID. */
export function wordOf(entry: unknown): string {
  return textsOf(entry)('word').toLowerCase();
}

/** True if the name consists of 1 to 64 letters, digits, spaces, and basic punctuation marks. */
export function isServiceName(name: string): boolean {
  return /^[\p{L}\p{N} .,()&'_-]{1,64}$/u.test(name);
}

const MAX_ARGUMENTS = 50;
/** Maximum length of the program and of each argument, in characters. */
const MAX_ARGUMENT_LENGTH = 1_000;

/**
 * Returns the program and its arguments. Undefined if the value isn't a list of valid strings,
 * doesn't start with a program, or has more than `MAX_ARGUMENTS` items.
 */
function commandIn(value: unknown): readonly string[] | undefined {
  const isArgument = (one: unknown) =>
    typeof one === 'string' && one.length <= MAX_ARGUMENT_LENGTH && !/\p{Cc}/u.test(one);
  if (!Array.isArray(value) || value.length > MAX_ARGUMENTS || !value.every(isArgument)) {
    return undefined;
  }
  return value[0]?.trim() ? value : undefined;
}

export const MAX_HEADERS = 20;
/**
 * Matches 1 to 1,024 printable ASCII characters without a space at either end. Any other value
 * could be changed or rejected on its way to the service.
 */
const HEADER_VALUE = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;

export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}

/**
 * Returns the fixed headers of an entry, or an empty list if `value` is undefined. Returns
 * undefined if `value` isn't an object, has more than `MAX_HEADERS` headers, or contains an invalid
 * header or a repeated name. A header with the same name as `keyHeader` also counts as repeated.
 * @param keyHeader the name of the header that contains the key; empty if there is none
 */
function headersIn(value: unknown, keyHeader: string): FixedHeader[] | undefined {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const headers = Object.entries(value).map(([name, one]) => headerIn(name, one));
  const names = [keyHeader, ...headers.map((header) => header?.name ?? '')].map((name) =>
    name.toLowerCase(),
  );
  const isUnique = new Set(names).size === names.length;
  if (headers.length > MAX_HEADERS || !isUnique || !headers.every((one) => one !== undefined)) {
    return undefined;
  }
  return headers;
}

function headerIn(name: string, value: unknown): FixedHeader | undefined {
  if (name === '' || !isAllowedHeaderName(name)) return undefined;
  if (typeof value === 'string') return isHeaderValue(value) ? { name, value } : undefined;
  const secret = textsOf(value)('secret');
  // When a service is added in VS Code, the header's name becomes the label of the secret. That's
  // why a label may be as long as a header name.
  return /^[\p{L}\p{N} ._-]{1,64}$/u.test(secret) ? { name, secret } : undefined;
}

/**
 * Headers that an entry can't define, because the extension, `fetch`, or a proxy sets them, or
 * because they wouldn't reach the service.
 */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/**
 * True if a service's entry may use this header, either for the key or as a fixed header. Also true
 * for an empty name, because an entry doesn't have to name a header for the key.
 */
export function isAllowedHeaderName(header: string): boolean {
  const name = header.toLowerCase();
  const isReserved = RESERVED_HEADERS.has(name) || /^(content|proxy|sec)-/.test(name);
  return name === '' || (/^[a-z][a-z0-9-]{0,63}$/.test(name) && !isReserved);
}

function wordsOfAliases({ aliases }: Service): string[] {
  const names = Object.values(aliases).flat();
  return names.map((name) => name.split('_', 1)[0]?.toLowerCase() ?? '');
}

function isKeyOf<Table extends object>(table: Table, key: string): key is keyof Table & string {
  return Object.hasOwn(table, key);
}

/**
 * Returns a function that reads and trims a string field of the value. The function returns an
 * empty string if the field isn't a string.
 */
function textsOf(value: unknown): (field: string) => string {
  const fields: Readonly<Record<string, unknown>> = Object(value);
  return (field) => {
    const text = fields[field];
    return typeof text === 'string' ? text.trim() : '';
  };
}
