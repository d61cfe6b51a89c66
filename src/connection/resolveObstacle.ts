import { writeSettings } from '../config/configuration.ts';
import type { GivenValues } from '../dotenv/settingValue.ts';
import { missingText } from '../messages/settingLabels.ts';
import { Secret } from '../service/secret.ts';
import type { Service, SettingName } from '../service/service.ts';
import { inform } from '../ui/notify.ts';
import type { Obstacle } from './activeConnection.ts';
import type { DestinationChange } from './approvedDestination.ts';
import {
  askDestination,
  askSource,
  reportEnvFile,
  reportMissing,
  reportSetting,
  reportUnsaved,
  warnOfLeftKey,
} from './connectionDialogs.ts';
import { addressText, BAD_SOURCE, projectText, serviceText } from './connectionMessages.ts';
import { offerToSwitch, settleUnusable } from './credentialSourceSetting.ts';
import { isSameRecord, type KeyStore, recordFor } from './keyStore.ts';
import { addressSettings } from './serviceSettingsWriter.ts';
import type { ApprovalDecision } from './sourceApprovals.ts';
import {
  checkedSourcesText,
  declinedSources,
  declinedText,
  READY,
  sourceFaultText,
} from './sourceMessages.ts';
import {
  faultySource,
  type Lookup,
  needsApproval,
  type SourceObstacle,
} from './sourceSelection.ts';
import { type FindOptions, mayUseOnceSaved } from './sources.ts';
import type { SourceSnapshot, UsableSource } from './sourceTypes.ts';
import { unsavedEnvFile } from './workspaceEnvFiles.ts';

/** Lets the user remove an obstacle that keeps a command from getting a connection. */

/** The reason why setup starts, unless the user ran *Set Up...*. */
export interface SetUpReason {
  /** The values to import from another source, and the service that they belong to. */
  readonly imported?: (GivenValues & { readonly service: Service }) | undefined;
  /** The settings that the user has to add or correct. */
  readonly missing?: readonly SettingName[];
  /** Complete sentences that explain why setup opens. The first step shows them. */
  readonly intro?: string | undefined;
  /**
   * True if setup was opened to fix the cause of a failed command or check. The caller then reports
   * success, so setup doesn't.
   */
  readonly isRepair?: boolean;
}

export interface ResolveOptions extends FindOptions {
  readonly setUp: (reason: SetUpReason) => Promise<boolean>;
  /** Makes the settings select the editor's credentials. */
  readonly useEditor: () => Promise<boolean>;
  readonly onObstacle: (obstacle: Obstacle) => void;
  /** Looks up the folder's credentials and shows the result in the status bar. */
  readonly lookUp: () => Promise<Lookup>;
  /** Catches and logs an error from a promise that isn't awaited. */
  readonly inBackground: (work: Promise<unknown>) => void;
}

/**
 * Prompts for the missing value or approval, or reports the problem.
 * @param hasPrompted true if the user has already declined a source or gone through setup. In that
 * case, setup is offered instead of opened, so that it doesn't interrupt the user again.
 * @returns false if the obstacle remains; true if the lookup must be repeated; `declined` if it
 * must be repeated because the user declined a source
 */
export async function resolveObstacle(
  options: ResolveOptions,
  found: SourceSnapshot,
  choice: SourceObstacle,
  hasPrompted = false,
): Promise<boolean | 'declined'> {
  const { onObstacle } = options;
  if (needsApproval(choice)) onObstacle('approval');
  switch (choice.kind) {
    case 'unapproved':
      return settleDestination(options.keys, found, choice);
    case 'ask-source': {
      const decision = await resolveSource(options, choice.source, found);
      if (decision === undefined) return false;
      onObstacle('none');
      return decision === 'declined' ? 'declined' : true;
    }
    case 'bad-service':
      // If the service has an entry, the problem is in that entry.
      reportSetting(serviceText(choice.problem), choice.problem.field ? 'services' : 'service');
      return false;
    case 'source-unusable':
      if (offersToSave(found)) return false;
      return settleUnusable(choice.source, found);
    case 'bad-source':
      reportSetting(BAD_SOURCE, 'credentialSource');
      return false;
    case 'bad-project':
      reportSetting(projectText(found.settings), `${found.settings.resource ?? 'project'}Id`);
      return false;
    case 'bad-address':
      reportSetting(addressText(choice), choice.setting);
      return false;
    case 'missing': {
      onObstacle('missing');
      const faulty = faultySource(found);
      // If there's a stored key, the file probably isn't the source that the user wants.
      if ((faulty?.id === 'envFile' || !found.record) && offersToSave(found)) return false;
      if (faulty?.id === 'envFile') {
        reportEnvFile(sourceFaultText(faulty, found), found.folder);
        return false;
      }
      const needed = missingText(choice.names, found.settings);
      if (!hasPrompted) {
        const intro = [needed, declinedText(found)].filter(Boolean).join(' ');
        await options.setUp({ missing: choice.names, intro });
        // Repeat the lookup even if nothing was saved, because another source may now be usable.
        return true;
      }
      const text = `${needed} ${checkedSourcesText(found)}`;
      const again = () => options.inBackground(askAgain(options));
      reportMissing(text, declinedSources(found).length > 0 ? again : undefined);
      return false;
    }
  }
}

/**
 * Offers to save the `.env` file if the user hasn't declined it and it has unsaved changes to the
 * service's settings. Does nothing if saving clearly wouldn't help.
 * @returns true if the offer was made
 */
function offersToSave({ settings, folder, external }: SourceSnapshot): boolean {
  if (!['auto', 'envFile'].includes(settings.credentialSource)) return false;
  const file = unsavedEnvFile(folder.workspaceFolder);
  const source = external.find(({ id }) => id === 'envFile');
  if (!file || !source || !mayUseOnceSaved(file.getText(), source, settings)) return false;
  reportUnsaved(file, folder);
  return true;
}

/**
 * Lets the user choose between the hosts approved for the stored key and the hosts in the settings.
 * If the service's entry has changed, or if the only change is to the program, prompts for approval
 * of that change instead. If another window replaces the stored record while the prompt is open,
 * the new record isn't changed, because the user's decision was for the old record.
 * @returns true if the lookup must be repeated; false if the user closed the prompt or declined the
 * change, or if the record couldn't be stored
 */
async function settleDestination(
  keys: KeyStore,
  { settings: { service }, record: stored }: SourceSnapshot,
  binding: DestinationChange,
): Promise<boolean> {
  if (!stored) return false;
  const record = Secret.open(stored);
  const { approved, wanted } = binding;
  const answer = await askDestination(binding, service);
  if (answer === 'saved') {
    await writeSettings(addressSettings(service, approved));
  } else if (answer === 'wanted') {
    if (!isSameRecord(await keys.read(service.word), record)) return true;
    const program = binding.program ? binding.program.wanted : record.program;
    const changed = recordFor(service, { ...record, program }, wanted);
    if (await keys.write(changed, service.word, { stored: record })) return true;
    return !isSameRecord(await keys.read(service.word), record);
  }
  return answer !== undefined;
}

/**
 * Prompts for a decision about each source that the user declined or imported, until the user
 * approves one, imports one, or closes the prompt. Closing the prompt changes nothing. If a source
 * has changed since the user declined or imported it, it no longer counts as declined, and the user
 * is prompted only about that source.
 */
async function askAgain(options: ResolveOptions): Promise<void> {
  const { found, choice } = await options.lookUp();
  if (choice.kind === 'ready') return inform(READY);
  const sources = choice.kind === 'ask-source' ? [choice.source] : declinedSources(found);
  let decision: Awaited<ReturnType<typeof resolveSource>>;
  for (const source of sources) {
    decision = await resolveSource(options, source, found);
    if (decision !== 'declined') break;
  }
  const current = await options.lookUp();
  // The command that needed the credentials has already ended, so notify the user here.
  if (decision === 'approved' && current.choice.kind === 'ready') inform(READY);
}

/**
 * Prompts for a decision about a source, and stores the decision.
 * @returns undefined if the user closed the prompt or canceled the import
 */
export async function resolveSource(
  options: ResolveOptions,
  source: UsableSource,
  found: SourceSnapshot,
): Promise<ApprovalDecision | 'imported' | undefined> {
  const changed = await options.approvals.changedValues(source.subject);
  const decision = await askSource(source, found.folder, changed);
  if (decision === 'import') {
    return (await importSource(options, source, found)) ? 'imported' : undefined;
  }
  if (decision) await options.approvals.remember(source.subject, decision);
  return decision;
}

/**
 * Runs setup to copy a source's values to secret storage and the user settings. The source then
 * counts as declined so that the copies are used instead. If the settings keep another source in
 * use, offers to use the copies.
 * @returns true if the values were saved and, for a repair, if no other source stays in use
 */
export async function importSource(
  options: ResolveOptions,
  source: UsableSource,
  found: SourceSnapshot,
  { isRepair = false }: Pick<SetUpReason, 'isRepair'> = {},
): Promise<boolean> {
  const { id, values, service, subject } = source;
  const imported = { ...Secret.open(values), service };
  if (!(await options.setUp({ imported, isRepair }))) return false;
  await options.approvals.remember(subject, 'declined');
  const { workspaceFolder } = found.folder;
  if (id === 'envFile' && workspaceFolder) warnOfLeftKey(workspaceFolder).catch(() => {});
  const offer = offerToSwitch(await options.lookUp(), options.useEditor);
  if (!offer || isRepair) return offer ?? true;
  options.inBackground(offer);
  return true;
}
