import type { Credentials } from '../service/credentials.ts';
import { AUTH_METHODS, neededSettings, type SettingName, services } from '../service/services.ts';

/** The display names of settings, and texts about missing ones. Pure. */

/** The facts that the names depend on. Without a service, the first one is assumed. */
export type LabelContext = Partial<Pick<Credentials, 'service' | 'resource'>>;

const CLIENT_LABELS: Readonly<Partial<Record<SettingName, string>>> = {
  account: 'client ID',
  apiKey: 'client secret',
};

/**
 * The name of a setting within a sentence, such as "API key". OAuth clients have a client ID and a
 * client secret instead.
 */
export function settingLabel(name: SettingName, { service, resource }: LabelContext = {}): string {
  const isOfClient =
    service && AUTH_METHODS[service.authentication.kind].secret === 'CLIENT_SECRET';
  const labels = {
    ...{ account: 'user name', apiKey: 'API key', url: 'service URL' },
    projectId: `${resourceName({ resource })} ID`,
    ...(isOfClient && CLIENT_LABELS),
  };
  return labels[name];
}

/**
 * The names with articles, such as "an API key, a project ID and a service URL", in the given
 * order.
 */
export function settingNames(names: readonly SettingName[], context?: LabelContext): string {
  const labels = names.map((name) => settingLabel(name, context));
  return listOf(labels.map((label) => `${label.startsWith('A') ? 'an' : 'a'} ${label}`));
}

export function missingText(names: readonly SettingName[], context?: LabelContext): string {
  return `Hosted Model needs ${settingNames(names, context)} before it can generate. Nothing was sent.`;
}

/**
 * The names of all settings that the service needs, such as "API key, project ID and service URL".
 */
export function allSettings(context: LabelContext): string {
  const { service = services[0] } = context;
  return listOf(neededSettings(service).map((name) => settingLabel(name, context)));
}

/** "Both", "All three", or "All four", by the number of settings that the service needs. */
export function allOf({ service = services[0] }: LabelContext): string {
  return { 2: 'Both', 3: 'All three' }[neededSettings(service).length] ?? 'All four';
}

/** The kind of resource that requests name: "project", "space", or "deployment". */
export function resourceName({ resource = 'project' }: LabelContext): string {
  return resource;
}

/** True if the service needs this setting. */
export function needsSetting(name: SettingName, { service = services[0] }: LabelContext): boolean {
  return neededSettings(service).includes(name);
}

/** The setting that determines where the secret goes, such as "the service URL". */
export function identityAddress({ service = services[0] }: LabelContext): string {
  if (!AUTH_METHODS[service.authentication.kind].hasAddress) return 'the service URL';
  return service.definition === undefined
    ? 'the service or identity address in the settings'
    : '“tokenUrl” of the entry in hostedModel.services';
}

export function hasRegions({ service = services[0] }: LabelContext): boolean {
  return service.regions.length > 0;
}

/** True if requests contain the secret itself, so there is no token and no exchange. */
export function sendsKey({ service = services[0] }: LabelContext): boolean {
  return AUTH_METHODS[service.authentication.kind].sendsKey === true;
}

export function listOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(words);
}

/** Capitalizes a name for the start of a sentence. */
export function capitalized(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}
