import {
  type ApprovedOrigins,
  type Credentials,
  parseServiceUrl,
  type UrlProblem,
} from '../service/credentials.ts';
import type { Service } from '../service/services.ts';
import type { KeyRecord } from './keyStore.ts';

/** The hosts that the user approved for a key. Pure. */

/** The addresses that the key and the prompts go to, in ASCII and fit to display. */
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

/** The addresses approved when a key was saved, and the current ones, if they differ. */
export interface ChangedBinding {
  readonly approved: Destination;
  readonly wanted: Destination;
  /** True if the user's own entry for the service has changed since the key was saved. */
  readonly isEntryChanged: boolean;
}

/**
 * Compares the addresses approved for a stored key with the current ones.
 * @returns `tampered` if the stored addresses are invalid
 */
export function bindingOf(
  { authUrl, serviceUrl, definition }: KeyRecord,
  service: Service,
  wanted: Destination,
): 'same' | 'tampered' | ChangedBinding {
  const approved = destination(authUrl, serviceUrl);
  // The user can't have approved an invalid address.
  if ('setting' in approved) return 'tampered';
  const isEntryChanged = definition !== service.definition;
  const [then, now] = [originsOf(approved), originsOf(wanted)];
  const isMoved = then.auth !== now.auth || then.service !== now.service;
  return isEntryChanged || isMoved ? { approved, wanted, isEntryChanged } : 'same';
}

/** Creates credentials for a destination whose two origins the user approved. */
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
 * Parses both addresses strictly. Returns the first problem, if there is one.
 * @param authUrl empty if the key goes to the service itself
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

/** Returns both origins. http and https on the same host are different origins. */
function originsOf({ authUrl, serviceUrl }: Destination): ApprovedOrigins {
  return { auth: new URL(authUrl).origin, service: new URL(serviceUrl).origin };
}
