import { cleanValue, MAX_VALUE_LENGTH } from './pastedValue.ts';

/**
 * Parses the addresses of services and identity services. See rules R1 to R7 in
 * docs/threat-model.md. Pure.
 */

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
      /** Origin and path prefix, without a trailing slash. */
      readonly url: string;
      readonly origin: string;
      /** Host and port in ASCII, for display. */
      readonly host: string;
      /**
       * True if an endpoint path was removed. URLs copied from code samples often end in an
       * endpoint path.
       */
      readonly hadEndpoint: boolean;
    }
  | { readonly ok: false; readonly problem: UrlProblem };

/**
 * Matches an http URL with one of the three hosts that VS Code never contacts through a proxy. The
 * host must be spelled the way `@vscode/proxy-agent` 0.45.0 expects. With any other spelling, the
 * request could go through a proxy, which could read the key. Source: `useProxySettings` in
 * https://github.com/microsoft/vscode-proxy-agent/blob/main/src/index.ts
 *
 * Operating systems resolve `localhost` to a loopback address by default:
 * https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?=[:/?#]|$)/i;

/** A host name or an IPv6 address in brackets. */
const HOST_NAME = /^([a-z0-9-]+(\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\])$/;

/**
 * Matches a path that is removed from the end of any service's address. Paths such as `/v1` don't
 * match, because the address of an added service can end in them. If a built-in service's API
 * prefix is such a path, add a note below the first table in docs/services.md. State that the
 * address and `<WORD>_URL` don't include the prefix. `test/unit/service/serviceUrls.ts` has the
 * test cases.
 */
const ENDPOINT_PATH = /\/(ml\/(v\d|gateway)|identity\/token|chat\/completions)(\/.*)?$/s;

/**
 * Parses a service or identity URL. The URL must use https, unless `mayBeHttp` is true or the URL
 * matches `LOOPBACK`. Rejects a URL with a user name, a query, or a fragment. However, if the URL
 * ends with an endpoint path, that path is removed along with any query and fragment.
 *
 * Checks the text before parsing it. Backslashes, tabs, or missing slashes can make the parsed host
 * differ from the one that the user sees (T16 in docs/threat-model.md).
 * @param mayBeHttp true to allow http to any host, which requires the user's approval
 */
export function parseServiceUrl(text: string, mayBeHttp = false): ParsedUrl {
  const { value, flaws } = cleanValue(text);
  const isPlain = value.length <= MAX_VALUE_LENGTH && !flaws.includes('control');
  const isUrl = /^https?:\/\/[^/\\\s]/i.test(value) && !/[\s"'<>\\^`{|}]/.test(value);
  const url = isPlain && isUrl && URL.parse(value);
  if (!url) return rejected('not-a-url');
  if (url.username || url.password || /^[^/]*\/\/[^/]*@/.test(value)) return rejected('has-user');
  if (url.protocol === 'http:' && !mayBeHttp && !LOOPBACK.test(value)) return rejected('not-https');
  if (!HOST_NAME.test(url.hostname)) return rejected('bad-host');
  const path = url.pathname.replace(ENDPOINT_PATH, '');
  const hadEndpoint = path !== url.pathname;
  if (!hadEndpoint && (url.search || url.hash || /[?#]/.test(value))) return rejected('has-query');
  // The URL parser resolves `..` and `%2e%2e`, so look for them in the unparsed text.
  const [beforeQuery = ''] = value.split('?');
  if (/%|\/\/|;/.test(path) || /%|\/\.\.?(\/|$)/.test(beforeQuery)) return rejected('bad-path');
  const address = url.origin + path.replace(/\/$/, '');
  return { ok: true, url: address, origin: url.origin, host: url.host, hadEndpoint };
}

/**
 * True for an http address whose host may be another machine. Anyone on the network could read
 * requests to such an address.
 */
export function isUnencrypted(url: string): boolean {
  return url.startsWith('http:') && !LOOPBACK.test(url);
}

function rejected(problem: UrlProblem): ParsedUrl {
  return { ok: false, problem };
}
