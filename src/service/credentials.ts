import type { Vendor } from './vendors.ts';

/**
 * The three settings (API key, project ID, service URL): which are missing, what is wrong with
 * one, and where a URL may lead. Rules R1–R7 of the threat model; pure, no network.
 */

export type SettingName = 'apiKey' | 'projectId' | 'url';

/** In the order people are asked for them. */
export const SETTING_NAMES: readonly SettingName[] = ['apiKey', 'projectId', 'url'];

/** Everything a request with a credential needs, from one source. */
export interface Credentials {
  readonly vendor: Vendor;
  readonly apiKey: string;
  readonly projectId: string;
  /** Identity service, without a trailing slash. */
  readonly authUrl: string;
  /** Inference service, without a trailing slash; may have a path prefix. */
  readonly serviceUrl: string;
  /** The origins the user approved for this key; nothing of it goes anywhere else. */
  readonly approved: ApprovedOrigins;
  /** Keys of sources that are not used: not to be sent either, not even as a part of a text. */
  readonly otherKeys?: readonly string[];
}

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

const PLACEHOLDER =
  /^<.*>$|^\$\{.*\}$|^(your|my|the)?[-_ ]?(api|project|service)[-_ ]?(key|id|url)([-_ ]?here)?$|^(x{3,}|\*{3,}|changeme|todo)$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything outside ASCII is meant
const NON_ASCII = /[^\u0000-\u007f]/;

/** Takes off what a copy and paste leaves around a key, an ID or a URL, and says what it was. */
export function cleanValue(text: string): CleanValue {
  const { value, blemishes } = bareValue(text);
  if (!PLACEHOLDER.test(value)) return { value, blemishes };
  return { value: '', blemishes: [...blemishes, 'placeholder'] };
}

/** Like `cleanValue`, but leaves a placeholder as it stands. */
export function bareValue(text: string): CleanValue {
  const blemishes = new Set<Blemish>();
  let value = text.trim();
  if (value !== text) blemishes.add('blanks');
  // One may hide another: blanks in quotes, quotes behind `Bearer `.
  for (let before: string | undefined; before !== value; ) {
    before = value;
    const visible = value.replace(CONTROL, '');
    if (visible !== value) blemishes.add('control');
    // Also a quote without its partner: no key, ID or URL begins or ends with one.
    const unquoted = visible.trim().replace(/^["'`]+|["'`]+$/g, '');
    if (unquoted !== visible.trim()) blemishes.add('quotes');
    const bare = unquoted.trim().replace(/^bearer\s+/i, '');
    if (bare !== unquoted.trim()) blemishes.add('bearer');
    value = bare.trim();
  }
  if (NON_ASCII.test(value)) blemishes.add('non-ascii');
  return { value, blemishes: [...blemishes] };
}

/** The names of the settings that have no usable value. */
export function missingSettings(values: Readonly<Record<SettingName, string>>): SettingName[] {
  return SETTING_NAMES.filter((name) => cleanValue(values[name]).value === '');
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

/** Only literal addresses: a name such as `localhost` can be made to point elsewhere. */
const LOOPBACK = /^http:\/\/(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?=[:/?#]|$)/i;

const ENDPOINT_PATH = /\/(ml\/(v\d|gateway)|identity\/token)(\/.*)?$/;

/**
 * Reads a service or identity URL as strictly as a place that gets a secret deserves: https, or
 * http to a literal loopback address; no user, query or fragment. The text is checked before the
 * URL parser sees it, since the parser repairs backslashes, tabs and missing slashes into another
 * host (study: 40 hostile URLs).
 */
export function parseServiceUrl(text: string): ParsedUrl {
  const { value, blemishes } = cleanValue(text);
  if (!/^https?:\/\/[^/\\\s]/i.test(value) || /[\s"'<>\\^`{|}]/.test(value)) {
    return { ok: false, problem: 'not-a-url' };
  }
  if (blemishes.includes('control')) return { ok: false, problem: 'not-a-url' };
  if (!URL.canParse(value)) return { ok: false, problem: 'not-a-url' };
  const url = new URL(value);
  if (url.username || url.password || /^[^/]*\/\/[^/]*@/.test(value)) {
    return { ok: false, problem: 'has-user' };
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(value)) {
    return { ok: false, problem: 'not-https' };
  }
  if (
    !/^[a-z0-9-]+(\.[a-z0-9-]+)*\.?$/.test(url.hostname) &&
    !/^\[[0-9a-f:.]+\]$/.test(url.hostname)
  ) {
    return { ok: false, problem: 'bad-host' };
  }
  const path = url.pathname.replace(ENDPOINT_PATH, '');
  const cut = path !== url.pathname;
  if (!cut && (url.search || url.hash || /[?#]/.test(value))) {
    return { ok: false, problem: 'has-query' };
  }
  // The parser resolves `..`, also where it is written `%2e%2e`: look at the text, not at its path.
  const [beforeQuery = ''] = value.split('?');
  if (/%|\/\/|;/.test(path) || /%|\/\.\.?(\/|$)/.test(beforeQuery)) {
    return { ok: false, problem: 'bad-path' };
  }
  return {
    ok: true,
    url: url.origin + path.replace(/\/+$/, ''),
    origin: url.origin,
    host: url.host,
    cut,
  };
}
