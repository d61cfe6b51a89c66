import type { Credentials } from '../service/credentials.ts';
import { neededSettings, type SettingName, type Vendor, WAYS } from '../service/vendors.ts';

/** What the settings of a service are called, and which of them is missing. Pure. */

const CLIENT_LABELS: Readonly<Partial<Record<SettingName, string>>> = {
  account: 'client ID',
  apiKey: 'client secret',
};

const SETTING_LABELS: Readonly<Record<SettingName, string>> = {
  account: 'user name',
  apiKey: 'API key',
  projectId: 'project ID',
  url: 'service URL',
};

/** "API key", within a sentence; an OAuth client has other words for it. */
export function settingLabel(name: SettingName, vendor?: Pick<Vendor, 'way'>): string {
  const isOfClient = vendor && WAYS[vendor.way.kind].secret === 'CLIENT_SECRET';
  return (isOfClient && CLIENT_LABELS[name]) || SETTING_LABELS[name];
}

/** "an API key, a project ID and a service URL", in the order given. */
export function settingNames(names: readonly SettingName[], vendor?: Vendor): string {
  const labels = names.map((name) => settingLabel(name, vendor));
  const listed = labels.map((label) => `${label.startsWith('A') ? 'an' : 'a'} ${label}`);
  return new Intl.ListFormat('en-GB').format(listed);
}

export function missingText(names: readonly SettingName[], vendor?: Vendor): string {
  return `Hosted Model needs ${settingNames(names, vendor)} before it can generate. Nothing was sent.`;
}

/** "All three", of as many settings as the service needs. */
export function allOf(vendor: Vendor): string {
  return { 2: 'Both', 3: 'All three' }[neededSettings(vendor).length] ?? 'All four';
}

/** What the ID in requests is of: "project", "space" or "deployment". */
export function resourceName({ resource = 'project' }: Pick<Credentials, 'resource'>): string {
  return resource;
}
