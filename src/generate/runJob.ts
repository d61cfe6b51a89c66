import type { WorkspaceFolder } from 'vscode';
import type { Connections } from '../connection/connections.ts';
import { activeFolder } from '../connection/folders.ts';
import { resolvesToAutoRunFile } from '../editor/autoRunFiles.ts';
import { writesUnseen } from '../editor/insertModes.ts';
import { asIncomplete } from '../messages/messages.ts';
import { DEFAULT_NEW_TOKENS } from '../service/api/parameters.ts';
import type { Generation } from '../service/api/responseReader.ts';
import type { Connection } from '../service/connection.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import type { UsedRequest, UsedTokens } from '../status/usageLedger.ts';
import type { Template } from '../templates/template.ts';
import { inform } from '../ui/notify.ts';
import { cancellable } from '../ui/progress.ts';
import { endOf, type RunMode } from './activeRuns.ts';
import * as texts from './generateMessages.ts';
import type { Job } from './job.ts';
import type { Jobs } from './jobs.ts';
import { confirmSecrets } from './promptChecks.ts';
import { offerResult, type RunAgain, reportOutcome } from './reportOutcome.ts';
import { markLine, rerunUntilText, WaitProgress } from './waiting.ts';

/** Dependencies of `runJob`. */
export interface GenerateDeps {
  readonly jobs: Jobs;
  readonly connections: Pick<Connections, 'for' | 'signOutSignal'>;
  readonly startWatch: () => GenerationWatch;
  /** Called with the token usage of each request. */
  readonly onUsage: (connection: Connection, request: UsedRequest) => void;
  /**
   * Reports a failure. `lines` are the one-based first lines of the selections; empty if the job
   * has only one selection.
   * @returns true if the user wants a retry
   */
  readonly report: (
    error: unknown,
    connection: Connection,
    at: {
      readonly folder: WorkspaceFolder | null;
      readonly lines: readonly number[];
      readonly template: Template | undefined;
    },
  ) => Promise<boolean>;
}

/** The outcome of one generation. */
interface Outcome {
  readonly index: number;
  /** True if all received text was inserted. */
  readonly isPlaced: boolean;
  readonly hasText: boolean;
  /** Undefined if the generation failed. */
  readonly generation?: Generation;
  /** Undefined if the generation succeeded. */
  readonly error?: unknown;
}

/** Some of a job's responses, which are generated together. */
interface Run {
  readonly options: GenerateDeps;
  readonly job: Job;
  readonly indices: readonly number[];
  readonly runMode: RunMode;
}

/** The outcomes of a run, and the connection and folder that it used. */
interface RunResult {
  readonly connection: Connection;
  readonly folder: WorkspaceFolder | null;
  /** Indices of the responses in the run, without those that couldn't be inserted. */
  readonly indices: readonly number[];
  /** One outcome for each response in the run, in document order. */
  readonly outcomes: readonly Outcome[];
  readonly isCanceled: boolean;
}

interface RunContext {
  readonly connection: Connection;
  readonly onUsed: (used: UsedTokens) => void;
  readonly signal: AbortSignal;
  readonly progress: WaitProgress;
}

/**
 * Maximum number of concurrent requests in a run. The client's own concurrency limit can be lower.
 */
const MAX_AT_ONCE = 8;

/**
 * Generates some of a job's responses, inserts them while they stream, and reports the outcome.
 * Text received before a failure stays until a retry replaces it.
 * @param prepare prompts the user before the run; resolves to false if the user cancels
 */
export async function runJob(
  options: GenerateDeps,
  job: Job,
  indices: readonly number[],
  runMode: RunMode = 'restart',
  prepare: () => Promise<boolean> = async () => true,
): Promise<void> {
  if (job.isForgotten) return inform(texts.FORGOTTEN);
  const controller = job.activeRuns.reserve(indices);
  if (!controller) return inform(texts.ALREADY_RUNNING);
  const release = options.jobs.markRunning(job, controller);
  const run = { options, job, indices, runMode };
  let ran: RunResult | undefined;
  try {
    if (await prepare()) ran = await attempt(run, controller);
  } finally {
    release();
    if (!ran) forgetIfEmpty(run);
  }
  // Returned without `await`, because the messages can stay open for hours. A suspended function
  // would keep the selected text in memory.
  if (ran) return reportRun(run, ran).finally(() => forgetIfEmpty(run));
}

/** Forgets a job that has no text and isn't running. */
function forgetIfEmpty({ options: { jobs }, job }: Run): void {
  if (job.text === '' && !job.isRunning) jobs.forget(job);
}

async function attempt(asked: Run, controller: AbortController): Promise<RunResult | undefined> {
  const { options, job, runMode } = asked;
  const indices = asked.indices.filter((index) => job.canInsert(index, runMode));
  if (indices.length < asked.indices.length) inform(texts.CANNOT_INSERT);
  if (indices.length === 0) return undefined;
  const run = { ...asked, indices };
  const { uri } = job.document;
  const found = await options.connections.for(uri);
  if (!found) return undefined;
  // Captured before the following confirmation, because the user can sign out while it's open. The
  // key must not be sent after a sign-out.
  const signedOut = options.connections.signOutSignal;
  const connection = withTemplate(found, job);
  if (!(await confirmSecrets(job, indices, connection))) return undefined;
  // Checked again for each run, because the file may have been renamed, or a link may have a new
  // target.
  if (writesUnseen(job.mode) && (await resolvesToAutoRunFile(job.document))) {
    inform(texts.NEEDS_PREVIEW);
    return undefined;
  }
  const endStart = options.jobs.announcements.started(texts.GENERATING);
  const outcomes = await cancellable(
    texts.GENERATING,
    (cancel, say) => {
      const signal = AbortSignal.any([cancel, signedOut]);
      const progress = new WaitProgress(say);
      const onUsed = (used: UsedTokens) =>
        options.onUsage(connection, { model: connection.modelId, caller: 'selection', ...used });
      return generateAll(run, { connection, onUsed, signal, progress });
    },
    controller,
  ).finally(endStart);
  const isCanceled = controller.signal.aborted || signedOut.aborted;
  return { connection, folder: activeFolder(uri), indices, outcomes, isCanceled };
}

/** Applies the model and parameters of the template, which override those in the settings. */
function withTemplate(connection: Connection, { template }: Job): Connection {
  if (!template) return connection;
  const parameters = { ...connection.parameters, ...template.parameters };
  return connection.with({ modelId: template.modelId ?? connection.modelId, parameters });
}

async function generateAll(run: Run, request: RunContext): Promise<Outcome[]> {
  const { job, indices, runMode } = run;
  const marks = new Map<number, () => void>();
  const unmark = (index: number) => marks.get(index)?.();
  const queue = indices.values();
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (const index of queue) {
      outcomes.push(await generateOne(run, index, request, () => unmark(index)));
      unmark(index);
      if (indices.length > 1) request.progress.onDone(outcomes.length, indices.length);
    }
  };
  try {
    for (const index of indices) {
      marks.set(index, markLine(job.document, job.linesOf(index).last));
    }
    // All responses begin before any ends, so that the writer knows which ones to wait for.
    for (const index of indices) job.begin(index, runMode);
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  } finally {
    indices.forEach(unmark);
  }
  // Generations can finish in any order, but messages list them in document order.
  return outcomes.toSorted((one, other) => one.index - other.index);
}

async function generateOne(
  { options: { jobs, startWatch }, job }: Run,
  index: number,
  { connection, onUsed, signal, progress }: RunContext,
  unmark: () => void,
): Promise<Outcome> {
  // After a cancellation, generations that are still queued end without a request.
  if (signal.aborted) {
    const isPlaced = await job.end(index, 'failed');
    return { index, isPlaced, hasText: false, error: new ServiceError('cancelled') };
  }
  const watch = startWatch();
  let hasText = false;
  try {
    const prompt = job.promptOf(index);
    const responseSoFar = job.responseSoFar(index);
    const generation = await rerunUntilText(progress, signal, (request) => {
      const { resumesInMs } = connection.requests.state;
      if (resumesInMs !== undefined) progress.onPause(request, resumesInMs);
      return connection.generateText(prompt, {
        signal: AbortSignal.any([signal, request.signal]),
        responseSoFar,
        onSilence: () => progress.onSilence(request),
        onRetry: (retry) => progress.onRetry(request, retry, watch.onRetry(retry)),
        onUsage: onUsed,
        onReasoning: () => progress.onActivity(request),
        onText: (text) => {
          progress.onActivity(request);
          hasText = true;
          watch.onText();
          job.append(index, text);
          // Removes the label after the append, because removing it first would delay the edit by 3
          // to 4 ms (measured).
          unmark();
          jobs.keepResult(job);
        },
      });
    });
    watch.onDone(generation);
    const isPlaced = await job.end(index, endOf(generation.stopReason));
    return { index, isPlaced, hasText, generation };
  } catch (error) {
    watch.onFailed(error);
    const isPlaced = await job.end(index, 'failed');
    return { index, isPlaced, hasText, error: hasText ? asIncomplete(error) : error };
  }
}

async function reportRun(
  { options, job, runMode }: Run,
  { connection, folder, indices, outcomes, isCanceled }: RunResult,
): Promise<void> {
  const runAgain: RunAgain = (again, how) => runJob(options, job, again, how);
  const linesOf = (some: readonly number[]) =>
    job.indices.length > 1 ? some.map((index) => job.linesOf(index).first) : [];
  const lost = outcomes.filter(({ isPlaced }) => !isPlaced).map(({ index }) => index);
  if (lost.length > 0 && !job.isUndone) {
    // Modes that write elsewhere write all responses to the same place.
    const affected = job.mode.placeOf ? lost : job.indices;
    void offerResult(job, linesOf(affected), affected, job.mode.failedText);
  }
  const complete = outcomes.filter(({ generation }) => generation !== undefined);
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const reports = byKind(failed).map(async (alike) => {
    const again = alike.map(({ index }) => index);
    const at = { folder, lines: linesOf(again), template: job.template };
    const wantsRetry = await options.report(alike[0]?.error, connection, at);
    if (wantsRetry) await runAgain(again, runMode);
  });
  const { announcements } = options.jobs;
  if (complete.length === 0) {
    const hasText = failed.some((outcome) => outcome.hasText);
    if (isCanceled && !job.isUndone)
      announcements.done(texts.canceledText(hasText), 'circle-slash');
  } else {
    const isWhole = complete.length === indices.length;
    const announce = () => {
      if (isWhole) {
        return announcements.done(job.mode.doneText ?? texts.completeText(complete.length));
      }
      const broken = failed.filter(({ error }) => !isKind(error, 'cancelled'));
      const lines = linesOf(broken.map(({ index }) => index));
      const text = texts.partlyCompleteText(complete.length, indices.length, lines);
      announcements.done(text, isCanceled ? 'circle-slash' : 'warning');
    };
    const isPlaced = complete.every((outcome) => outcome.isPlaced);
    const truncated = complete.flatMap(({ generation }) =>
      generation && endOf(generation.stopReason) === 'truncated' ? generation : [],
    );
    const isTruncated = truncated.length > 0;
    const limit = commonLimit(truncated, connection);
    const received = outcomes.filter(({ hasText }) => hasText).map(({ index }) => index);
    const { length: empty } = complete.filter((outcome) => isEmpty(job, outcome, runMode));
    const responses = { received, complete: complete.length, empty };
    const outcome = { announce, runAgain, isTruncated, limit, isWhole, isPlaced, ...responses };
    reports.push(reportOutcome(job, outcome));
  }
  await Promise.all(reports);
}

/**
 * True if a response ended without text. A truncated response doesn't count. If a restarted
 * generation receives nothing, the earlier response stays, so its text doesn't count either.
 */
function isEmpty(job: Job, { index, hasText }: Outcome, runMode: RunMode): boolean {
  if (job.truncated.includes(index)) return false;
  return job.isEmpty(index) || (runMode === 'restart' && !hasText);
}

/**
 * Returns the token limit that all truncated responses reached. Undefined if any of them reached
 * another limit, such as the end of the context.
 */
function commonLimit(
  truncated: readonly Generation[],
  { parameters }: Connection,
): number | undefined {
  const limit = parameters['max_new_tokens'] ?? DEFAULT_NEW_TOKENS;
  const isAtLimit = truncated.every(
    ({ stopReason, usage }) => stopReason === 'max_tokens' && usage.outputTokens === limit,
  );
  return isAtLimit && typeof limit === 'number' ? limit : undefined;
}

/** Groups failures by kind, so that each kind is reported once. */
function byKind(failed: readonly Outcome[]): Outcome[][] {
  const kindOf = ({ error }: Outcome) => (error instanceof ServiceError ? error.kind : 'unknown');
  return [...Map.groupBy(failed, kindOf).values()];
}
