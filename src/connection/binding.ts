import {
  type ApprovedOrigins,
  type Credentials,
  isUnencrypted,
  parseServiceUrl,
  type ServiceKey,
  type UrlProblem,
} from '../service/credentials.ts';
import { mayBeUnencrypted, type Service } from '../service/services.ts';
import type { KeyRecord } from './keyStore.ts';

/** Compares the addresses that the user approved for a key with the current ones. Pure. */

/** The addresses that the key and the prompts are sent to, in ASCII and safe to display. */
export interface Destination {
  readonly authUrl: string;
  readonly authHost: string;
  readonly serviceUrl: string;
  readonly serviceHost: string;
  /** True if anyone on the network can read the requests to the service. */
  readonly isUnencrypted: boolean;
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
  /**
   * The program that prints the token, if the entry has changed or the program is no longer the
   * approved one. `wanted` is empty if there is no such program.
   */
  readonly program?: { readonly approved: string; readonly wanted: string } | undefined;
}

/**
 * Compares the addresses, the service entry, and the program saved with a key to the current ones.
 * @param found the program that the service's command starts now; undefined if there is none
 * @returns `tampered` if a saved address is invalid
 */
export function compareWithApproved(
  { authUrl, serviceUrl, definition, program = '' }: KeyRecord,
  service: Service,
  wanted: Destination,
  found?: string,
): 'same' | 'tampered' | DestinationChange {
  const approved = parseDestination(authUrl, serviceUrl, service);
  // The user can't have approved an invalid address.
  if ('setting' in approved) return 'tampered';
  const isEntryChanged = definition !== service.definition;
  const isMoved = leadsElsewhere(approved, wanted);
  const isOther = found !== undefined && found !== program;
  if (!isEntryChanged && !isMoved && !isOther) return 'same';
  const isAsked = isOther || (isEntryChanged && (program !== '' || found !== undefined));
  const change = { approved: program, wanted: found ?? '' };
  return { approved, wanted, isEntryChanged, ...(isAsked && { program: change }) };
}

/** True if either of the two origins differs. */
export function leadsElsewhere(approved: Destination, wanted: Destination): boolean {
  const [then, now] = [originsOf(approved), originsOf(wanted)];
  return then.auth !== now.auth || then.service !== now.service;
}

/**
 * Creates credentials with both origins of the destination marked as approved. The caller must get
 * the user's approval before using them.
 */
export function credentialsFor(
  service: Service,
  values: Omit<ServiceKey, 'service'> & Pick<Credentials, 'projectId' | 'resource'>,
  target: Destination,
): Credentials {
  const { account = '', apiKey, projectId, resource, headerSecrets, program } = values;
  const { authUrl, serviceUrl } = target;
  return {
    service,
    ...(account && { account }),
    apiKey,
    projectId,
    ...(resource && { resource }),
    ...(headerSecrets && Object.keys(headerSecrets).length > 0 && { headerSecrets }),
    ...(program && { program }),
    authUrl,
    serviceUrl,
    approved: originsOf(target),
  };
}

/**
 * Parses both addresses. Returns the problem of the first invalid one.
 * @param authUrl empty if the service is its own identity service
 */
export function parseDestination(
  authUrl: string,
  url: string,
  of: Service,
): Destination | AddressProblem {
  const mayBeHttp = mayBeUnencrypted(of);
  const auth = parseServiceUrl(authUrl || url, mayBeHttp && of.authUrl === '');
  if (!auth.ok) return { setting: authUrl ? 'authUrl' : 'url', problem: auth.problem };
  const service = parseServiceUrl(url, mayBeHttp);
  if (!service.ok) return { setting: 'url', problem: service.problem };
  return {
    authUrl: auth.url,
    authHost: auth.host,
    serviceUrl: service.url,
    serviceHost: service.host,
    isUnencrypted: isUnencrypted(service.url),
  };
}

/** Returns both origins. Unlike hosts, origins distinguish http from https. */
function originsOf({ authUrl, serviceUrl }: Destination): ApprovedOrigins {
  return { auth: new URL(authUrl).origin, service: new URL(serviceUrl).origin };
}
