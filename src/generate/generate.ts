import type { TextDocument } from 'vscode';
import { readSettings } from '../config/settings.ts';
import { reportSetting } from '../connection/connectionDialogs.ts';
import { activeFolder } from '../connection/folders.ts';
import { resolvesToAutoRunFile } from '../editor/autoRunFiles.ts';
import { captureTargets, upToDate } from '../editor/capturedSelection.ts';
import { currentSnapshot } from '../editor/editorSnapshot.ts';
import { replace } from '../editor/inPlaceModes.ts';
import { isInsertModeId } from '../editor/insertMode.ts';
import { modeFor } from '../editor/insertModes.ts';
import { preview } from '../editor/previewMode.ts';
import type { Template } from '../templates/template.ts';
import { inform } from '../ui/notify.ts';
import * as texts from './generateMessages.ts';
import { Job } from './job.ts';
import { promptsFor } from './prompt.ts';
import { confirmSize } from './promptChecks.ts';
import { offerResult, prefixFor } from './responseNotifications.ts';
import { type GenerateDeps, runJob, withTemplate } from './runJob.ts';

/** Options that override the settings for one command. */
export interface GenerateOverrides {
  /** ID of an insert mode. */
  readonly insertMode?: string | undefined;
  readonly template?: Template | undefined;
}

/**
 * Generates a response for each selection. If nothing is selected, prompts the user for an
 * instruction, unless a template provides the prompt. Streams each response to the destination that
 * the insert mode defines.
 * @param invoked the document and selections at the time the command was invoked
 */
export async function generate(
  options: GenerateDeps,
  overrides: GenerateOverrides = {},
  invoked = currentSnapshot(),
): Promise<void> {
  if (!invoked) return inform(texts.NO_DOCUMENT);
  // Check the file before capturing the targets, because the document can change during the check.
  const mustPreview = await resolvesToAutoRunFile(invoked.document);
  const snapshot = upToDate(invoked);
  if (!snapshot) return inform(texts.CHANGED_MEANWHILE);
  const [first, ...more] = captureTargets(
    snapshot,
    overrides.template?.responseLanguage || undefined,
  );
  if (!first) return;
  const targets = [first, ...more] as const;
  if (options.jobs.isGeneratingFor(targets)) return inform(texts.ALREADY_RUNNING);
  const { document } = snapshot;
  const modeId = insertModeFor(document, overrides);
  const mode = modeFor(document, modeId, mustPreview);
  if (!mode) return reportSetting(texts.unknownInsertModeText(modeId), 'insertMode', 'warning');
  // The job tracks the selections from here on, because the input boxes that follow can stay open
  // for minutes.
  const rescue = (lost: Job) => void offerResult(lost, prefixFor(options.jobs, lost));
  const job = new Job(targets, overrides.template, mode, {
    previews: options.jobs.previews,
    rescue,
  });
  options.jobs.add(job);
  return runJob(options, job, job.indices, 'restart', async () => {
    // Determine the limit while the selection's folder is still the active folder.
    const { active } = options.connections;
    const limit = active && withTemplate(active, job).contextLength;
    const prompts = await promptsFor(targets, overrides.template);
    if (!prompts || !(await confirmSize(prompts, limit))) return false;
    for (const [index, prompt] of prompts.entries()) job.setPrompt(index, prompt);
    return true;
  });
}

function insertModeFor({ uri }: TextDocument, { template, insertMode }: GenerateOverrides): string {
  if (insertMode !== undefined) return insertMode;
  const { insertMode: inSettings } = readSettings(activeFolder(uri)?.uri);
  const ofTemplate = template?.insertMode ?? inSettings;
  if (ofTemplate !== replace.id) return ofTemplate;
  // If the user prefers previews, a template must not replace text without a preview. An unknown
  // mode may be a misspelled `preview`, so return it, too.
  return isInsertModeId(inSettings) && inSettings !== preview.id ? ofTemplate : inSettings;
}
