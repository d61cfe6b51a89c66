import type { SettingsTarget } from '../config/configuration.ts';
import type { ServiceProblem, SourceSettings } from '../config/settings.ts';
import type { Issue, IssueKind } from '../dotenv/settingValue.ts';
import type { MessageContext } from '../messages/failureContext.ts';
import { capitalized, type LabelContext, settingLabel } from '../messages/settingLabels.ts';
import { MAX_SERVICES } from '../service/addedServices.ts';
import type { PublicCredentials } from '../service/connection.ts';
import type { Credentials, SourceId, UrlProblem, ValueFlaw } from '../service/credentials.ts';
import type { SettingName } from '../service/services.ts';
import type { AddressProblem } from './binding.ts';
import type { GitRisk } from './gitRisk.ts';
import {
  type Choice,
  type ExternalSource,
  isFaultyFile,
  type SourceObstacle,
  type SourceSnapshot,
  type UnreadReason,
} from './sourceSelection.ts';

/**
 * Messages about credentials and connection settings: missing or invalid values, the sources that
 * were checked, and answers in the setup. They contain names and line numbers, but never the
 * user's credentials or addresses. Pure.
 */

export const URL_PROBLEMS: Readonly<Record<UrlProblem, string>> = {
  'not-a-url': 'it is not a web address such as https://us-south.ml.cloud.ibm.com',
  'not-https':
    'it must begin with https:// (http:// only for 127.0.0.1, [::1], localhost, and services that you added)',
  'has-user': 'it must not hold a user name or password',
  'has-query': 'it must not hold a query or fragment',
  'bad-host': 'its host name holds characters that no host has',
  'bad-path': 'its path holds characters that no service path has',
};

/** Returns "service URL" or "identity address", for use within a sentence. */
export function addressName(setting: AddressProblem['setting']): string {
  return setting === 'url' ? settingLabel('url') : 'identity address';
}

/** Explains why an address in the settings can't be used. */
export function addressText({ setting, problem }: AddressProblem): string {
  return `The ${addressName(setting)} in the settings cannot be used: ${URL_PROBLEMS[problem]}. Nothing was sent.`;
}

/** @param why the explanation, as a complete sentence */
export function unusableText(name: SettingName, why: string, labels: LabelContext): string {
  return `The ${settingLabel(name, labels)} cannot be used. ${why} Nothing was sent.`;
}

type ProjectOrigin = Pick<SourceSettings, 'isProjectOfFolder'>;

/** Names the settings that contain the project ID, for use within a sentence. */
export function projectPlace({ isProjectOfFolder }: ProjectOrigin): string {
  return isProjectOfFolder ? 'settings of the folder or machine' : 'user settings';
}

/** Explains that the project, space, or deployment ID in the settings is malformed. */
export function projectText(settings: LabelContext & ProjectOrigin): string {
  const what = `The ${settingLabel('projectId', settings)} in the ${projectPlace(settings)}`;
  return `${what} cannot be used. ${ANSWER_ISSUES.garbledProject} Nothing was sent.`;
}

/** Explains why the service in the settings can't be used. */
export function serviceText({ word, field }: ServiceProblem): string {
  if (field === 'services') {
    return `hostedModel.service names ${shownName(word)}, and only the first ${MAX_SERVICES} entries of hostedModel.services are used. Nothing was sent.`;
  }
  const why = field
    ? `its entry in hostedModel.services cannot be used: “${field}” is missing or not allowed`
    : 'no service of that name is built in or described in hostedModel.services';
  return `hostedModel.service names ${shownName(word)}, and ${why}. Nothing was sent.`;
}

/** Names of the flaws that `cleanValue` removes. */
const REMOVED_FLAWS: Readonly<Partial<Record<ValueFlaw, string>>> = {
  whitespace: 'blanks',
  quotes: 'quotes',
  bearer: 'the word Bearer',
  control: 'invisible characters',
};

/** Names what `cleanValue` removes from an entered value. Empty if nothing is removed. */
export function removedFlawsText(issues: readonly ValueFlaw[]): string {
  const what = issues.flatMap((issue) => REMOVED_FLAWS[issue] ?? []).join(' and ');
  return what && `Without ${what}: taken off.`;
}

/** Phrases that follow the name of a setting, such as `has no value`. */
export const ISSUE_PHRASES: Readonly<Record<IssueKind, string>> = {
  whitespace: `has ${REMOVED_FLAWS.whitespace} around its value`,
  quotes: `has ${REMOVED_FLAWS.quotes} around its value`,
  bearer: `begins with ${REMOVED_FLAWS.bearer}`,
  control: `holds ${REMOVED_FLAWS.control}`,
  placeholder: 'holds a placeholder',
  'non-ascii': 'holds letters outside ASCII',
  malformed: 'cannot be right',
  comment: 'has a comment behind its value',
  empty: 'has no value',
  duplicate: 'is there twice, with different values',
  'bad-url': 'cannot be used as an address',
  'endpoint-url': 'is the address of an endpoint',
  'url-path': 'has a path',
  'unknown-region': 'leads to no known region',
};

/** Describes the flaws of a value that is used anyway. */
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
    ...sentence(known, 'Hosted Model takes that off; other programs may not.'),
    ...sentence(others, 'Make sure that it is the one you mean.'),
  ].join(' ');
}

/** Messages about values that the user entered in the setup. They never contain the value. */
export const ANSWER_ISSUES = {
  nothing: 'A value is needed.',
  exampleKey: 'This is the placeholder of an example, not a key.',
  garbledKey: (what: string, mayHoldSpaces: boolean) =>
    `${capitalized(what)} has no ${mayHoldSpaces ? '' : 'blanks and no '}accented letters. Copy it again.`,
  garbledHeader: (label: string) =>
    `${capitalized(label)} can only have letters, digits, and signs of ASCII, in one line.`,
  noAccount: (label: string) => `Enter the ${label}.`,
  holdsKey: (what: string, label: string) =>
    `The ${what} contains the ${label}, which would be sent with it. Enter another value.`,
  garbledProject: 'An ID has only letters, digits, hyphens, dots and underscores.',
} as const;

/** Explains why an entered service URL, or the identity URL in the settings, can't be used. */
export function answeredAddressText({ setting, problem }: AddressProblem): string {
  const which = setting === 'url' ? 'This address' : 'The identity address in the settings';
  return `${which} cannot be used: ${URL_PROBLEMS[problem]}.`;
}

/** Maximum length of a shown name, in characters. Any valid name is shorter. */
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

/** Returns the first few items, followed by the number of the others. */
function firstOf(all: readonly string[]): string[] {
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), `and ${more} more`] : [...all];
}

/** Warnings to show after an import if the `.env` file still contains the key. */
export const LEFT_KEY_WARNINGS: Readonly<Record<GitRisk, string>> = {
  tracked:
    'Hosted Model: the .env file still holds the key, and git tracks it. Delete the key there before the next commit; create a new one if it was pushed.',
  'not-ignored':
    'Hosted Model: the .env file still holds the key, and no .gitignore of its repository ignores it. Delete the key there, or ignore the file, before it is committed.',
};

export const ENV_FILE_GONE =
  'Hosted Model: the .env file cannot be opened. Most likely it was deleted or renamed meanwhile.';

const UNREAD: Readonly<Record<UnreadReason, string>> = {
  'no-folder': 'no folder to look in',
  untrusted: 'not read, since the folder is not trusted',
  virtual: 'not read in a virtual workspace',
  'no-file': 'not there',
  'symbolic-link': 'a link, which is not followed',
  folder: 'a folder',
  'not-a-file': 'not a file',
  'too-large': 'larger than 64 KB, so not read',
  'not-text': 'not UTF-8 text',
  unreadable: 'cannot be read',
};

export function sourceName(id: SourceId, { folder }: Pick<SourceSnapshot, 'folder'>): string {
  if (id === 'editor') return 'secret storage and user settings';
  if (id === 'environment') return 'the environment';
  return folder.name ? `the .env file of ${folder.name}` : 'a .env file';
}

/**
 * Describes the reason why a `.env` file or the environment isn't used, such as `line 2:
 * VENDOR_API_KEY has quotes …`. Undefined if it's complete and the user didn't decline it.
 */
export function sourceProblem({ text, values, decision }: ExternalSource): string | undefined {
  if (text.kind === 'unread') return UNREAD[text.why];
  const { missing, named, issues } = text.reading;
  if (named.length === 0) {
    return text.isOfOther
      ? 'names a different service than hostedModel.service'
      : 'names none of them';
  }
  const errors = issues.filter(({ isError }) => isError);
  const parts = firstOf(values ? [] : errors.map(issuePhrase));
  const faulty = new Set(errors.map(({ name }) => name));
  const lacking = missing.filter((name) => !faulty.has(name));
  if (lacking.length > 0) parts.push(`lacks ${lacking.join(' and ')}`);
  if (parts.length > 0) return parts.join('; ');
  return decision === 'refused' ? 'not used, as you decided' : undefined;
}

/** Explains why another source stays in use after a setup. */
export function staysText(inUse: SourceId, found: SourceSnapshot): string {
  return `hostedModel.credentialSource names ${sourceName(inUse, found)}, so that stays in use.`;
}

/** Names the settings that a value is written to. */
export function targetText(target: SettingsTarget): string {
  if (target === 'user') return 'your user settings';
  return target === 'workspace' ? 'the workspace settings' : 'the settings of this folder';
}

/**
 * Explains that other settings override the `hostedModel.credentialSource` that was just written.
 */
export function hiddenSourceText(target: SettingsTarget): string {
  return `Another value of hostedModel.credentialSource wins over the one in ${targetText(target)}. Change it in the settings.`;
}

/** The reasons why credentials aren't used, as phrases for a list. */
export const WHY_NOT_USED: Readonly<Record<SourceObstacle['kind'], string>> = {
  missing: 'incomplete',
  'bad-service': 'the service is not known',
  'bad-address': 'an address cannot be used',
  unapproved: 'the hosts are not approved',
  'bad-project': 'the project cannot be used',
  'ask-source': 'a source is not approved',
  'chosen-unusable': 'the source in the settings cannot be used',
};

export const SOURCE_ACTIONS = {
  import: '$(lock) Import into Secret Storage',
  forgetApproval: '$(discard) Forget Approval',
  forgetRefusal: '$(discard) Forget Refusal',
  openSettings: '$(gear) Open Settings',
  manageTrust: '$(workspace-trusted) Manage Workspace Trust',
  open: '$(go-to-file) Open .env',
  setUp: '$(tools) Set Up...',
} as const;

/** Lists the sources that were checked, and why each one isn't used. */
export function checkedSourcesText(found: SourceSnapshot): string {
  if (found.settings.credentialSource === 'editor') {
    return `Looked only in ${sourceName('editor', found)}, as set in hostedModel.credentialSource.`;
  }
  const isHeldUp = found.external.some(isFaultyFile);
  const unused = isHeldUp ? 'not used until the .env file is fixed' : 'not approved';
  const places = found.external.map((source) => {
    const problem = sourceProblem(source) ?? unused;
    return `${sourceName(source.id, found)} (${problem})`;
  });
  return `Looked in secret storage and user settings, ${places.join(' and ')}.`;
}

/** Describes an issue, such as `line 2: VENDOR_URL cannot be used as an address`. */
function issuePhrase({ place, name, kind }: Issue): string {
  const phrase = `${name} ${ISSUE_PHRASES[kind]}`;
  return place ? `line ${place.line + 1}: ${phrase}` : phrase;
}

/** Returns the context for messages about the connection. Empty if there is none. */
export function contextOf(choice: Choice): MessageContext {
  if (choice.kind !== 'ready') return {};
  const { connection } = choice;
  return { source: connection.source, ...serviceContext(connection) };
}

/** Returns the context for messages about the test in a setup, whose answers aren't saved yet. */
export function contextOfTest(credentials: Credentials): MessageContext {
  return { source: 'answers', isCheck: true, ...serviceContext(credentials) };
}

/**
 * Includes `authHost` only if it differs from the service host. Otherwise, it can't show which of
 * the two services failed.
 */
function serviceContext(connection: PublicCredentials): MessageContext {
  const { authUrl, serviceUrl, service, resource } = connection;
  const [authHost, serviceHost] = [new URL(authUrl).host, new URL(serviceUrl).host];
  return { service, resource, ...(authHost !== serviceHost && { authHost }) };
}
