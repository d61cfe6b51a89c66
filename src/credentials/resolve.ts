import {
  type ApprovedOrigins,
  type Credentials,
  cleanValue,
  missingSettings,
  parseServiceUrl,
  type SettingName,
  type UrlProblem,
} from '../service/credentials.ts';
import type { Vendor } from '../service/vendors.ts';
import type { KeyRecord } from './keyStore.ts';

/** What the settings say about credentials; a part of the snapshot. */
export interface WantedSettings {
  readonly vendor: Vendor;
  readonly authUrl: string;
  readonly url: string;
  readonly projectId: string;
}

/** Where a key and its text would go, in ASCII, for people to read. */
export interface Destination {
  readonly authUrl: string;
  readonly authHost: string;
  readonly serviceUrl: string;
  readonly serviceHost: string;
}

export type Resolution =
  | { readonly kind: 'ready'; readonly credentials: Credentials }
  | { readonly kind: 'missing'; readonly names: readonly SettingName[] }
  /** An address that no key may be sent to, whoever set it. */
  | {
      readonly kind: 'bad-address';
      readonly setting: 'url' | 'authUrl';
      readonly problem: UrlProblem;
    }
  /** The settings lead to a host that was not shown when the key was saved. */
  | { readonly kind: 'unapproved'; readonly approved: Destination; readonly wanted: Destination };

/**
 * Puts the three settings together, all from one source: the stored key and the user's settings.
 * Says exactly what stands in the way if they cannot be used.
 */
export function resolveCredentials(
  settings: WantedSettings,
  record: KeyRecord | undefined,
): Resolution {
  const { vendor, url, authUrl } = settings;
  const projectId = cleanValue(settings.projectId).value;
  const names = missingSettings({ apiKey: record?.apiKey ?? '', projectId, url });
  if (names.length > 0 || !record) return { kind: 'missing', names };
  const wanted = destination(authUrl, url);
  if ('setting' in wanted) return { kind: 'bad-address', ...wanted };
  const approved = destination(record.authUrl, record.serviceUrl);
  // A record that was tampered with names no host that could have been approved.
  if ('setting' in approved) return { kind: 'missing', names: ['apiKey'] };
  if (!isSameDestination(approved, wanted)) return { kind: 'unapproved', approved, wanted };
  const { apiKey } = record;
  return { kind: 'ready', credentials: credentialsFor(vendor, { apiKey, projectId }, wanted) };
}

/** Credentials for a destination whose two origins the user approved. */
export function credentialsFor(
  vendor: Vendor,
  { apiKey, projectId }: Pick<Credentials, 'apiKey' | 'projectId'>,
  target: Destination,
): Credentials {
  const { authUrl, serviceUrl } = target;
  return { vendor, apiKey, projectId, authUrl, serviceUrl, approved: originsOf(target) };
}

/** Both addresses read strictly, or which of them is wrong and how. */
export function destination(
  authUrl: string,
  url: string,
): Destination | { readonly setting: 'url' | 'authUrl'; readonly problem: UrlProblem } {
  const auth = parseServiceUrl(authUrl);
  if (!auth.ok) return { setting: 'authUrl', problem: auth.problem };
  const service = parseServiceUrl(url);
  if (!service.ok) return { setting: 'url', problem: service.problem };
  return {
    authUrl: auth.url,
    authHost: auth.host,
    serviceUrl: service.url,
    serviceHost: service.host,
  };
}

/** The origins of both addresses: http and https of one host are two places. */
function originsOf({ authUrl, serviceUrl }: Destination): ApprovedOrigins {
  return { auth: new URL(authUrl).origin, service: new URL(serviceUrl).origin };
}

/** Whether a key that may go to the one may go to the other, too. */
export function isSameDestination(one: Destination, other: Destination): boolean {
  const [approved, wanted] = [originsOf(one), originsOf(other)];
  return approved.auth === wanted.auth && approved.service === wanted.service;
}
