import type { ApprovedOrigins, Credentials, ServiceKey } from '../service/credentials.ts';
import { mayBeUnencrypted, type Service } from '../service/service.ts';
import { isUnencrypted, parseServiceUrl, type UrlProblem } from '../service/serviceUrl.ts';
import type { KeyRecord } from './keyStore.ts';

/**
 * Compares what the user approved for a key (addresses, service entry, and program) with the
 * current values. Pure.
 */

/** The addresses that the key and the prompts are sent to, in ASCII and safe to display. */
export interface Destination {
  readonly authUrl: string;
  readonly authHost: string;
  readonly serviceUrl: string;
  readonly serviceHost: string;
  /** True if anyone on the network can read requests to the service. */
  readonly isUnencrypted: boolean;
}

export interface AddressProblem {
  readonly setting: 'url' | 'authUrl';
  readonly problem: UrlProblem;
}

/** A change to the addresses, service entry, or program since the user approved them for a key. */
export interface DestinationChange {
  readonly approved: Destination;
  readonly wanted: Destination;
  /** True if the user's entry for the service has changed since the key was saved. */
  readonly isEntryChanged: boolean;
  /**
   * The approved program that prints the token, and the program that the service's command starts.
   * Each is empty if there is no such program. This field is present if the command starts a
   * program that isn't approved, or if the entry has changed and at least one of the two programs
   * isn't empty.
   */
  readonly program?: { readonly approved: string; readonly wanted: string } | undefined;
}

/**
 * Compares a key record's addresses, service entry, and program with the current values.
 * @param found the path to the program that the service's command starts; undefined if there is
 * none
 * @returns `tampered` if a saved address is invalid
 */
export function compareWithApproved(
  { authUrl, serviceUrl, definition, program = '' }: KeyRecord,
  service: Service,
  wanted: Destination,
  found?: string,
): 'same' | 'tampered' | DestinationChange {
  const approved = parseDestination(authUrl, serviceUrl, service);
  // The user can't have approved an invalid address, so someone else must have changed the record.
  if ('setting' in approved) return 'tampered';
  const isEntryChanged = definition !== service.definition;
  const isMoved = hasOtherOrigin(approved, wanted);
  const isOther = found !== undefined && found !== program;
  if (!isEntryChanged && !isMoved && !isOther) return 'same';
  const showsProgram = isOther || (isEntryChanged && (program !== '' || found !== undefined));
  const change = { approved: program, wanted: found ?? '' };
  return { approved, wanted, isEntryChanged, ...(showsProgram && { program: change }) };
}

/**
 * True if the origin of the service or of its identity service differs from the approved origin.
 */
export function hasOtherOrigin(approved: Destination, wanted: Destination): boolean {
  const [then, now] = [originsOf(approved), originsOf(wanted)];
  return then.auth !== now.auth || then.service !== now.service;
}

/**
 * Creates credentials that mark both origins of `target` as approved. The caller must get the
 * user's approval before using the credentials.
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
 * Parses the identity and service addresses. Returns the problem with the first invalid address, if
 * any.
 * @param authUrl empty if there is no separate identity service
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

/** Returns the origins of both addresses. Unlike hosts, origins distinguish http from https. */
function originsOf({ authUrl, serviceUrl }: Destination): ApprovedOrigins {
  return { auth: new URL(authUrl).origin, service: new URL(serviceUrl).origin };
}
