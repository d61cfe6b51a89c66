import { APIS, type ResourceKind } from './apiCapabilities.ts';
import { AUTH_INPUTS } from './authInputs.ts';
import { headerSecretsOf, type NameSet, type Service } from './service.ts';

/** The names of a service's settings in a `.env` file or the environment. Pure. */

export const NO_NAMES: NameSet = { account: [], apiKey: [], projectId: [], url: [] };

/** Returns all setting names that apply to this service, in search order. */
export function allNameSets(service: Service): readonly NameSet[] {
  return [...serviceNameSets(service), neutralNameSet(service)];
}

/** Returns names such as `VENDOR_API_KEY`, which work for any service. */
export function neutralNameSet(service: Service): NameSet {
  return withPrefix('VENDOR', service);
}

/**
 * Returns the setting names that belong only to this service: its aliases and the names with its
 * prefix.
 */
export function serviceNameSets(service: Service): readonly NameSet[] {
  return [withPrefix(service.word.toUpperCase(), service), service.aliases];
}

/**
 * Returns the setting names with this prefix. Returns no names if the service doesn't use a secret,
 * or if it uses secret headers. In that case, neither a `.env` file nor the environment can
 * configure the service. For example, there are no names for a service that uses a command, because
 * the user must approve the command in VS Code.
 */
function withPrefix(prefix: string, service: Service): NameSet {
  const { authentication, api, url } = service;
  const { account, secret } = AUTH_INPUTS[authentication.kind];
  if (!secret || headerSecretsOf(service).length > 0) return NO_NAMES;
  return {
    account: account ? [`${prefix}_${account}`] : [],
    apiKey: [`${prefix}_${secret}`],
    projectId: APIS[api.kind].resources.map((kind) => `${prefix}_${kind.toUpperCase()}_ID`),
    url: url ? [] : [`${prefix}_URL`],
  };
}

/** Returns the kind of resource that a setting name such as `IBM_SPACE_ID` refers to. */
export function resourceOf(name: string): ResourceKind {
  if (name.endsWith('SPACE_ID')) return 'space';
  return name.endsWith('DEPLOYMENT_ID') ? 'deployment' : 'project';
}
