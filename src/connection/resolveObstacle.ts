import { ACTION_LABELS } from '../messages/actions.ts';
import { missingText } from '../messages/settingLabels.ts';
import { Secret } from '../service/secret.ts';
import { offer } from '../ui/notify.ts';
import type { Obstacle } from './activeConnection.ts';
import { askSource, reportEnvFile, reportSetting, warnOfLeftKey } from './connectionDialogs.ts';
import {
  addressText,
  checkedSourcesText,
  projectText,
  serviceText,
  sourceFaultText,
} from './connectionMessages.ts';
import { type SetUpReason, settleDestination } from './setUp.ts';
import type { ApprovalDecision } from './sourceApprovals.ts';
import {
  faultySource,
  needsApproval,
  type SourceObstacle,
  type SourceSnapshot,
  type UsableSource,
} from './sourceSelection.ts';
import type { FindOptions } from './sources.ts';
import { settleUnusable } from './writeCredentialSource.ts';

/** Removes an obstacle that keeps a command from getting a connection. */

export interface ResolveOptions extends FindOptions {
  readonly setUp: (reason: SetUpReason) => Promise<boolean>;
  readonly onObstacle: (obstacle: Obstacle) => void;
}

/**
 * Prompts for the missing value or approval, or reports the problem.
 * @param hasPrompted true if the user has already declined a source or been through the setup.
 * Another prompt would be a nuisance, so the setup is only offered, not started.
 * @returns false if the obstacle remains; true if the lookup has to be repeated; `declined` if it
 * has to be repeated because the user declined a source
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
      return decision === 'refused' ? 'declined' : true;
    }
    case 'bad-service':
      reportSetting(serviceText(choice.problem));
      return false;
    case 'source-unusable':
      return settleUnusable(choice.source, found);
    case 'bad-project':
      reportSetting(projectText(found.settings));
      return false;
    case 'bad-address':
      reportSetting(addressText(choice));
      return false;
    case 'missing': {
      onObstacle('missing');
      const faulty = faultySource(found);
      if (faulty?.id === 'envFile') {
        reportEnvFile(sourceFaultText(faulty, found), found.folder);
        return false;
      }
      const needed = missingText(choice.names, found.settings);
      if (!hasPrompted) {
        await options.setUp({ missing: choice.names, intro: needed });
        // Even if nothing was saved, another source may have become usable in the meantime.
        return true;
      }
      const text = `${needed} ${checkedSourcesText(found)}`;
      offer('warning', text, ACTION_LABELS.setUp, 'hostedModel.setUp');
      return false;
    }
  }
}

/**
 * Prompts for a decision about a source, and stores it.
 * @returns undefined if the user closed the prompt or canceled the import
 */
export async function resolveSource(
  options: ResolveOptions,
  source: UsableSource,
  found: SourceSnapshot,
): Promise<ApprovalDecision | 'imported' | undefined> {
  const decision = await askSource(source, found.folder);
  if (decision === 'import') return importSource(options, source, found);
  if (decision) await options.approvals.remember(source.subject, decision);
  return decision;
}

/**
 * Runs the setup with the values of a source, to copy them to secret storage and the user settings.
 * The source then counts as declined, so that the copies are used instead.
 * @returns undefined if the setup saved nothing
 */
export async function importSource(
  options: ResolveOptions,
  source: UsableSource,
  found: SourceSnapshot,
): Promise<'imported' | undefined> {
  const { id, values, service, subject } = source;
  if (!(await options.setUp({ imported: { ...Secret.open(values), service } }))) return undefined;
  await options.approvals.remember(subject, 'refused');
  const { workspaceFolder } = found.folder;
  if (id === 'envFile' && workspaceFolder) warnOfLeftKey(workspaceFolder).catch(() => {});
  return 'imported';
}
