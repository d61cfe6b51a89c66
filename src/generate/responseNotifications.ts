import { env, Range, TextEditorRevealType, window } from 'vscode';
import { targetOfParameter, writeParameter } from '../config/configuration.ts';
import { readSettings } from '../config/settings.ts';
import { reportSetting } from '../connection/connectionDialogs.ts';
import { targetText } from '../connection/connectionMessages.ts';
import { activeFolder, fileName } from '../connection/folders.ts';
import { editDocument, rangeOf } from '../editor/documentEdit.ts';
import { editorOf, showDocument } from '../editor/documentTabs.ts';
import { NOT_COPIED } from '../editor/insertMessages.ts';
import type { Undone } from '../editor/streamWriter.ts';
import { openEmpty } from '../editor/trackedDocument.ts';
import { messageFor } from '../messages/messages.ts';
import { inform } from '../ui/notify.ts';
import { openSettings } from '../ui/openSettings.ts';
import type { RunMode } from './activeRuns.ts';
import * as texts from './generateMessages.ts';
import type { Job, Result } from './job.ts';
import type { RecentJobs } from './recentJobs.ts';

/** Shows messages about responses, and runs the actions that the messages offer. */

/** Regenerates or continues the responses with these indices. */
export type RunAgain = (indices: readonly number[], runMode: RunMode) => Promise<void>;

/** The outcome of a run, and the callbacks needed to report it. */
export interface RunOutcome {
  /** Announces that the run has ended. */
  readonly announce: () => void;
  /** The start of each message with buttons: the document's name, or an empty string. */
  readonly prefix: string;
  readonly runAgain: RunAgain;
  /** True if at least one response in this run was truncated. */
  readonly isTruncated: boolean;
  /**
   * The value of `max_new_tokens` if no other limit truncated any responses in this run; otherwise
   * undefined.
   */
  readonly limit: number | undefined;
  /** True if all generations in the run succeeded. */
  readonly isWhole: boolean;
  /**
   * False if some of a successful generation's text couldn't be written or shown. In that case,
   * `offerResult` reports the failure.
   */
  readonly isPlaced: boolean;
  /** Indices of the responses that received text in this run. */
  readonly received: readonly number[];
  /** Number of successful generations in the run. */
  readonly complete: number;
  /** Number of successful generations whose response is empty. */
  readonly empty: number;
}

/**
 * Returns the start of a message about a job's responses. It contains the document's name only if
 * the message would otherwise be ambiguous.
 * @param lines the first line (one-based) of each affected selection; empty to omit the lines
 */
export function prefixFor(
  jobs: Pick<RecentJobs, 'needsName'>,
  job: Job,
  lines: readonly number[] = [],
): string {
  return texts.prefixText(jobs.needsName(job) ? fileName(job.document.uri) : '', lines);
}

/**
 * Shows messages about invisible characters, about truncated or empty responses, and about
 * responses that aren't in view. If a successful generation has text and no message offers an
 * action, announces that the run has ended. If the run was undone, or if text couldn't be written
 * or shown, reports only the invisible characters.
 */
export async function reportOutcome(job: Job, outcome: RunOutcome): Promise<void> {
  const { truncated } = job;
  const { complete, empty, received } = outcome;
  const { removed, kept } = job.invisible(received);
  const invisible = texts.invisibleText(removed, kept);
  if (invisible !== '') inform(invisible);
  // If the job is undone but this run received no text, the undo applied to an earlier run. This
  // run is still reported.
  const isUndone = job.isUndone && received.length > 0;
  if (isUndone || !outcome.isPlaced) return;
  if (empty > 0) inform(texts.emptyText(empty, job.indices.length));
  if (empty === complete) return;
  if (outcome.isTruncated) await offerMore(job, truncated, outcome);
  else if (outcome.isWhole && !isInView(job)) await offerToShow(job, outcome.prefix);
  else outcome.announce();
}

/**
 * Offers to continue truncated responses. After *Raise Limit...* or *Show*, shows the message
 * again.
 * @param done the effects of the user's earlier clicks on the message's buttons
 */
async function offerMore(
  job: Job,
  truncated: readonly number[],
  outcome: RunOutcome,
  done: { readonly isShown?: boolean; readonly savedLimit?: number | undefined } = {},
): Promise<void> {
  const { isShown = false, savedLimit } = done;
  const text =
    savedLimit === undefined
      ? texts.truncatedText(truncated.length, job.indices.length, outcome.limit)
      : texts.limitSaved(savedLimit);
  const warning = truncated.some((index) => job.hasReplaced(index)) ? `${texts.REPLACED} ` : '';
  const { CONTINUE, RAISE_LIMIT, SHOW, UNDO } = texts;
  // *Raise Limit...* helps only if the limit is `max_new_tokens` and the template doesn't set it.
  const canRaise =
    savedLimit === undefined &&
    outcome.limit !== undefined &&
    job.template?.parameters?.['max_new_tokens'] === undefined;
  // *Show* reveals the end of the last truncated response so that the user can decide whether to
  // continue it.
  const end = writtenRanges(job, truncated).at(-1)?.end;
  const place = end && new Range(end, end);
  const buttons = [
    CONTINUE,
    ...(canRaise ? [RAISE_LIMIT] : []),
    ...(place && !isShown && !isVisible(job, place) ? [SHOW] : []),
    ...(job.canUndo ? [UNDO] : []),
  ];
  const shown = `${outcome.prefix}${warning}${text}`;
  const picked = await window.showInformationMessage(shown, ...buttons);
  if (picked && job.isForgotten) return inform(texts.FORGOTTEN);
  if (picked === CONTINUE) await continueResponses(job, outcome.runAgain);
  if (picked === UNDO) reportUndone(await job.undo());
  if (picked === SHOW) {
    await show(job, place);
    await offerMore(job, truncated, outcome, { ...done, isShown: true });
  }
  if (picked === RAISE_LIMIT && outcome.limit !== undefined) {
    await offerMore(job, truncated, outcome, {
      ...done,
      savedLimit: await raiseLimit(job, outcome.limit),
    });
  }
}

/**
 * Prompts for a higher limit, and saves it in the settings that contain the current limit, or else
 * in the user settings. If other settings override the new limit, opens the settings.
 * @returns the new limit; undefined if the user canceled, or if the limit can't be saved
 */
async function raiseLimit({ document }: Job, limit: number): Promise<number | undefined> {
  const folder = activeFolder(document.uri)?.uri;
  const target = targetOfParameter('max_new_tokens', folder);
  const typed = await window.showInputBox({
    ...texts.limitQuestion(targetText(target)),
    value: String(2 * limit),
    ignoreFocusOut: true,
    validateInput: (text) => (numberIn(text) > limit ? undefined : texts.limitTooLow(limit)),
  });
  if (typed === undefined) return undefined;
  const newLimit = numberIn(typed);
  try {
    await writeParameter('max_new_tokens', newLimit, target);
  } catch (error) {
    reportSetting(messageFor(error)?.text ?? '', 'parameters');
    return undefined;
  }
  if (readSettings(folder).parameters['max_new_tokens'] !== newLimit)
    await openSettings('hostedModel.parameters');
  return newLimit;
}

/**
 * Parses a whole number of at most nine digits. The number may contain commas, as in the messages.
 * Returns NaN for any other text.
 */
function numberIn(text: string): number {
  const number = text.trim();
  const isWhole = /^(?:\d{1,9}|[1-9]\d{0,2}(?:,\d{3}){1,2})$/.test(number);
  return isWhole ? Number(number.replaceAll(',', '')) : Number.NaN;
}

/**
 * True if an editor shows some of the generated text, or if no text was written into the document.
 */
function isInView(job: Job): boolean {
  const written = writtenRanges(job);
  return written.length === 0 || written.some((range) => isVisible(job, range));
}

/** True if any of the range's lines is visible in an editor. */
function isVisible({ document }: Job, range: Range): boolean {
  const visible = editorOf(document)?.visibleRanges ?? [];
  return visible.some(
    ({ start, end }) => start.line <= range.end.line && range.start.line <= end.line,
  );
}

/** Reports that the responses aren't in view, and offers to jump to the first response. */
async function offerToShow(job: Job, prefix: string): Promise<void> {
  const text = `${prefix}${texts.outOfViewText(job.indices.length)}`;
  if ((await window.showInformationMessage(text, texts.SHOW)) !== texts.SHOW) return;
  if (job.isForgotten) return inform(texts.FORGOTTEN);
  await show(job);
}

/**
 * Jumps to a place in the document, or opens a copy of the responses if the document was closed.
 * @param place defaults to the first response
 */
async function show(job: Job, place = writtenRanges(job)[0]): Promise<void> {
  if (job.document.isClosed) return showResult(job);
  await showDocument(job.document);
  const { InCenterIfOutsideViewport } = TextEditorRevealType;
  if (place) editorOf(job.document)?.revealRange(place, InCenterIfOutsideViewport);
}

/**
 * Returns the ranges of these responses in the document, without leading or trailing whitespace.
 */
function writtenRanges(job: Job, indices: readonly number[] = job.indices): Range[] {
  const { document } = job;
  return job.writtenBy(indices).map(({ start, text }) => {
    const lead = text.length - text.trimStart().length;
    return rangeOf(document, { start: start + lead, end: start + text.trimEnd().length });
  });
}

/** Continues a job's truncated responses, or explains why there are none to continue. */
export async function continueResponses(job: Job | undefined, runAgain: RunAgain): Promise<void> {
  if (job?.isUndone) return inform(texts.ALREADY_UNDONE);
  if (!job || job.truncated.length === 0) return inform(texts.NOTHING_TRUNCATED);
  await runAgain(job.truncated, 'continue');
}

/**
 * Shows a message if there was nothing to undo, or if some text couldn't be removed. A successful
 * undo needs no message, because the user can see that the text is gone.
 */
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

/** Reports that a code block was left out, and offers to open the complete responses. */
export async function offerWholeResponses(job: Job, prefix: string): Promise<void> {
  const text = prefix + texts.MORE_CODE;
  const picked = await window.showInformationMessage(text, texts.OPEN_IN_NEW_DOCUMENT);
  if (picked && job.isForgotten) return inform(texts.FORGOTTEN);
  if (picked) await showResult(job);
}

/**
 * Reports that responses couldn't be written or shown, and offers to open or copy them. Does
 * nothing if the responses have no text.
 * @param prefix the start of the message (see `prefixFor`)
 * @param indices indices of the affected responses
 * @param failureText a sentence that describes the failure, such as `NOT_COPIED`
 */
export async function offerResult(
  job: Job,
  prefix: string,
  indices = job.indices,
  failureText = texts.NOT_INSERTED,
): Promise<void> {
  if (job.part(indices).text === '') return;
  const text = `${prefix}${texts.notPlacedText(failureText)}`;
  const picked = await window.showWarningMessage(text, texts.OPEN_IN_NEW_DOCUMENT, texts.COPY);
  if (picked && job.isForgotten) return inform(texts.FORGOTTEN);
  const result = job.part(indices);
  if (picked === texts.OPEN_IN_NEW_DOCUMENT) await showResult(result);
  if (picked === texts.COPY) {
    const offerAgain = () => offerResult(job, prefix, indices, NOT_COPIED);
    await env.clipboard.writeText(result.text).then(undefined, offerAgain);
  }
}
