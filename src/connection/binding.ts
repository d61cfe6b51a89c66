import {
  type ApprovedOrigins,
  type Credentials,
  parseServiceUrl,
  type UrlProblem,
} from '../service/credentials.ts';
import type { Service } from '../service/services.ts';
import type { KeyRecord } from './keyStore.ts';

/** Compares the hosts that the user approved for a key with the current ones. Pure. */

/** The addresses that the key and the prompts are sent to, in ASCII and safe to display. */
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

/** A change to the addresses or the service entry since the user approved them for a key. */
export interface DestinationChange {
  readonly approved: Destination;
  readonly wanted: Destination;
  /** True if the user-defined entry of the service has changed since the key was saved. */
  readonly isEntryChanged: boolean;
}

/**
 * Compares the addresses and the service entry saved with a key to the current ones.
 * @returns `tampered` if a saved address is invalid
 */
export function compareWithApproved(
  { authUrl, serviceUrl, definition }: KeyRecord,
  service: Service,
  wanted: Destination,
): 'same' | 'tampered' | DestinationChange {
  const approved = parseDestination(authUrl, serviceUrl);
  // The user can't have approved an invalid address.
  if ('setting' in approved) return 'tampered';
  const isEntryChanged = definition !== service.definition;
  const [then, now] = [originsOf(approved), originsOf(wanted)];
  const isMoved = then.auth !== now.auth || then.service !== now.service;
  return isEntryChanged || isMoved ? { approved, wanted, isEntryChanged } : 'same';
}

/**
 * Creates credentials with both origins of the destination marked as approved. The caller must get
 * the user's approval before using them.
 */
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
 * Parses both addresses. Returns the problem of the first invalid one.
 * @param authUrl empty if the service is its own identity service
 */
export function parseDestination(authUrl: string, url: string): Destination | AddressProblem {
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

/** Returns both origins. Unlike hosts, origins distinguish http from https. */
function originsOf({ authUrl, serviceUrl }: Destination): ApprovedOrigins {
  return { auth: new URL(authUrl).origin, service: new URL(serviceUrl).origin };
}
