import type { WorkspaceFolder } from 'vscode';
import { DEFAULT_NEW_TOKENS } from '../service/api/parameters.ts';
import type { Generation } from '../service/api/responseReader.ts';
import type { Connection } from '../service/connection.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import type { Template } from '../templates/template.ts';
import { inform } from '../ui/notify.ts';
import { endOf, type RunMode } from './activeRuns.ts';
import * as texts from './generateMessages.ts';
import type { Job } from './job.ts';
import type { RecentJobs } from './recentJobs.ts';
import {
  offerResult,
  offerWholeResponses,
  prefixFor,
  type RunAgain,
  reportOutcome,
} from './responseNotifications.ts';

/** Reports how the generations of a run ended. */

/**
 * Reports a failure. `prefix` is the start of the message (see `prefixFor`).
 * @returns true if the user wants to retry
 */
export type ReportFailure = (
  error: unknown,
  connection: Connection,
  at: {
    readonly folder: WorkspaceFolder | null;
    readonly prefix: string;
    readonly template: Template | undefined;
  },
) => Promise<boolean>;

/** The outcome of one generation. */
export interface Outcome {
  readonly index: number;
  /** False if some of the received text couldn't be written or shown. */
  readonly isPlaced: boolean;
  readonly hasText: boolean;
  /** Undefined if the generation failed. */
  readonly generation?: Generation;
  /** Undefined if the generation succeeded. */
  readonly error?: unknown;
}

/** The outcomes of a run, and the connection and folder that it used. */
export interface RunResult {
  readonly connection: Connection;
  readonly folder: WorkspaceFolder | null;
  /**
   * Indices of the responses in the run, except those that were skipped because they couldn't be
   * inserted.
   */
  readonly indices: readonly number[];
  /** One outcome for each of `indices`, in document order. */
  readonly outcomes: readonly Outcome[];
  readonly isCanceled: boolean;
}

interface ReportedRun {
  readonly jobs: Pick<RecentJobs, 'announcements' | 'needsName'>;
  readonly job: Job;
  readonly runMode: RunMode;
  readonly report: ReportFailure;
  readonly runAgain: RunAgain;
}

/**
 * Reports a run's failed and successful generations, and any text that couldn't be written or
 * shown.
 */
export async function reportRun(
  { jobs, job, runMode, report, runAgain }: ReportedRun,
  result: RunResult,
): Promise<void> {
  const { connection, folder, outcomes, isCanceled } = result;
  const prefix = (indices: readonly number[]) => prefixFor(jobs, job, linesOf(job, indices));
  const { undone } = job;
  const isUndone = ({ index }: Outcome) => undone.includes(index);
  const lost = outcomes
    .filter((outcome) => !outcome.isPlaced && !isUndone(outcome))
    .map(({ index }) => index);
  if (lost.length > 0) {
    // In modes that don't write into the document, all responses go to the same place, so a failed
    // write affects all of them.
    const affected = job.mode.placeOf ? lost : job.indices;
    void offerResult(job, prefix(affected), affected, job.mode.failedText);
  }
  const complete = outcomes.filter(({ generation }) => generation !== undefined);
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const reports = byKind(failed).map(async (alike) => {
    const again = alike.map(({ index }) => index);
    const at = { folder, prefix: prefix(again), template: job.template };
    const hasChanged = changeDetector(job, again);
    const wantsRetry = await report(alike[0]?.error, connection, at);
    if (wantsRetry && !hasChanged()) await runAgain(again, runMode);
  });
  warnIfReplaced(job, failed);
  if (complete.length === 0) {
    // In a mode with `doneText`, text is kept only while the user can still accept it.
    const isKept = job.mode.doneText === undefined || job.isPending;
    const hasText =
      isKept &&
      failed.some(
        (outcome) => outcome.hasText && !isUndone(outcome) && !job.isEmpty(outcome.index),
      );
    if (isCanceled && !outcomes.every(isUndone))
      jobs.announcements.done(texts.canceledText(hasText), 'circle-slash');
  } else {
    const isWhole = complete.length === result.indices.length;
    const isPlaced = complete.every((outcome) => outcome.isPlaced);
    const truncated = complete.filter(hasReachedLimit);
    const limit = commonLimit(truncated, connection);
    const received = outcomes.filter(({ hasText }) => hasText).map(({ index }) => index);
    const { length: empty } = complete.filter((outcome) => isEmpty(job, outcome, runMode));
    const isTruncated = truncated.length > 0;
    const responses = { received, complete: complete.length, empty, isTruncated };
    const announce = () => announceEnd(job, jobs.announcements, result);
    const ofDocument = prefixFor(jobs, job);
    const actions = { announce, runAgain, prefix: ofDocument };
    reports.push(reportOutcome(job, { ...actions, limit, isWhole, isPlaced, ...responses }));
    if (isPlaced && job.leftOut(received) === 'code') {
      reports.push(offerWholeResponses(job, ofDocument));
    }
  }
  await Promise.all(reports);
}

/**
 * Returns the first line (one-based) of each of these selections. Empty if the job has only one
 * selection.
 */
function linesOf(job: Job, indices: readonly number[]): number[] {
  return job.indices.length > 1 ? indices.map((index) => job.linesOf(index).first) : [];
}

/** Announces the end of a run in which at least one generation succeeded. */
function announceEnd(
  job: Job,
  announcements: RecentJobs['announcements'],
  { indices, outcomes, isCanceled }: RunResult,
): void {
  const { length: complete } = outcomes.filter(({ generation }) => generation !== undefined);
  if (complete === indices.length) {
    // `doneText` asks the user to accept the text, so use it only if the text can still be accepted.
    const ofMode = job.isPending ? job.mode.doneText : undefined;
    const isCodeOnly = job.leftOut(indices) !== undefined;
    announcements.done(ofMode ?? texts.completeText(complete, isCodeOnly));
    return;
  }
  const broken = outcomes.filter(({ error }) => error !== undefined && !isKind(error, 'cancelled'));
  const lines = linesOf(
    job,
    broken.map(({ index }) => index),
  );
  const text = texts.partlyCompleteText(complete, indices.length, lines);
  announcements.done(text, isCanceled ? 'circle-slash' : 'warning');
}

function hasReachedLimit({ generation }: Outcome): boolean {
  return generation !== undefined && endOf(generation.stopReason) === 'truncated';
}

/** Warns if a generation failed after some of its text had replaced the selection. */
function warnIfReplaced(job: Job, failed: readonly Outcome[]): void {
  const hasReplaced = ({ index, hasText, error }: Outcome) =>
    hasText && !isKind(error, 'cancelled') && job.hasReplaced(index);
  if (failed.some(hasReplaced)) inform(texts.REPLACED);
}

/**
 * Returns a function that returns true once the text of these responses has changed. While a
 * message is open, the user may retry from another message.
 */
function changeDetector(job: Job, indices: readonly number[]): () => boolean {
  const { length } = job.part(indices).text;
  return () => !job.isForgotten && job.part(indices).text.length !== length;
}

/**
 * True if a response ended without text. A truncated response doesn't count as empty. If a response
 * is regenerated but receives no text, it counts as empty, even though the earlier text stays.
 */
function isEmpty(job: Job, { index, hasText }: Outcome, runMode: RunMode): boolean {
  if (job.truncated.includes(index)) return false;
  return job.isEmpty(index) || (runMode === 'restart' && !hasText);
}

/**
 * Returns the value of `max_new_tokens` if that limit truncated all of these responses; undefined
 * if another limit, such as the context length, truncated any of them.
 */
function commonLimit(
  truncated: readonly Outcome[],
  { parameters }: Connection,
): number | undefined {
  const limit = parameters['max_new_tokens'] ?? DEFAULT_NEW_TOKENS;
  const isAtLimit = truncated.every(
    ({ generation }) =>
      generation?.stopReason === 'max_tokens' && generation.usage.outputTokens === limit,
  );
  return isAtLimit && typeof limit === 'number' ? limit : undefined;
}

/** Groups failures by kind so that each kind is reported once. */
function byKind(failed: readonly Outcome[]): Outcome[][] {
  const kindOf = ({ error }: Outcome) => (error instanceof ServiceError ? error.kind : 'unknown');
  return [...Map.groupBy(failed, kindOf).values()];
}
