import type { Credentials } from '../service/credentials.ts';
import { AUTH_METHODS, neededSettings, type SettingName, services } from '../service/services.ts';

/** What the settings of a service are called, and which of them is missing. Pure. */

/** What the names differ by; those of the first service where nothing is known. */
export type LabelContext = Partial<Pick<Credentials, 'service' | 'resource'>>;

const CLIENT_LABELS: Readonly<Partial<Record<SettingName, string>>> = {
  account: 'client ID',
  apiKey: 'client secret',
};

/** "API key", within a sentence; an OAuth client has other words for it. */
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

/** "an API key, a project ID and a service URL", in the order given. */
export function settingNames(names: readonly SettingName[], context?: LabelContext): string {
  const labels = names.map((name) => settingLabel(name, context));
  return listOf(labels.map((label) => `${label.startsWith('A') ? 'an' : 'a'} ${label}`));
}

export function missingText(names: readonly SettingName[], context?: LabelContext): string {
  return `Hosted Model needs ${settingNames(names, context)} before it can generate. Nothing was sent.`;
}

/** "API key, project ID and service URL": all settings that the service needs. */
export function allSettings(context: LabelContext): string {
  const { service = services[0] } = context;
  return listOf(neededSettings(service).map((name) => settingLabel(name, context)));
}

/** "All three", of as many settings as the service needs. */
export function allOf({ service = services[0] }: LabelContext): string {
  return { 2: 'Both', 3: 'All three' }[neededSettings(service).length] ?? 'All four';
}

/** What the ID in requests is of: "project", "space" or "deployment". */
export function resourceName({ resource = 'project' }: LabelContext): string {
  return resource;
}

/** Whether the service needs this setting. */
export function needsSetting(name: SettingName, { service = services[0] }: LabelContext): boolean {
  return neededSettings(service).includes(name);
}

/** What says where the secret goes: "the identity address in the settings". */
export function identityAddress({ service = services[0] }: LabelContext): string {
  if (!AUTH_METHODS[service.authentication.kind].hasAddress) return 'the service URL';
  return service.definition === undefined
    ? 'the service or identity address in the settings'
    : '“tokenUrl” of the entry in hostedModel.services';
}

export function hasRegions({ service = services[0] }: LabelContext): boolean {
  return service.regions.length > 0;
}

/** Whether the secret itself opens the service, so that there is neither trade nor token. */
export function sendsKey({ service = services[0] }: LabelContext): boolean {
  return AUTH_METHODS[service.authentication.kind].sendsKey === true;
}

export function listOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(words);
}

/** A name at the start of a sentence. */
export function capitalized(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}
