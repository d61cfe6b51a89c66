import { env, Range, window } from 'vscode';
import { inLines } from '../diagnose/checkMessages.ts';
import { editDocument } from '../editor/documentEdit.ts';
import { openEmpty } from '../editor/editorDocument.ts';
import type { Undone } from '../editor/streamWriter.ts';
import { inform } from '../ui/notify.ts';
import * as texts from './generateMessages.ts';
import type { Job, Result } from './job.ts';
import type { RunMode } from './runState.ts';

/** Messages about responses, and the actions that the messages offer. */

/** Regenerates or continues some responses of a job. */
export type RunAgain = (indices: readonly number[], runMode: RunMode) => Promise<void>;

/**
 * Shows messages about invisible characters, and about truncated or empty responses.
 * @param announce announces complete responses; not called if any is truncated, or if all are empty
 *   or undone
 */
export async function reportOutcome(
  job: Job,
  announce: () => void,
  runAgain: RunAgain,
): Promise<void> {
  const { truncated } = job;
  const invisible = texts.invisibleText(job.removed, job.kept);
  if (invisible !== '') inform(invisible);
  if (job.isUndone) return;
  if (truncated.length > 0) await offerMore(job, truncated, runAgain);
  else if (job.text === '') inform(texts.NOTHING_TO_SAY);
  else announce();
}

async function offerMore(
  job: Job,
  truncated: readonly number[],
  runAgain: RunAgain,
): Promise<void> {
  const text = texts.truncatedText(truncated.length, job.indices.length);
  const { CONTINUE, TRY_AGAIN, UNDO } = texts;
  const picked = await window.showInformationMessage(text, CONTINUE, TRY_AGAIN, UNDO);
  if (picked && job.isForgotten) return inform(texts.FORGOTTEN);
  if (picked === CONTINUE) await continueResponses(job, runAgain);
  if (picked === TRY_AGAIN) await runAgain(truncated, 'restart');
  if (picked === UNDO) reportUndone(await job.undo());
}

/** Continues the truncated responses of a job, or explains why there are none to continue. */
export async function continueResponses(job: Job | undefined, runAgain: RunAgain): Promise<void> {
  if (job?.isUndone) return inform(texts.TAKEN_BACK);
  if (!job || job.truncated.length === 0) return inform(texts.NOTHING_CUT);
  await runAgain(job.truncated, 'continue');
}

/** Explains a failed undo. Shows nothing after a successful one, because the text is gone. */
export function reportUndone(undone: Undone): void {
  if (undone === 'nothing') inform(texts.NOTHING_TO_UNDO);
  if (undone === 'refused') inform(texts.UNDO_REFUSED);
}

/** Opens a result in a new document, or shows a message if there is no result. */
export async function showResult(result: Result | undefined): Promise<void> {
  if (result) {
    const document = await openEmpty(result.languageId);
    await editDocument(document, [[new Range(0, 0, 0, 0), result.text]]);
    await window.showTextDocument(document);
  } else {
    await window.showInformationMessage(texts.NO_RESULT);
  }
}

/**
 * Reports that responses couldn't be inserted, and offers to open or copy them.
 * @param lines one-based first line of each affected selection; empty to omit the lines from the
 * message
 * @param indices indices of the responses that couldn't be inserted
 */
export async function offerResult(
  job: Job,
  lines: readonly number[] = [],
  indices = job.indices,
): Promise<void> {
  if (job.part(indices).text === '') return;
  const text = texts.notPlacedText(inLines(lines));
  const picked = await window.showWarningMessage(text, texts.OPEN_IN_NEW_DOCUMENT, texts.COPY);
  if (picked && job.isForgotten) return inform(texts.FORGOTTEN);
  const result = job.part(indices);
  if (picked === texts.OPEN_IN_NEW_DOCUMENT) await showResult(result);
  if (picked === texts.COPY) await env.clipboard.writeText(result.text);
}
