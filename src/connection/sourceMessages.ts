import type { Issue } from '../dotenv/settingValue.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import { capitalized, type LabelContext, listOf, settingLabel } from '../messages/settingLabels.ts';
import type { SourceId } from '../service/credentials.ts';
import { SETTING_NAMES } from '../service/service.ts';
import { addressName, ISSUE_PHRASES } from './connectionMessages.ts';
import type { GitRisk } from './gitRisk.ts';
import type { SubjectValue } from './sourceApprovals.ts';
import { hasOnlyErrors, isFaultyFile, type SourceObstacle } from './sourceSelection.ts';
import {
  type ExternalSource,
  type Folder,
  isUsable,
  type SourceSnapshot,
  type UnreadReason,
  type UsableSource,
} from './sourceTypes.ts';

/**
 * Messages about credential sources: which ones were checked and why they are or aren't used. They
 * contain names and line numbers, but never the user's credentials. Pure.
 */

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
  return decision === 'declined' ? 'you declined or imported it' : undefined;
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

/**
 * Returns a paragraph that names the values that have changed since the user's last decision about
 * a source. If the source is now for another service, names only the service. Empty if nothing has
 * changed.
 */
export function changedText(
  changed: readonly SubjectValue[],
  labels: LabelContext,
): readonly string[] {
  const isOther = changed.includes('service');
  const values = isOther ? ['service'] : changed.flatMap((name) => valueLabel(name, labels) ?? []);
  const names = [...new Set(values)];
  return names.length > 0 ? [`Changed since your last decision: ${listOf(names)}.`] : [];
}

function valueLabel(name: SubjectValue, labels: LabelContext): string | undefined {
  if (name === 'entry') return 'service';
  if (name === 'authUrl') return addressName('authUrl');
  if (name === 'resource') return settingLabel('projectId', labels);
  const setting = SETTING_NAMES.find((one) => one === name);
  return setting && settingLabel(setting, labels);
}

/** Asks the user to save the folder's `.env` file. */
export function unsavedText(folder: Folder): string {
  return `${capitalized(sourceName('envFile', { folder }))} has unsaved changes. Nothing was sent. Save the file, then try again.`;
}

/** Explains how to import another source's credentials after the editor's key is rejected. */
export function otherCredentialsText(id: SourceId, found: SourceSnapshot): string {
  return `${capitalized(sourceName(id, found))} contains different credentials. To import them, click “${ACTION_LABELS.changeKey}”.`;
}

/** Shown in the approval dialog, and in error messages that offer to open the `.env` file. */
export const UNSAVED_NOT_USED =
  'The .env file has unsaved changes. They aren’t used until you save the file.';

/** Shown in the import dialog. */
export const UNSAVED_NOT_IMPORTED =
  'The .env file has unsaved changes. To import them, save the file first.';

export const USE_NEW_CREDENTIALS = 'Use New Credentials';

/** Explains why a source other than the editor remains in use after setup. */
export function staysText(inUse: SourceId, found: SourceSnapshot): string {
  return `${capitalized(sourceName(inUse, found))} stays in use, because hostedModel.credentialSource selects it.`;
}

/** The reasons why credentials aren't used, as phrases for use within a sentence. */
export const WHY_NOT_USED: Readonly<Record<SourceObstacle['kind'], string>> = {
  missing: 'no source is usable',
  'bad-service': 'the service in the settings is unknown or invalid',
  'bad-address': 'an address in the settings is invalid',
  unapproved: 'the service’s hosts, entry, or program must be approved',
  'bad-project': 'the project, space, or deployment ID is invalid',
  'ask-source': 'the source isn’t approved',
  'bad-source': 'the value of hostedModel.credentialSource is invalid',
  'source-unusable': 'the source in the settings can’t be used',
};

export const SOURCE_ACTIONS = {
  import: '$(lock) Import into Secret Storage',
  forgetApproval: '$(discard) Forget Approval',
  forgetDecision: '$(discard) Forget Decision',
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
  return `Sources checked: ${listOf([sourceName('editor', found), ...places])}.`;
}

/**
 * Returns the sources that the user declined or imported, and that would otherwise be used. With
 * the setting `auto`, returns none while the `.env` file is faulty.
 */
export function declinedSources({ settings, external }: SourceSnapshot): UsableSource[] {
  const { credentialSource } = settings;
  const isAuto = credentialSource === 'auto';
  if (isAuto && external.some(isFaultyFile)) return [];
  return external
    .filter(isUsable)
    .filter(({ id, decision }) => decision === 'declined' && (isAuto || id === credentialSource));
}

/** Names the sources that the user declined or imported. Empty if there are none. */
export function declinedText(found: SourceSnapshot): string {
  const names = declinedSources(found).map(({ id }) => sourceName(id, found));
  if (names.length === 0) return '';
  return `You declined or imported ${listOf(names)}. To be asked again, close setup, and click “Ask Again”.`;
}

export const READY = 'Hosted Model is ready. Try again.';

/**
 * Explains what the user can do to be asked again about a source that they declined or imported.
 */
export const HOW_TO_BE_ASKED =
  'To be asked again, select the source in “Show Status and Actions”, and choose “Forget Decision”.';

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
