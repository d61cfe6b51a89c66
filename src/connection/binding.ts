import {
  type ApprovedOrigins,
  type Credentials,
  parseServiceUrl,
  type UrlProblem,
} from '../service/credentials.ts';
import type { Service } from '../service/services.ts';
import type { KeyRecord } from './keyStore.ts';

/** Where a key may go: the hosts that the user approved for it. Pure. */

/** Where a key and its text would go, in ASCII, for people to read. */
export interface Destination {
  readonly authUrl: string;
  readonly authHost: string;
  readonly serviceUrl: string;
  readonly serviceHost: string;
}

export interface AddressProblem {
  readonly setting: 'url' | 'authUrl';
  readonly problem: UrlProblem;
}

/** What was shown when a key was saved, where it is something else by now. */
export interface ChangedBinding {
  readonly approved: Destination;
  readonly wanted: Destination;
  /** Whether the user's own entry of the service is another one than then. */
  readonly isEntryChanged: boolean;
}

/** Whether a stored key may go to these addresses, or what has changed since it was saved. */
export function bindingOf(
  { authUrl, serviceUrl, definition }: KeyRecord,
  service: Service,
  wanted: Destination,
): 'same' | 'tampered' | ChangedBinding {
  const approved = destination(authUrl, serviceUrl);
  // It names no host that could have been approved.
  if ('setting' in approved) return 'tampered';
  const isEntryChanged = definition !== service.definition;
  const [then, now] = [originsOf(approved), originsOf(wanted)];
  const isMoved = then.auth !== now.auth || then.service !== now.service;
  return isEntryChanged || isMoved ? { approved, wanted, isEntryChanged } : 'same';
}

/** Credentials for a destination whose two origins the user approved. */
export function credentialsFor(
  service: Service,
  values: Pick<Credentials, 'account' | 'apiKey' | 'projectId' | 'resource'>,
  target: Destination,
): Credentials {
  const { account = '', apiKey, projectId, resource } = values;
  const { authUrl, serviceUrl } = target;
  const known = { ...(account && { account }), apiKey, projectId, ...(resource && { resource }) };
  return { service, ...known, authUrl, serviceUrl, approved: originsOf(target) };
}

/**
 * Both addresses read strictly, or which of them is wrong and how.
 * @param authUrl empty where the service itself is what a key is sent to
 */
export function destination(authUrl: string, url: string): Destination | AddressProblem {
  const auth = parseServiceUrl(authUrl || url);
  if (!auth.ok) return { setting: authUrl ? 'authUrl' : 'url', problem: auth.problem };
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
