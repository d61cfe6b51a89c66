import type { ResourceKind } from './apiCapabilities.ts';
import { cleanValue } from './pastedValue.ts';
import { type FixedHeader, neededSettings, type Service, type SettingName } from './service.ts';

/**
 * Credentials, the headers derived from them, and a check for missing settings. See rules R1 to R7
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
