import type { ResourceKind } from './apiFeatures.ts';
import { type FixedHeader, neededSettings, type Service, type SettingName } from './service.ts';

/**
 * Credentials, and checks for missing settings and for flaws in pasted values. See rules R1 to R7
 * in docs/threat-model.md. Pure.
 */

/** The key for a service, and the other values that authenticate requests to it. */
export interface ServiceKey {
  readonly service: Service;
  /** The client ID or user name, if the authentication method needs one. */
  readonly account?: string | undefined;
  /**
   * The secret: an API key or an OAuth client secret. Empty if the authentication method needs no
   * secret.
   */
  readonly apiKey: string;
  /** The values of the service's secret headers, keyed by label. */
  readonly headerSecrets?: Readonly<Record<string, string>> | undefined;
  /** The absolute path to the program that prints the token. The user has approved this path. */
  readonly program?: string | undefined;
}

/**
 * The values that requests to a service need, plus `otherKeys`. No request may contain these other
 * keys, because they come from unused sources.
 */
export interface Credentials extends ServiceKey {
  /** The ID of the project, space, or deployment. Empty if the API uses none of these. */
  readonly projectId: string;
  readonly resource?: ResourceKind | undefined;
  /**
   * Address of the identity service, without a trailing slash. Same as `serviceUrl` if the service
   * has no separate identity service.
   */
  readonly authUrl: string;
  /** Address of the inference service, including any path prefix, without a trailing slash. */
  readonly serviceUrl: string;
  /** The only origins that the key, its tokens, and secret headers may be sent to. */
  readonly approved: ApprovedOrigins;
  /** Keys from unused sources. They must never be sent, not even in a prompt. */
  readonly otherKeys?: readonly ServiceKey[];
}

export type SourceId = 'editor' | 'envFile' | 'environment';

export interface ApprovedOrigins {
  readonly auth: string;
  readonly service: string;
}

/** A flaw that `cleanValue` finds in a pasted value. */
export type ValueFlaw =
  | 'whitespace'
  | 'quotes'
  | 'bearer'
  | 'control'
  | 'placeholder'
  | 'non-ascii';

export interface CleanValue {
  /**
   * The value without control characters, surrounding whitespace, surrounding quotes, or a `Bearer`
   * prefix.
   */
  readonly value: string;
  /** All flaws found, including any that couldn't be removed. */
  readonly flaws: readonly ValueFlaw[];
}

/**
 * Maximum length, in characters, of a key, ID, or URL. Longer values are rejected to keep the
 * checks fast enough to run while the user types. Real values are usually much shorter.
 */
export const MAX_VALUE_LENGTH = 4096;

const PLACEHOLDERS: readonly RegExp[] = [
  /^<.*>$|^\[.*\]$|^\{.*\}$|^\$\{.*\}$/,
  // Also matches placeholders that contain a service name of up to two words, as in
  // `your_ibm_cloud_api_key`.
  /^((your|my|the)[-_ ]?([a-z]{2,12}[-_ ]){0,2})?(api|project|service)[-_ ]?(key|id|url)([-_ ]?here)?$/i,
  /^(x{3,}|\*{3,}|change[-_ ]?me|replace[-_ ]?(me|this)|todo)$/i,
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything outside ASCII
const NON_ASCII = /[^\u0000-\u007f]/;
// The next two patterns also match unpaired quotes, because no key, ID, or URL starts or ends with
// a quote. Quotes, whitespace, and `Bearer ` can appear before the value in any order.
const BEFORE_VALUE = /^(?:[\s"'`]|bearer\s)+/i;
const BEHIND_VALUE = /(?<![\s"'`])[\s"'`]+$/;

/**
 * Removes flaws, such as surrounding quotes or whitespace, from a pasted key, ID, or URL. Also
 * lists all flaws that were found. A placeholder becomes an empty value.
 */
export function cleanValue(text: string): CleanValue {
  const bare = strippedValue(text);
  const isShort = bare.value.length <= MAX_VALUE_LENGTH;
  const isPlaceholder = isShort && PLACEHOLDERS.some((one) => one.test(bare.value));
  return isPlaceholder ? { value: '', flaws: [...bare.flaws, 'placeholder'] } : bare;
}

/** Like `cleanValue`, but keeps placeholders. */
export function strippedValue(text: string): CleanValue {
  const trimmed = text.trim();
  const flaws = new Set<ValueFlaw>(trimmed === text ? [] : ['whitespace']);
  if (trimmed.length > MAX_VALUE_LENGTH) return { value: trimmed, flaws: [...flaws] };
  const visible = trimmed.replace(CONTROL, '');
  if (visible !== trimmed) flaws.add('control');
  const withoutSuffix = visible.replace(BEHIND_VALUE, '');
  const value = withoutSuffix.replace(BEFORE_VALUE, '');
  const before = withoutSuffix.slice(0, withoutSuffix.length - value.length);
  if (/["'`]/.test(before + visible.slice(withoutSuffix.length))) flaws.add('quotes');
  if (/bearer/i.test(before)) flaws.add('bearer');
  if (NON_ASCII.test(value)) flaws.add('non-ascii');
  return { value, flaws: [...flaws] };
}

/** Returns the names of the service's required settings that have no usable value. */
export function missingSettings(
  service: Service,
  values: Readonly<{ [Name in SettingName]?: string | undefined }>,
): SettingName[] {
  return neededSettings(service).filter((name) => cleanValue(values[name] ?? '').value === '');
}

/** Returns the name and value of each fixed header. Leaves out headers without a value. */
export function headersOf({
  service,
  headerSecrets = {},
}: Pick<ServiceKey, 'service' | 'headerSecrets'>): (readonly [name: string, value: string])[] {
  const sentValue = (header: FixedHeader) =>
    'secret' in header ? headerSecrets[header.secret] : header.value;
  return service.headers.flatMap((header) => {
    const value = sentValue(header);
    return value ? [[header.name, value] as const] : [];
  });
}
