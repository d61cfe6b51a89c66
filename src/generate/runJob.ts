import { readSettings } from '../config/settings.ts';
import type { Connections } from '../connection/connections.ts';
import { activeFolder } from '../connection/folders.ts';
import { resolvesToAutoRunFile } from '../editor/autoRunFiles.ts';
import { writesUnseen } from '../editor/insertModes.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import { asIncomplete } from '../messages/messages.ts';
import type { Connection } from '../service/connection.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import { hasOwnModel } from '../service/service.ts';
import type { StartWatch } from '../status/generationWatch.ts';
import type { UsedRequest, UsedTokens } from '../status/usageLedger.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import { inform, offer } from '../ui/notify.ts';
import { cancellable } from '../ui/progress.ts';
import { endOf, type RunMode } from './activeRuns.ts';
import * as texts from './generateMessages.ts';
import type { Job } from './job.ts';
import { confirmSecrets } from './promptChecks.ts';
import type { RecentJobs } from './recentJobs.ts';
import { type Outcome, type ReportFailure, type RunResult, reportRun } from './reportRun.ts';
import type { RunAgain } from './responseNotifications.ts';
import { labelLine, WaitProgress } from './waiting.ts';

/** Dependencies of `generate` and `runJob`. */
export interface GenerateDeps {
  readonly jobs: RecentJobs;
  readonly connections: Pick<Connections, 'active' | 'for' | 'signOutSignal'>;
  readonly startWatch: StartWatch;
  /** Called with the token usage of a request (see `CallOptions.onUsage`). */
  readonly onUsage: (connection: Connection, request: UsedRequest) => void;
  readonly report: ReportFailure;
}

/** The responses that one run of a job generates, with the run's mode and dependencies. */
interface Run {
  readonly options: GenerateDeps;
  readonly job: Job;
  readonly indices: readonly number[];
  readonly runMode: RunMode;
}

interface RunContext {
  readonly connection: Connection;
  readonly onUsed: (used: UsedTokens) => void;
  readonly signal: AbortSignal;
  readonly progress: WaitProgress;
}

/**
 * Maximum number of concurrent requests in a run. The concurrency limit for the service's origin
 * can be lower.
 */
const MAX_AT_ONCE = 8;

/**
 * Generates the job's responses at these indices, inserts their text as it streams in, and reports
 * the outcome. Text received before a failure stays in the document. Depending on `runMode`, a
 * retry replaces this text or continues it.
 * @param prepare called before the run, for example to prompt the user; resolves to false if the
 * run shouldn't start
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
  const run = { options, job, indices, runMode };
  let ran: RunResult | undefined;
  try {
    if (await prepare()) {
      // From here on, Escape in the document cancels the run. If Escape canceled the run during
      // `prepare`, the user would lose the prompt they were entering. In an input box, such as
      // those in setup, Escape closes only the box.
      const unmark = options.jobs.markGenerating(job, controller);
      ran = await attempt(run, controller).finally(unmark);
    }
  } finally {
    job.activeRuns.release(controller);
    if (!ran) forgetIfUnanswered(run);
  }
  if (!ran) return;
  const runAgain: RunAgain = (again, how) => runJob(options, job, again, how);
  const { jobs, report } = options;
  const reported = { jobs, job, runMode, report, runAgain };
  // Return without `await`, because the messages can stay open for hours. A suspended function
  // would keep the selected text in memory.
  job.openReports += 1;
  return reportRun(reported, ran).finally(() => {
    job.openReports -= 1;
    forgetIfUnanswered(run);
  });
}

function forgetIfUnanswered({ options: { jobs }, job }: Run): void {
  // While a message is open, the user can still retry.
  if (isUnanswered(job) && job.openReports === 0) jobs.forget(job);
}

/** True if the job hasn't been forgotten, no run is active, and no text has arrived. */
export function isUnanswered(job: Job): boolean {
  return !job.isForgotten && !job.isRunning && job.text === '';
}

/**
 * Runs the generations. Also called by *Try Again*, *Retry*, and *Continue*.
 *
 * When `generateAll` resolves, all text that could be inserted is in the document. Code that acts
 * on inserted responses belongs after that call. `job.writtenBy` returns their text and ranges.
 * Don't wait for anything slow there, because the run is active until this function returns. The
 * user may already have typed or moved the cursor, so don't change a selection that the user has
 * changed.
 * @returns undefined if nothing was sent
 */
async function attempt(
  requested: Run,
  controller: AbortController,
): Promise<RunResult | undefined> {
  const { options, job, runMode } = requested;
  const indices = requested.indices.filter((index) => job.canInsert(index, runMode));
  const all = requested.indices.length;
  const skipped = all - indices.length;
  if (skipped > 0) inform(texts.cannotInsertText(skipped, all));
  if (indices.length === 0) return undefined;
  const run = { ...requested, indices };
  const { uri } = job.document;
  const found = await options.connections.for(activeFolder(uri));
  if (!found) return undefined;
  // Get the signal before `confirmSecrets`, because the user can sign out while its dialog is open.
  // The key must not be sent once the user has signed out.
  const signedOut = options.connections.signOutSignal;
  const connection = withTemplate(found, job);
  if (!(await confirmSecrets(job, indices, connection))) return undefined;
  // Check the file again for each run, because it may have been renamed, or a symbolic link in its
  // path may have a new target.
  if (writesUnseen(job.mode) && (await resolvesToAutoRunFile(job.document))) {
    inform(texts.NEEDS_PREVIEW);
    return undefined;
  }
  // The default model may cost more than the model that the user wanted.
  if (isModelReplaced(found, job)) {
    offer('warning', texts.INVALID_MODEL, ACTION_LABELS.selectModel, 'hostedModel.selectModel');
  }
  const { jobs } = options;
  const generating = texts.withEscHint(texts.GENERATING, jobs.isActive(job));
  const endStart = jobs.announcements.started(generating);
  const outcomes = await cancellable(
    generating,
    (cancel, say) => {
      const signal = AbortSignal.any([cancel, signedOut]);
      const showText = (text: string) => {
        // Remove the announcement that the run has started, because the status item may now show a
        // countdown, or Escape may no longer cancel the run.
        endStart();
        say(text);
      };
      const progress = new WaitProgress(showText, connection.requests, jobs, job, generating);
      const onUsed = (used: UsedTokens) =>
        options.onUsage(connection, { model: connection.modelId, caller: 'selection', ...used });
      return generateAll(run, { connection, onUsed, signal, progress }).finally(() =>
        progress.dispose(),
      );
    },
    controller,
  ).finally(endStart);
  const isCanceled = controller.signal.aborted || signedOut.aborted;
  return { connection, folder: activeFolder(uri), indices, outcomes, isCanceled };
}

/**
 * Returns a connection in which the template's model and parameters override those in the settings.
 */
export function withTemplate(connection: Connection, { template }: Job): Connection {
  if (!template) return connection;
  const parameters = { ...connection.parameters, ...template.parameters };
  return connection.with({ modelId: template.modelId ?? connection.modelId, parameters });
}

/** True if the default model is used because the model ID in the settings is invalid. */
function isModelReplaced(connection: Connection, { document, template }: Job): boolean {
  if (template?.modelId !== undefined || hasOwnModel(connection)) return false;
  return Boolean(readSettings(activeFolder(document.uri)?.uri).invalidModelId);
}

async function generateAll(run: Run, request: RunContext): Promise<Outcome[]> {
  const { job, indices, runMode } = run;
  const { progress } = request;
  const queue = indices.values();
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (const index of queue) {
      outcomes.push(await generateOne(run, index, request));
      progress.removeLabel(index);
      if (indices.length > 1) {
        const { length: failed } = outcomes.filter(({ error }) => error !== undefined);
        progress.onDone(outcomes.length - failed, failed, indices.length);
      }
    }
  };
  try {
    for (const index of indices) progress.addLabel(index, labelLine(job, index));
    // Start the run before any response ends so that the writer waits for every response.
    job.begin(indices, runMode);
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  } finally {
    for (const index of indices) progress.removeLabel(index);
  }
  // Sort the outcomes in document order for the messages, because generations can finish in any
  // order.
  return outcomes.toSorted((one, other) => one.index - other.index);
}

async function generateOne(
  { options: { jobs, startWatch }, job }: Run,
  index: number,
  { connection, onUsed, signal, progress }: RunContext,
): Promise<Outcome> {
  // If the run is canceled, generations that are still queued end without sending a request.
  if (signal.aborted) {
    const isPlaced = await job.end(index, 'failed');
    return { index, isPlaced, hasText: false, error: new ServiceError('cancelled') };
  }
  const watch = startWatch(connection);
  let hasText = false;
  try {
    const prompt = job.promptOf(index);
    const responseSoFar = job.responseSoFar(index);
    const generation = await withUserRetries(progress, signal, (request) =>
      connection.generateText(prompt, {
        signal: AbortSignal.any([signal, request.signal]),
        responseSoFar,
        onSilence: () => progress.onSilence(request),
        onRetry: (retry) =>
          progress.onRetry(request, { index, retry, leftMs: watch.onRetry(retry) }),
        onUsage: onUsed,
        onReasoning: () => progress.onActivity(request),
        onText: (text) => {
          progress.onActivity(request);
          hasText = true;
          watch.onText();
          job.append(index, text);
          // Remove the label after appending the text, because removing it first would delay the
          // edit by 3 to 4 ms (measured). If the text is still held back, keep the label.
          if (!job.isEmpty(index)) progress.removeLabel(index);
          jobs.keepResult(job);
        },
      }),
    );
    watch.onDone(generation);
    if (job.template) setContextKey('hasUsedTemplate');
    const isPlaced = await job.end(index, endOf(generation.stopReason));
    return { index, isPlaced, hasText, generation };
  } catch (error) {
    watch.onFailed(error);
    const isPlaced = await job.end(index, 'failed');
    // Text that was still held back when the generation failed isn't kept.
    const isKept = hasText && !job.isEmpty(index);
    return { index, isPlaced, hasText, error: isKept ? asIncomplete(error) : error };
  }
}

/**
 * Sends a request, and resends it each time the user chooses to retry rather than wait.
 * @throws if the last request fails or is canceled
 */
async function withUserRetries<Result>(
  progress: WaitProgress,
  cancelled: AbortSignal,
  run: (request: AbortController) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const request = new AbortController();
    try {
      return await run(request);
    } catch (error) {
      const isStopped = request.signal.aborted && isKind(error, 'cancelled');
      if (!isStopped || cancelled.aborted) throw error;
    } finally {
      progress.onEnd(request);
    }
  }
}
