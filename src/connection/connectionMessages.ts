import type { SettingsTarget } from '../config/configuration.ts';
import type { ServiceProblem, SourceSettings } from '../config/settings.ts';
import type { IssueKind } from '../dotenv/settingValue.ts';
import {
  type LabelContext,
  listOf,
  needsSetting,
  settingLabel,
} from '../messages/settingLabels.ts';
import type { ValueFlaw } from '../service/pastedValue.ts';
import { getsTokens, headerSecretsOf, type Service, type SettingName } from '../service/service.ts';
import type { UrlProblem } from '../service/serviceUrl.ts';
import type { AddressProblem, Destination } from './approvedDestination.ts';

/**
 * Messages about credentials and connection settings: missing or invalid values, and the hosts that
 * receive data. They can contain the names of settings, services, and hosts, but never the user's
 * credentials. Pure.
 */

/**
 * Clauses that describe URL problems, for use after a colon. For a service URL in the settings or
 * setup, use `addressFlaw`.
 */
export const URL_PROBLEMS: Readonly<Record<UrlProblem, string>> = {
  'not-a-url': 'it must be a complete web address, such as https://llm.acme.example',
  'not-https': 'it must start with https:// (http:// works only with localhost)',
  'has-user': 'it must not contain a user name or password',
  'has-query': 'it must not contain a query or fragment',
  'bad-host': 'its host name contains invalid characters',
  'bad-path': 'its path contains invalid characters',
};

/** Returns "service URL" or "identity service URL", for use within a sentence. */
export function addressName(setting: AddressProblem['setting']): string {
  return setting === 'url' ? settingLabel('url') : 'identity service URL';
}

/** Describes the problem with an address in the settings or setup, for use after a colon. */
export function addressFlaw(setting: AddressProblem['setting'], problem: UrlProblem): string {
  return setting === 'url' && problem === 'not-https'
    ? 'it must start with https:// (http:// works only with localhost and services that you added)'
    : URL_PROBLEMS[problem];
}

export function addressText({ setting, problem }: AddressProblem): string {
  return `The ${addressName(setting)} in the settings can’t be used: ${addressFlaw(setting, problem)}. Nothing was sent.`;
}

/** @param why complete sentences that explain what's wrong with the value or what to do */
export function unusableText(name: SettingName, why: string, labels: LabelContext): string {
  return `Nothing was sent, because the ${settingLabel(name, labels)} can’t be used. ${why}`;
}

type ProjectOrigin = Pick<SourceSettings, 'isProjectOverridden'>;

/** Names the settings that contain the project ID, for use within a sentence. */
export function projectPlace({ isProjectOverridden }: ProjectOrigin): string {
  return isProjectOverridden ? 'workspace or remote settings' : 'user settings';
}

export const PROJECT_FORMAT = 'Use at most 128 letters, digits, hyphens, periods, and underscores.';

export function projectText(settings: LabelContext & ProjectOrigin): string {
  const what = `the ${settingLabel('projectId', settings)} in the ${projectPlace(settings)}`;
  return `Nothing was sent, because ${what} can’t be used. ${PROJECT_FORMAT}`;
}

export function serviceText({ word, field }: ServiceProblem): string {
  const why = field
    ? `its entry in hostedModel.services can’t be used: “${field}” is missing or invalid`
    : 'no built-in service or entry in hostedModel.services has that ID';
  return `hostedModel.service is “${shownName(word)}”, but ${why}. Nothing was sent.`;
}

/** Descriptions of the text that `cleanValue` removes, keyed by flaw. */
export const REMOVED_FLAWS: Readonly<Partial<Record<ValueFlaw, string>>> = {
  whitespace: 'spaces',
  quotes: 'quotes',
  bearer: 'the word Bearer',
  control: 'invisible characters',
};

/** Phrases such as `has no value`, for use after the name of a setting. */
export const ISSUE_PHRASES: Readonly<Record<IssueKind, string>> = {
  whitespace: `has ${REMOVED_FLAWS.whitespace} around its value`,
  quotes: `has ${REMOVED_FLAWS.quotes} around its value`,
  bearer: `starts with ${REMOVED_FLAWS.bearer}`,
  control: `contains ${REMOVED_FLAWS.control}`,
  placeholder: 'is a placeholder',
  'non-ascii': 'contains non-ASCII characters',
  malformed: 'is malformed',
  comment: 'has a comment after its value',
  empty: 'has no value',
  duplicate: 'conflicts with another value for the same setting',
  'bad-url': 'isn’t a valid address',
  'endpoint-url': 'includes an endpoint path',
  'url-path': 'has a path',
  'unknown-region': 'points to a host outside the known regions',
  'similar-name': 'is missing, but this name is similar',
};

/** Describes the flaws in a value that is used anyway. */
export function issuesText(
  name: SettingName,
  issues: readonly ValueFlaw[],
  labels: LabelContext,
): string {
  const { known, others } = Object.groupBy(issues, (kind) =>
    kind in REMOVED_FLAWS ? 'known' : 'others',
  );
  const sentence = (kinds: readonly ValueFlaw[] | undefined, advice: string) => {
    const phrases = kinds?.map((kind) => ISSUE_PHRASES[kind]).join(' and ');
    return phrases ? [`The ${settingLabel(name, labels)} ${phrases}. ${advice}`] : [];
  };
  return [
    ...sentence(
      known,
      'Hosted Model corrects the value before using it. To remove this warning, correct the setting.',
    ),
    ...sentence(others, 'Check that the value is correct.'),
  ].join(' ');
}

/** Names a service's fixed headers. Empty if there are none. */
export function headersText({ headers }: Service): string {
  const names = headers.map(({ name }) => name);
  if (names.length === 0) return '';
  return `Each request to the service includes the ${names.length === 1 ? 'header' : 'headers'} ${listOf(names)}`;
}

/** Warns that requests to a service aren't encrypted. */
export function unencryptedText({ serviceHost }: Destination, service: Service): string {
  const key = needsSetting('apiKey', { service }) && settingLabel('apiKey', { service });
  const secrets = [
    getsTokens(service) ? 'token' : key,
    headerSecretsOf(service).length > 0 && 'secret headers',
  ].filter((one) => one !== false);
  const verb = secrets.length > 0 ? 'are' : 'is';
  return `The ${listOf(['selected text', ...secrets])} ${verb} sent unencrypted to ${serviceHost}`;
}

/**
 * Names the hosts that receive the key and the selected text.
 * @param separator the text between the two sentences if the key and the selected text go to
 * different hosts
 */
export function hostsText(
  { authHost, serviceHost }: Destination,
  service: Service,
  separator: string,
): string {
  if (!needsSetting('apiKey', { service })) return `Selected text goes to ${serviceHost}`;
  const label = settingLabel('apiKey', { service });
  return authHost === serviceHost
    ? `The ${label} and selected text go to ${serviceHost}`
    : `The ${label} goes to ${authHost}${separator}Selected text goes to ${serviceHost}`;
}

/**
 * Maximum length of a displayed name, in characters. No valid service ID or front matter key is
 * longer.
 */
const MAX_NAME_LENGTH = 64;

/**
 * Makes an arbitrary name safe to show. A raw name could be very long, reverse the direction of the
 * message's text, or turn into a link.
 */
export function shownName(name: string): string {
  const start = name.slice(0, MAX_NAME_LENGTH).replace(/[^\w."'-]/g, '?');
  return name.length > MAX_NAME_LENGTH ? `${start}...` : start;
}

/** Names the settings that a value is written to. */
export function targetText(target: SettingsTarget): string {
  if (target === 'user') return 'your user settings';
  return target === 'workspace' ? 'the workspace settings' : 'this folder’s settings';
}

/** The message to show if the value of `hostedModel.credentialSource` is invalid. */
export const BAD_SOURCE =
  'Nothing was sent, because hostedModel.credentialSource is invalid. Set it to “auto”, “editor”, “envFile”, or “environment”.';

/**
 * Explains that another settings file overrides the value just written to
 * `hostedModel.credentialSource`.
 */
export function hiddenSourceText(target: SettingsTarget): string {
  return `hostedModel.credentialSource was set in ${targetText(target)}, but another settings file overrides it. Remove the value from that file.`;
}

/** States which service is now used for selections. */
export function usedForSelectionsText(name: string): string {
  return `${name} is now used for selections.`;
}
