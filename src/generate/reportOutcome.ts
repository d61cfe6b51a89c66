import { env, Range, window } from 'vscode';
import { inLines } from '../diagnose/checkMessages.ts';
import { editDocument, editorOf, showDocument } from '../editor/documentEdit.ts';
import { openEmpty } from '../editor/editorDocument.ts';
import type { Undone } from '../editor/streamWriter.ts';
import { inform } from '../ui/notify.ts';
import { openSettings } from '../ui/openSettings.ts';
import * as texts from './generateMessages.ts';
import type { Job, Result } from './job.ts';
import type { RunMode } from './runState.ts';

/** Messages about responses, and the actions that the messages offer. */

/** Regenerates or continues some responses of a job. */
export type RunAgain = (indices: readonly number[], runMode: RunMode) => Promise<void>;

/**
 * Shows messages about invisible characters, about truncated or empty responses, and about
 * responses that aren't in view.
 * @param announce announces complete responses in view; undefined if they couldn't be inserted
 * @param limit number of tokens at which the truncated responses ended, if it's the same for all
 */
export async function reportOutcome(
  job: Job,
  announce: (() => void) | undefined,
  runAgain: RunAgain,
  limit: number | undefined,
): Promise<void> {
  const { truncated } = job;
  const invisible = texts.invisibleText(job.removed, job.kept);
  if (invisible !== '') inform(invisible);
  if (job.isUndone) return;
  if (truncated.length > 0) await offerMore(job, truncated, runAgain, limit);
  else if (job.text === '') inform(texts.RESPONSE_IS_EMPTY);
  else if (announce && isInView(job)) announce();
  else if (announce) await offerToShow(job);
}

async function offerMore(
  job: Job,
  truncated: readonly number[],
  runAgain: RunAgain,
  limit: number | undefined,
): Promise<void> {
  const text = texts.truncatedText(truncated.length, job.indices.length, limit);
  const { CONTINUE, RAISE_LIMIT, UNDO } = texts;
  const picked = await window.showInformationMessage(text, CONTINUE, RAISE_LIMIT, UNDO);
  if (picked && job.isForgotten) return inform(texts.FORGOTTEN);
  if (picked === CONTINUE) await continueResponses(job, runAgain);
  if (picked === RAISE_LIMIT) await openSettings('hostedModel.parameters');
  if (picked === UNDO) reportUndone(await job.undo());
}

/** True if an editor shows the line of the last selection, next to which its response goes. */
function isInView(job: Job): boolean {
  if (!job.mode.placeOf) return true;
  const line = lastLineOf(job);
  const ranges = editorOf(job.document)?.visibleRanges ?? [];
  return ranges.some(({ start, end }) => start.line <= line && line <= end.line);
}

/** Reports that a response isn't in view, and offers to jump to it. */
async function offerToShow(job: Job): Promise<void> {
  const picked = await window.showInformationMessage(texts.OUT_OF_VIEW, texts.SHOW);
  if (picked !== texts.SHOW) return;
  if (job.isForgotten) return inform(texts.FORGOTTEN);
  if (job.document.isClosed) return showResult(job);
  await showDocument(job.document);
  const line = lastLineOf(job);
  editorOf(job.document)?.revealRange(new Range(line, 0, line + 1, 0));
}

/** The last line of the last selection, zero-based. */
function lastLineOf(job: Job): number {
  return job.linesOf(job.indices.at(-1) ?? 0).last - 1;
}

/** Continues the truncated responses of a job, or explains why there are none to continue. */
export async function continueResponses(job: Job | undefined, runAgain: RunAgain): Promise<void> {
  if (job?.isUndone) return inform(texts.ALREADY_UNDONE);
  if (!job || job.truncated.length === 0) return inform(texts.NOTHING_TRUNCATED);
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
