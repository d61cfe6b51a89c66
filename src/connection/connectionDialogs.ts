import { commands, type TextDocument, type WorkspaceFolder, window } from 'vscode';
import type { SettingsTarget } from '../config/configuration.ts';
import type { Settings } from '../config/settings.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import { allSettings, capitalized, needsSetting, settingLabel } from '../messages/settingLabels.ts';
import { commandText } from '../messages/tokenCommandFailure.ts';
import { services } from '../service/builtInServices.ts';
import type { SourceId } from '../service/credentials.ts';
import { Secret } from '../service/secret.ts';
import { commandOf, type Service } from '../service/service.ts';
import { parseServiceUrl } from '../service/serviceUrl.ts';
import { offer } from '../ui/notify.ts';
import { openSettings } from '../ui/openSettings.ts';
import { askPick, back } from '../ui/steps.ts';
import { type DestinationChange, hasOtherOrigin } from './approvedDestination.ts';
import {
  addressFlaw,
  headersText,
  hostsText,
  targetText,
  unencryptedText,
} from './connectionMessages.ts';
import { activeFolder } from './folders.ts';
import { gitRisk } from './gitRisk.ts';
import type { ApprovalDecision, SubjectValue } from './sourceApprovals.ts';
import {
  changedText,
  ENV_FILE_GONE,
  LEFT_KEY_WARNINGS,
  sourceName,
  sourceProblem,
  staysText,
  UNSAVED_NOT_IMPORTED,
  UNSAVED_NOT_USED,
  USE_NEW_CREDENTIALS,
  unsavedText,
} from './sourceMessages.ts';
import type { ExternalSource, Folder, SourceSnapshot, UsableSource } from './sourceTypes.ts';
import { envFileOf, unsavedEnvFile } from './workspaceEnvFiles.ts';

/**
 * Prompts and warnings about credentials and addresses. Setup's own prompts are in the `setUp`
 * folder.
 */

const IMPORT = 'Import into Secret Storage';

/**
 * Shows a modal prompt.
 * @param decisions the buttons and their values; Enter presses the first button
 * @returns undefined if the user closed the prompt
 */
async function ask<Value>(
  text: string,
  paragraphs: readonly string[],
  decisions: readonly (readonly [button: string, value: Value])[],
): Promise<Value | undefined> {
  const buttons = decisions.map(([button]) => button);
  const detail = paragraphs.join('\n\n');
  const pressed = await window.showWarningMessage(text, { modal: true, detail }, ...buttons);
  return decisions.find(([button]) => button === pressed)?.[1];
}

/**
 * Prompts the user to approve or decline a change made to the hosts, service entry, or program since
 * the key was saved (R3 in docs/threat-model.md). Enter presses the button that declines the change.
 */
export function askDestination(
  { approved, wanted, isEntryChanged, program }: DestinationChange,
  service: Service,
): Promise<'saved' | 'wanted' | undefined> {
  const label = needsSetting('apiKey', { service }) ? settingLabel('apiKey', { service }) : 'setup';
  const change = (what: string, old: string, now: string) =>
    old === now
      ? `${what} would still go to ${old}.`
      : `${what} went to ${old}\nand would now go to ${now}.`;
  if (program && !isEntryChanged && !hasOtherOrigin(approved, wanted)) {
    return askProgram(program, service);
  }
  const runs = commandOf(service) !== undefined && program;
  return ask(
    isEntryChanged
      ? `The entry for ${service.name} in hostedModel.services has changed since your ${label} was saved.`
      : `Your ${label} was saved for different hosts.`,
    [
      ...(wanted.isUnencrypted ? [`${unencryptedText(wanted, service)}.`] : []),
      ...(needsSetting('apiKey', { service })
        ? [change(`The ${label}`, approved.authHost, wanted.authHost)]
        : []),
      change('Selected text', approved.serviceHost, wanted.serviceHost),
      ...(runs ? [runText(runs.wanted, service)] : []),
      ...headersParagraph(service),
      `Nothing was sent. Use the ${isEntryChanged ? 'changed entry' : 'new hosts'} only if you changed ${isEntryChanged ? 'it' : 'them'} yourself.`,
    ],
    isEntryChanged
      ? [
          ['Do Not Use', undefined],
          ['Use Changed Entry', 'wanted'],
        ]
      : [
          ['Keep Saved Hosts', 'saved'],
          ['Use New Hosts', 'wanted'],
        ],
  );
}

/** Prompts before the token command runs a program that the user hasn't approved. */
function askProgram(
  { approved, wanted }: NonNullable<DestinationChange['program']>,
  service: Service,
): Promise<'wanted' | undefined> {
  return ask(
    `Let Hosted Model run a program that you haven’t approved for ${service.name}?`,
    [
      ...(approved ? [`Approved: ${approved}`] : []),
      runText(wanted, service),
      'The program hasn’t run yet. Use it only if you installed or moved it yourself.',
    ],
    [
      ['Do Not Use', undefined],
      ['Use This Program', 'wanted'],
    ],
  );
}

/** @param program the program's absolute path; empty if the program wasn't found */
function runText(program: string, service: Service): string {
  const [name = '', ...args] = commandOf(service) ?? [];
  return `Hosted Model would run ${commandText([program || name, ...args])}`;
}

/**
 * Returns an array with the paragraph that names a service's fixed headers. Empty if there are
 * none.
 */
function headersParagraph(service: Service): readonly string[] {
  const text = headersText(service);
  return text === '' ? [] : [`${text}.`];
}

/**
 * Asks whether to use the credentials in a folder's `.env` file or in the environment (R4 in
 * docs/threat-model.md). Enter presses *Do Not Use*.
 * @param changed the values that have changed since the user's last decision
 */
export function askSource(
  source: UsableSource,
  folder: Folder,
  changed: readonly SubjectValue[],
): Promise<ApprovalDecision | 'import' | undefined> {
  const { id, values, service } = source;
  const what = id === 'envFile' ? 'the .env file in this folder' : 'VS Code’s environment';
  const { resource } = Secret.open(values);
  // Leave out the default service's name, because most users use that service and may not recognize
  // its name.
  const ofService = service.word === services[0].word ? '' : ` for ${service.name}`;
  return ask(
    `Use the ${allSettings({ service, resource })}${ofService} from ${what}?`,
    [
      ...changedText(changed, { service, resource }),
      ...sourceParagraphs(source, folder, UNSAVED_NOT_USED),
    ],
    [
      ['Do Not Use', 'declined'],
      ['Use These Values', 'approved'],
      [IMPORT, 'import'],
    ],
  );
}

/**
 * Offers to import a source's credentials instead of entering new ones (R4 in
 * docs/threat-model.md). Enter presses *Enter New Values*.
 * @returns undefined if the user closed the prompt
 */
export function askImport(
  source: UsableSource,
  folder: Folder,
): Promise<'import' | 'enter' | undefined> {
  return ask(
    `${capitalized(sourceName(source.id, { folder }))} contains different credentials. Import them?`,
    sourceParagraphs(source, folder, UNSAVED_NOT_IMPORTED),
    [
      ['Enter New Values', 'enter'],
      [IMPORT, 'import'],
    ],
  );
}

/**
 * Returns the details of an approval or import prompt: warnings, the folder, the hosts, and the
 * person to trust.
 */
function sourceParagraphs(
  { id, service, destination }: UsableSource,
  folder: Folder,
  unsavedWarning: string,
): readonly string[] {
  const author =
    id === 'envFile' ? 'the author of the file' : 'the person who set the environment variables';
  const account = needsSetting('apiKey', { service })
    ? ` Your text goes to the account that this ${settingLabel('apiKey', { service })} belongs to.`
    : '';
  return [
    ...(destination.isUnencrypted ? [`${unencryptedText(destination, service)}.`] : []),
    ...(id === 'envFile' && unsavedEnvFile(folder.workspaceFolder) ? [unsavedWarning] : []),
    [`Folder: ${folder.path || 'none'}`, hostsText(destination, service, '\n')].join('\n'),
    ...headersParagraph(service),
    `Use these values only if you trust ${author}.${account}`,
  ];
}

/**
 * Offers to use the other sources if the source in `hostedModel.credentialSource` can't be used.
 * The user must agree, because prompts may go to another account if the source changes.
 * @param target the settings in which `auto` would be set
 */
export function askInstead(
  source: ExternalSource,
  found: SourceSnapshot,
  target: SettingsTarget,
): Promise<true | undefined> {
  const problem = sourceProblem(source) ?? '';
  return ask(
    `hostedModel.credentialSource selects ${sourceName(source.id, found)}, which can’t be used (${problem}).`,
    [
      `Nothing was sent. Fix this source, or select “Use Other Sources” to set hostedModel.credentialSource to “auto” in ${targetText(target)}.`,
    ],
    [['Use Other Sources', true]],
  );
}

/** Prompts before replacing a stored key, because it may be the user's only copy. */
export function askReplacement(service: Service): Promise<boolean | undefined> {
  const label = settingLabel('apiKey', { service });
  return ask(
    `Replace the stored ${label}?`,
    [`Text from every folder that uses the stored ${label} will go to the new ${label}’s account.`],
    [
      ['Keep Stored Value', false],
      ['Replace', true],
    ],
  );
}

/**
 * After setup, offers to use the new credentials instead of the source that is still in use.
 * @returns true if the user agrees
 */
export async function offerNewCredentials(
  inUse: SourceId,
  found: SourceSnapshot,
): Promise<boolean> {
  const text = staysText(inUse, found);
  return (await window.showInformationMessage(text, USE_NEW_CREDENTIALS)) === USE_NEW_CREDENTIALS;
}

/**
 * Returns the service address for a request that needs no key. If the settings have no valid
 * address, prompts for a region, which is used only for this request.
 * @returns undefined if the user closed the prompt
 */
export async function requireAddress({ url, service }: Settings): Promise<string | undefined> {
  const parsed = parseServiceUrl(url);
  if (parsed.ok) return parsed.url;
  const picked = await askPick({
    title: 'Region',
    step: 1,
    totalSteps: 1,
    placeholder:
      url === ''
        ? 'No service URL is set. Select a region'
        : `The service URL can’t be used: ${addressFlaw('url', parsed.problem)}. Select a region`,
    items: service.regions.map(({ place, url: address }) => ({
      label: place,
      description: address,
    })),
  });
  return picked === back ? undefined : picked?.description;
}

/**
 * Shows a message about a setting. Doesn't wait for the user, because the message may stay open
 * until the window closes.
 * @param setting the name of the setting, without `hostedModel.`
 */
export function reportSetting(
  text: string,
  setting: string,
  severity: 'warning' | 'error' = 'error',
): void {
  offer(severity, text, ACTION_LABELS.openSettings, () => openSettings(`hostedModel.${setting}`));
}

/**
 * Warns that settings are missing.
 * @param askAgain undefined if there is no declined source to ask about
 */
export function reportMissing(text: string, askAgain: (() => void) | undefined): void {
  warn(text, [OFFER_SET_UP, ...(askAgain ? [['Ask Again', askAgain] as const] : [])]);
}

/** Warns about a mistake in a folder's `.env` file. */
export function reportEnvFile(text: string, { workspaceFolder }: Folder): void {
  warn(text, [[ACTION_LABELS.openEnvFile, () => openEnvFile(workspaceFolder)], OFFER_SET_UP]);
}

/** Offers to save a folder's `.env` file. */
export function reportUnsaved(file: TextDocument, folder: Folder): void {
  // If the file was closed in the meantime, VS Code can't save it.
  const save = () => file.save().then(undefined, () => openEnvFile(folder.workspaceFolder));
  warn(unsavedText(folder), [['Save', save], OFFER_SET_UP]);
}

type Offer = readonly [button: string, run: () => unknown];

const OFFER_SET_UP: Offer = [
  ACTION_LABELS.setUp,
  () => commands.executeCommand('hostedModel.setUp'),
];

/**
 * Shows a warning. Doesn't wait for the user, because the message may stay open until the window
 * closes.
 */
function warn(text: string, offers: readonly Offer[]): void {
  const buttons = offers.map(([button]) => button);
  void window.showWarningMessage(text, ...buttons).then((picked) => {
    void offers.find(([button]) => button === picked)?.[1]();
  });
}

/**
 * Warns after an import if a commit could publish the `.env` file, which still contains the key.
 */
export async function warnOfLeftKey(folder: WorkspaceFolder): Promise<void> {
  const risk = await gitRisk(envFileOf(folder));
  if (!risk) return;
  const open = 'Open .env';
  if ((await window.showWarningMessage(LEFT_KEY_WARNINGS[risk], open)) === open) {
    await openEnvFile(folder);
  }
}

export async function openEnvFile(folder = activeFolder()): Promise<void> {
  if (!folder) return;
  try {
    await window.showTextDocument(envFileOf(folder));
  } catch {
    void window.showWarningMessage(ENV_FILE_GONE);
  }
}
