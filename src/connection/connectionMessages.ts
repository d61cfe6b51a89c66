import type { SettingsTarget } from '../config/configuration.ts';
import type { ServiceProblem, SourceSettings } from '../config/settings.ts';
import type { Issue, IssueKind } from '../dotenv/settingValue.ts';
import {
  capitalized,
  type LabelContext,
  listOf,
  needsSetting,
  settingLabel,
} from '../messages/settingLabels.ts';
import type { SourceId, UrlProblem, ValueFlaw } from '../service/credentials.ts';
import { getsTokens, headerSecretsOf, type Service, type SettingName } from '../service/service.ts';
import type { AddressProblem, Destination } from './destination.ts';
import type { GitRisk } from './gitRisk.ts';
import {
  type ExternalSource,
  hasOnlyErrors,
  isFaultyFile,
  type SourceObstacle,
  type SourceSnapshot,
  type UnreadReason,
} from './sourceSelection.ts';

/**
 * Messages about credentials and connection settings: missing or invalid values, the sources that
 * were checked, and the hosts that receive data. They contain names and line numbers, but never the
 * user's credentials. Pure.
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

/** @param why complete sentences that explain what's wrong with the value, or what to do */
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
  duplicate: 'conflicts with another value of the same setting',
  'bad-url': 'isn’t a valid address',
  'endpoint-url': 'includes an endpoint path',
  'url-path': 'has a path',
  'unknown-region': 'points to a host outside the known regions',
};

/** Describes the flaws in a value that is used despite them. */
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

/** Names the fixed headers of a service. Empty if there are none. */
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
 * Maximum length of a shown name, in characters. No valid service ID or front matter key is longer.
 */
const MAX_NAME_LENGTH = 64;

/**
 * Makes an arbitrary name safe to show. A raw name could be very long, reverse the text of the
 * message, or turn into a link.
 */
export function shownName(name: string): string {
  const start = name.slice(0, MAX_NAME_LENGTH).replace(/[^\w."'-]/g, '?');
  return name.length > MAX_NAME_LENGTH ? `${start}...` : start;
}

/** Maximum number of items to list in a message. The rest are only counted. */
const MAX_LISTED = 3;

/** Returns the first few items, followed by the number of remaining items, if any. */
function firstOf(all: readonly string[]): string[] {
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), `${more} more`] : [...all];
}

/** Joins clauses, with a comma before "and" even if there are only two. */
function joinedClauses(clauses: readonly string[]): string {
  const last = clauses.at(-1) ?? '';
  return clauses.length > 1 ? `${clauses.slice(0, -1).join(', ')}, and ${last}` : last;
}

/** Warnings to show after an import if the `.env` file still contains the key. */
export const LEFT_KEY_WARNINGS: Readonly<Record<GitRisk, string>> = {
  tracked:
    'The .env file still contains the key, and Git tracks the file. Delete the key from the file before you commit. If the key was pushed, create a new one.',
  'not-ignored':
    'The .env file still contains the key, and Git doesn’t ignore the file. Before you commit, delete the key from the file, or add the file to .gitignore.',
};

export const ENV_FILE_GONE = 'Couldn’t open the .env file. It may have been deleted.';

const UNREAD: Readonly<Record<UnreadReason, string>> = {
  'no-folder': 'there’s no folder to read it from',
  untrusted: 'the workspace isn’t trusted',
  virtual: 'the workspace is virtual',
  'no-file': 'not found',
  'symbolic-link': 'symbolic links aren’t followed',
  folder: 'it’s a folder',
  'not-a-file': 'it isn’t a file',
  'too-large': 'it’s larger than 64 KB',
  'not-text': 'it isn’t UTF-8 text',
  unreadable: 'it can’t be read',
};

export function sourceName(id: SourceId, { folder }: Pick<SourceSnapshot, 'folder'>): string {
  if (id === 'editor') return 'secret storage and user settings';
  if (id === 'environment') return 'the environment';
  return folder.name ? `the .env file in ${folder.name}` : 'a .env file';
}

/**
 * Returns a phrase that explains why a `.env` file or the environment isn't used, as in
 * `VENDOR_API_KEY on line 2 has quotes …`. Undefined if the source is complete and the user didn't
 * decline it.
 */
export function sourceProblem({ text, values, decision }: ExternalSource): string | undefined {
  if (text.kind === 'unread') return UNREAD[text.why];
  const { missing, named, issues } = text.reading;
  if (named.length === 0) {
    return text.namesOtherService
      ? 'its settings are for a different service than the one in hostedModel.service'
      : 'it has no settings for this service';
  }
  const errors = issues.filter(({ isError }) => isError);
  const parts = firstOf(values ? [] : issuePhrases(errors));
  const faulty = new Set(errors.map(({ name }) => name));
  const lacking = missing.filter((name) => !faulty.has(name));
  if (lacking.length > 0) {
    const [names, verb] = [listOf(lacking), lacking.length === 1 ? 'is' : 'are'];
    parts.push(parts.length > 0 ? `${names} ${verb} missing` : `lacks ${names}`);
  }
  if (parts.length > 0) return joinedClauses(parts);
  return decision === 'refused' ? 'you declined it' : undefined;
}

/** Explains why a source that contains setting names can't be used. */
export function sourceFaultText(source: ExternalSource, found: SourceSnapshot): string {
  const problem = sourceProblem(source) ?? '';
  const isShort = problem.startsWith('lacks ');
  const name = capitalized(sourceName(source.id, found));
  const what = `${name} ${isShort ? problem : `can’t be used: ${problem}`}.`;
  return hasOnlyErrors(source)
    ? `${what} Nothing was sent. Fix ${source.id === 'envFile' ? 'and save the file' : 'the environment variables, then restart VS Code'}.`
    : `${what} All values must come from the same source. Nothing was sent.`;
}

export const USE_NEW_CREDENTIALS = 'Use New Credentials';

/** Explains why a source other than the editor stays in use after a setup. */
export function staysText(inUse: SourceId, found: SourceSnapshot): string {
  return `${capitalized(sourceName(inUse, found))} stays in use, because hostedModel.credentialSource selects it.`;
}

/** Names the settings that a value is written to. */
export function targetText(target: SettingsTarget): string {
  if (target === 'user') return 'your user settings';
  return target === 'workspace' ? 'the workspace settings' : 'this folder’s settings';
}

/**
 * Explains that another settings file overrides the value just written to
 * `hostedModel.credentialSource`.
 */
export function hiddenSourceText(target: SettingsTarget): string {
  return `hostedModel.credentialSource was set in ${targetText(target)}, but another settings file overrides it. Remove the value from that file.`;
}

/** The reasons why credentials aren't used, as phrases for use within a sentence. */
export const WHY_NOT_USED: Readonly<Record<SourceObstacle['kind'], string>> = {
  missing: 'no source is usable',
  'bad-service': 'the service in the settings is unknown or invalid',
  'bad-address': 'an address in the settings is invalid',
  unapproved: 'the service’s hosts, entry, or program must be approved',
  'bad-project': 'the project, space, or deployment ID is invalid',
  'ask-source': 'the source isn’t approved',
  'source-unusable': 'the source in the settings can’t be used',
};

export const SOURCE_ACTIONS = {
  import: '$(lock) Import into Secret Storage',
  forgetApproval: '$(discard) Forget Approval',
  forgetRefusal: '$(discard) Forget Decision',
  openSettings: '$(gear) Open Settings',
  manageTrust: '$(workspace-trusted) Manage Workspace Trust',
  open: '$(go-to-file) Open .env',
  setUp: '$(tools) Set Up...',
} as const;

/** Lists the sources that were checked, and explains why the external sources aren't used. */
export function checkedSourcesText(found: SourceSnapshot): string {
  if (found.settings.credentialSource === 'editor') {
    return `Only ${sourceName('editor', found)} were checked, because hostedModel.credentialSource is “editor”.`;
  }
  const isHeldUp = found.external.some(isFaultyFile);
  const unused = isHeldUp ? 'not used until the .env file is fixed' : 'not approved';
  const places = found.external.map((source) => {
    const problem = sourceProblem(source) ?? unused;
    return `${sourceName(source.id, found)} (${problem})`;
  });
  const all = `Sources checked: ${listOf([sourceName('editor', found), ...places])}.`;
  const isDeclined = found.external.some(({ decision }) => decision === 'refused');
  return isDeclined
    ? `${all} To be asked again, select the declined source in “Show Status and Actions”.`
    : all;
}

/**
 * Returns a phrase for each line or environment variable that has issues, as in `VENDOR_URL on line
 * 2 has quotes around its value and isn’t a valid address`.
 */
function issuePhrases(issues: readonly Issue[]): string[] {
  const byLine = Map.groupBy(issues, ({ place, name }) =>
    place ? `${name} on line ${place.line + 1}` : name,
  );
  return [...byLine].map(([what, ofLine]) => {
    const phrases = ofLine.map(({ kind }) => ISSUE_PHRASES[kind]);
    return `${what} ${phrases.join(' and ')}`;
  });
}

/** States which service is now used for selections. */
export function usedForSelectionsText(name: string): string {
  return `${name} is now used for selections.`;
}
