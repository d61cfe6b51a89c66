import { ACCOUNT_LABELS, AUTH_INPUTS, SECRETS } from '../service/authInputs.ts';
import { services } from '../service/builtInServices.ts';
import type { Credentials } from '../service/credentials.ts';
import { getsTokens, neededSettings, type SettingName } from '../service/service.ts';

/** The display names of settings, and the text for missing settings. Pure. */

/**
 * The service and resource that determine display names. The service defaults to the first built-in
 * service.
 */
export type LabelContext = Partial<Pick<Credentials, 'service' | 'resource'>>;

/** Returns the name of a setting for use in a sentence, as in "API key". */
export function settingLabel(
  name: SettingName,
  { service = services[0], resource }: LabelContext = {},
): string {
  const { account = 'USERNAME', secret = 'API_KEY' } = AUTH_INPUTS[service.authentication.kind];
  switch (name) {
    case 'account':
      return ACCOUNT_LABELS[account];
    case 'apiKey':
      return SECRETS[secret].label;
    case 'projectId':
      return `${resourceName({ resource })} ID`;
    case 'url':
      return 'service URL';
  }
}

/** Lists settings with articles, as in "an API key, a project ID, and a service URL". */
export function settingNames(names: readonly SettingName[], context?: LabelContext): string {
  const labels = names.map((name) => settingLabel(name, context));
  return listOf(labels.map((label) => `${/^[aeio]/i.test(label) ? 'an' : 'a'} ${label}`));
}

export function missingText(names: readonly SettingName[], context?: LabelContext): string {
  if (names.length === 0) {
    return `${context?.service?.name ?? 'The service'} isn’t set up on this machine. Nothing was sent.`;
  }
  return `Hosted Model needs ${settingNames(names, context)}. Nothing was sent.`;
}

/** Lists all settings that the service needs, as in "API key, project ID, and service URL". */
export function allSettings(context: LabelContext): string {
  const { service = services[0] } = context;
  return listOf(neededSettings(service).map((name) => settingLabel(name, context)));
}

/** Returns "Both", "All three", or "All four", depending on how many settings are needed. */
export function allOf({ service = services[0] }: LabelContext): string {
  return { 2: 'Both', 3: 'All three' }[neededSettings(service).length] ?? 'All four';
}

/** Returns the display name of a resource: "project", "space", or "deployment". */
export function resourceName({ resource = 'project' }: LabelContext): string {
  return resource;
}

export function needsSetting(name: SettingName, { service = services[0] }: LabelContext): boolean {
  return neededSettings(service).includes(name);
}

/**
 * Returns the name of the setting that determines where the secret is sent, such as "the service
 * URL".
 */
export function identityAddress({ service = services[0] }: LabelContext): string {
  if (!AUTH_INPUTS[service.authentication.kind].hasAddress) return 'the service URL';
  return service.definition === undefined
    ? 'the identity service URL in the settings'
    : '“tokenUrl” in the service’s entry in hostedModel.services';
}

/**
 * True if users choose one of several regions. A single region doesn't count, because a service can
 * list its only address as a region.
 */
export function hasRegions({ service = services[0] }: LabelContext): boolean {
  return service.regions.length > 1;
}

/**
 * True if requests contain the secret itself, because the authentication method doesn't exchange it
 * for a token. Also true if the service needs no authentication.
 */
export function sendsSecret({ service = services[0] }: LabelContext): boolean {
  return !getsTokens(service);
}

export function listOf(words: readonly string[]): string {
  return new Intl.ListFormat('en').format(words);
}

export function capitalized(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}
