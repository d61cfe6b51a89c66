import type { TextDocument } from 'vscode';
import { readSettings } from '../config/settings.ts';
import { leadsToConfigFile } from '../editor/configFiles.ts';
import { modeFor } from '../editor/insertModes.ts';
import { captureTargets, currentSnapshot, upToDate } from '../editor/target.ts';
import type { Template } from '../templates/template.ts';
import { inform } from '../ui/notify.ts';
import * as texts from './generateMessages.ts';
import { Job } from './job.ts';
import { offerResult } from './outcome.ts';
import { promptsFor } from './prompt.ts';
import { confirmSize } from './promptChecks.ts';
import { type GenerateDeps, runJob } from './runJob.ts';

/** What was chosen for one generation besides what the settings say. */
export interface Order {
  /** Id of an insert mode. */
  readonly insertMode?: string | undefined;
  readonly template?: Template | undefined;
}

/**
 * Sends the selected texts, or with no selection a typed prompt, and writes the answers where the
 * insert mode says while they stream.
 * @param invoked the document and selections when the command was run
 */
export async function generate(
  options: GenerateDeps,
  order: Order = {},
  invoked = currentSnapshot(),
): Promise<void> {
  if (!invoked) return inform(texts.NO_DOCUMENT);
  // Before anything is captured: from then on nothing may change unseen.
  const mustPreview = await leadsToConfigFile(invoked.document);
  const snapshot = upToDate(invoked);
  if (!snapshot) return inform(texts.CHANGED_MEANWHILE);
  const [first, ...more] = captureTargets(snapshot, order.template?.responseLanguage || undefined);
  if (!first) return;
  const targets = [first, ...more] as const;
  if (options.jobs.isAtWorkOn(targets)) return inform(texts.ALREADY_RUNNING);
  const { document } = snapshot;
  const mode = modeFor(document, insertModeFor(document, order), mustPreview);
  // From here on the places are followed: what comes next can take the user minutes.
  const rescue = (lost: Job) => void offerResult(lost);
  const job = new Job(targets, order.template, mode, { previews: options.jobs.previews, rescue });
  options.jobs.add(job);
  return runJob(options, job, job.indices, 'restart', async () => {
    const prompts = await promptsFor(targets, order.template);
    if (!prompts || !(await confirmSize(prompts))) return false;
    for (const [index, prompt] of prompts.entries()) job.setPrompt(index, prompt);
    return true;
  });
}

function insertModeFor({ uri }: TextDocument, { template, insertMode }: Order): string {
  return insertMode ?? template?.insertMode ?? readSettings(uri).insertMode;
}
