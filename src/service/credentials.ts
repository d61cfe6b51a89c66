import { neededSettings, type ResourceKind, type Service, type SettingName } from './services.ts';

/**
 * The settings that a service needs (API key, project ID, service URL, …): which are missing, what
 * is wrong with one, and where a URL may lead. R1 to R7 of docs/threat-model.md; pure, no network.
 */

/** A key with all that its header values are made of. */
export interface ServiceKey {
  readonly service: Service;
  /** Whose secret it is, where the way to a token asks: a client ID or a user name. */
  readonly account?: string | undefined;
  /** The secret that opens the service: an API key, or that of an OAuth client. */
  readonly apiKey: string;
}

/** Everything a request with a credential needs, from one source. */
export interface Credentials extends ServiceKey {
  /** What requests name: the ID of a project, or of `resource`; empty where they name nothing. */
  readonly projectId: string;
  readonly resource?: ResourceKind | undefined;
  /** Identity service, without a trailing slash. */
  readonly authUrl: string;
  /** Inference service, without a trailing slash; may have a path prefix. */
  readonly serviceUrl: string;
  /** The origins the user approved for this key; nothing of it goes anywhere else. */
  readonly approved: ApprovedOrigins;
  /** Keys of sources that are not used: not to be sent either, not even as a part of a text. */
  readonly otherKeys?: readonly ServiceKey[];
}

/** Where credentials come from. */
export type SourceId = 'editor' | 'envFile' | 'environment';

export interface ApprovedOrigins {
  readonly auth: string;
  readonly service: string;
}

/** What people paste around a value. */
export type Blemish = 'blanks' | 'quotes' | 'bearer' | 'control' | 'placeholder' | 'non-ascii';

export interface CleanValue {
  /** The value without blanks, quotes and a `Bearer ` prefix; empty for a placeholder. */
  readonly value: string;
  /** What was taken off or cannot be mended; empty for a value that was clean. */
  readonly blemishes: readonly Blemish[];
}

/**
 * Many times what a key, an ID or an address has. A longer text is none of them, and is not searched
 * for what could be taken off: an open file is read with every key that is pressed.
 */
export const LONGEST_VALUE = 4096;

const PLACEHOLDERS: readonly RegExp[] = [
  /^<.*>$|^\[.*\]$|^\{.*\}$|^\$\{.*\}$/,
  // Up to two words may name the maker: your_ibm_cloud_api_key.
  /^((your|my|the)[-_ ]?([a-z]{2,12}[-_ ]){0,2})?(api|project|service)[-_ ]?(key|id|url)([-_ ]?here)?$/i,
  /^(x{3,}|\*{3,}|change[-_ ]?me|replace[-_ ]?(me|this)|todo)$/i,
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything outside ASCII is meant
const NON_ASCII = /[^\u0000-\u007f]/;
// Also a quote without its partner: no key, ID or URL begins or ends with one. Each may hide another:
// blanks in quotes, quotes behind `Bearer `.
const BEFORE_VALUE = /^(?:[\s"'`]|bearer\s)+/i;
const BEHIND_VALUE = /(?<![\s"'`])[\s"'`]+$/;

/** Takes off what a copy and paste leaves around a key, an ID or a URL, and says what it was. */
export function cleanValue(text: string): CleanValue {
  const bare = strippedValue(text);
  const isShort = bare.value.length <= LONGEST_VALUE;
  const isPlaceholder = isShort && PLACEHOLDERS.some((one) => one.test(bare.value));
  return isPlaceholder ? { value: '', blemishes: [...bare.blemishes, 'placeholder'] } : bare;
}

/** Like `cleanValue`, but leaves a placeholder as it stands. */
export function strippedValue(text: string): CleanValue {
  const trimmed = text.trim();
  const blemishes = new Set<Blemish>(trimmed === text ? [] : ['blanks']);
  if (trimmed.length > LONGEST_VALUE) return { value: trimmed, blemishes: [...blemishes] };
  const visible = trimmed.replace(CONTROL, '');
  if (visible !== trimmed) blemishes.add('control');
  const begun = visible.replace(BEHIND_VALUE, '');
  const value = begun.replace(BEFORE_VALUE, '');
  const before = begun.slice(0, begun.length - value.length);
  if (/["'`]/.test(before + visible.slice(begun.length))) blemishes.add('quotes');
  if (/bearer/i.test(before)) blemishes.add('bearer');
  if (NON_ASCII.test(value)) blemishes.add('non-ascii');
  return { value, blemishes: [...blemishes] };
}

/** The names of the settings that have no usable value, of those that the service needs. */
export function missingSettings(
  service: Service,
  values: Readonly<{ [Name in SettingName]?: string | undefined }>,
): SettingName[] {
  return neededSettings(service).filter((name) => cleanValue(values[name] ?? '').value === '');
}

export type UrlProblem =
  | 'not-a-url'
  | 'not-https'
  | 'has-user'
  | 'has-query'
  | 'bad-host'
  | 'bad-path';

export type ParsedUrl =
  | {
      readonly ok: true;
      /** Origin and path prefix, no trailing slash. */
      readonly url: string;
      readonly origin: string;
      /** ASCII host with port, for people to read. */
      readonly host: string;
      /** True if an endpoint path was cut off, as in a URL copied from a code sample. */
      readonly cut: boolean;
    }
  | { readonly ok: false; readonly problem: UrlProblem };

/**
 * The three hosts that VS Code never sends through a proxy (`@vscode/proxy-agent` 0.45.0), in the
 * spelling that it compares. With any other spelling, a proxy could read the key. The operating system
 * resolves `localhost`, to a loopback address unless it's configured against RFC 6761 (6.3).
 */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?=[:/?#]|$)/i;

/** An IPv6 address stands in brackets. */
const HOST_NAME = /^([a-z0-9-]+(\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\])$/;

const ENDPOINT_PATH = /\/(ml\/(v\d|gateway)|identity\/token|chat\/completions)(\/.*)?$/s;

/**
 * Reads a service or identity URL as strictly as a place that gets a secret deserves: https, or
 * http to a host of `LOOPBACK`; no user, query or fragment. The text is checked before the
 * URL parser sees it, since the parser repairs backslashes, tabs and missing slashes into another
 * host (T16 of docs/threat-model.md).
 */
export function parseServiceUrl(text: string): ParsedUrl {
  const { value, blemishes } = cleanValue(text);
  const isPlain = value.length <= LONGEST_VALUE && !blemishes.includes('control');
  const isUrl = /^https?:\/\/[^/\\\s]/i.test(value) && !/[\s"'<>\\^`{|}]/.test(value);
  const url = isPlain && isUrl && URL.parse(value);
  if (!url) return refused('not-a-url');
  if (url.username || url.password || /^[^/]*\/\/[^/]*@/.test(value)) return refused('has-user');
  if (url.protocol === 'http:' && !LOOPBACK.test(value)) return refused('not-https');
  if (!HOST_NAME.test(url.hostname)) return refused('bad-host');
  const path = url.pathname.replace(ENDPOINT_PATH, '');
  const cut = path !== url.pathname;
  if (!cut && (url.search || url.hash || /[?#]/.test(value))) return refused('has-query');
  // The parser resolves `..`, also where it is written `%2e%2e`: look at the text, not at its path.
  const [beforeQuery = ''] = value.split('?');
  if (/%|\/\/|;/.test(path) || /%|\/\.\.?(\/|$)/.test(beforeQuery)) return refused('bad-path');
  const address = url.origin + path.replace(/\/$/, '');
  return { ok: true, url: address, origin: url.origin, host: url.host, cut };
}

function refused(problem: UrlProblem): ParsedUrl {
  return { ok: false, problem };
}
