import type { WorkspaceFolder } from 'vscode';
import type { Connections } from '../connection/connections.ts';
import { activeFolder } from '../connection/folders.ts';
import { leadsToConfigFile } from '../editor/configFiles.ts';
import { writesUnseen } from '../editor/insertModes.ts';
import { brokenOff, retryText } from '../messages/messages.ts';
import type { Connection } from '../service/connection.ts';
import { ServiceError } from '../service/errors.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import type { UsedRequest, UsedTokens } from '../status/usageLedger.ts';
import { inform } from '../ui/notify.ts';
import { cancellable } from '../ui/progress.ts';
import * as texts from './generateMessages.ts';
import type { Job } from './job.ts';
import type { Jobs } from './jobs.ts';
import { offerResult, type RunAgain, tellOutcome } from './outcome.ts';
import { confirmSecrets } from './promptChecks.ts';
import { endOf, type RunMode } from './run.ts';
import { markLine, SlowResponseQuestion } from './waiting.ts';

/** What the main job needs from the rest of the extension. */
export interface GenerateDeps {
  readonly jobs: Jobs;
  readonly connections: Pick<Connections, 'for' | 'signOutSignal'>;
  readonly startWatch: () => GenerationWatch;
  /** Called with what each request has used. */
  readonly onUsage: (connection: Connection, request: UsedRequest) => void;
  /** Shows a failure. @returns true once the user wants another try */
  readonly report: (
    error: unknown,
    connection: Connection,
    at: { readonly folder: WorkspaceFolder | null; readonly lines: readonly number[] },
  ) => Promise<boolean>;
}

/** What became of one answer. */
interface Outcome {
  readonly index: number;
  /** Whether all of it that came stands where it should. */
  readonly isPlaced: boolean;
  /** Undefined if the answer came. */
  readonly error: unknown;
}

/** Answers of a job that are generated together. */
interface Run {
  readonly options: GenerateDeps;
  readonly job: Job;
  readonly indices: readonly number[];
  readonly runMode: RunMode;
}

/** What came of a run, and what it used. */
interface Ran {
  readonly connection: Connection;
  readonly folder: WorkspaceFolder | null;
  readonly outcomes: readonly Outcome[];
}

interface RunContext {
  readonly connection: Connection;
  readonly onUsed: (used: UsedTokens) => void;
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
  readonly silence: SlowResponseQuestion;
}

/** Requests that one command has open at a time; the client's own limit may be lower. */
const MOST_AT_ONCE = 8;

/**
 * Generates these answers of a job, writes them while they stream, and says what came of it. Text
 * that came before a failure stays until that of another try takes its place.
 * @param prepare what the user is asked first; false if they gave up
 */
export async function runJob(
  options: GenerateDeps,
  job: Job,
  indices: readonly number[],
  runMode: RunMode = 'restart',
  prepare: () => Promise<boolean> = async () => true,
): Promise<void> {
  if (job.isForgotten) return inform(texts.FORGOTTEN);
  const controller = job.activeRuns.take(indices);
  if (!controller) return inform(texts.ALREADY_RUNNING);
  const release = options.jobs.markRunning(job, controller);
  const run = { options, job, indices, runMode };
  let ran: Ran | undefined;
  try {
    if (await prepare()) ran = await attempt(run, controller);
  } finally {
    release();
    if (!ran) forgetIfEmpty(run);
  }
  // Not awaited here, because messages can stay open for hours and the texts would be kept until
  // then.
  if (ran) return tell(run, ran).finally(() => forgetIfEmpty(run));
}

/** Forgets a job without any text, once no message about it is open. */
function forgetIfEmpty({ options: { jobs }, job }: Run): void {
  if (job.text === '' && !job.isRunning) jobs.forget(job);
}

async function attempt(asked: Run, controller: AbortController): Promise<Ran | undefined> {
  const { options, job, runMode } = asked;
  const indices = asked.indices.filter((index) => job.canInsert(index, runMode));
  if (indices.length < asked.indices.length) inform(texts.CANNOT_INSERT);
  if (indices.length === 0) return undefined;
  const run = { ...asked, indices };
  const { uri } = job.document;
  const found = await options.connections.for(uri);
  if (!found) return undefined;
  // A key that is deleted while the service loads must not be sent anymore.
  const signedOut = options.connections.signOutSignal;
  const connection = withTemplate(found, job);
  if (!(await confirmSecrets(job, indices, connection))) return undefined;
  // Checked for each run, since the file may have been renamed, or a link may have a new target.
  if (writesUnseen(job.mode) && (await leadsToConfigFile(job.document))) {
    inform(texts.NEEDS_PREVIEW);
    return undefined;
  }
  const endStart = options.jobs.announcements.started(texts.GENERATING);
  const outcomes = await cancellable(
    texts.GENERATING,
    (cancel, say) => {
      const signal = AbortSignal.any([cancel, signedOut]);
      const silence = new SlowResponseQuestion(say);
      const onUsed = (used: UsedTokens) =>
        options.onUsage(connection, { model: connection.modelId, caller: 'selection', ...used });
      return generateAll(run, { connection, onUsed, signal, say, silence });
    },
    controller,
  ).finally(endStart);
  return { connection, folder: activeFolder(uri), outcomes };
}

/** A template can have its own model, and its parameters go before those of the settings. */
function withTemplate(connection: Connection, { template }: Job): Connection {
  if (!template) return connection;
  const parameters = { ...connection.parameters, ...template.parameters };
  return connection.with({ modelId: template.modelId ?? connection.modelId, parameters });
}

async function generateAll(run: Run, request: RunContext): Promise<Outcome[]> {
  const { job, indices } = run;
  const marks = new Map<number, () => void>();
  const unmark = (index: number) => marks.get(index)?.();
  const queue = indices.values();
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (const index of queue) {
      // Selections that are still waiting aren't started.
      if (request.signal.aborted) return;
      outcomes.push(await generateOne(run, index, request, () => unmark(index)));
      unmark(index);
      if (indices.length > 1) request.say(texts.generatingCount(outcomes.length, indices.length));
    }
  };
  try {
    for (const index of indices) {
      marks.set(index, markLine(job.document, job.linesOf(index).last));
    }
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  } finally {
    indices.forEach(unmark);
  }
  // In the order of the document, whichever ended first.
  return outcomes.toSorted((one, other) => one.index - other.index);
}

async function generateOne(
  { options: { jobs, startWatch }, job, runMode }: Run,
  index: number,
  { connection, onUsed, signal, say, silence }: RunContext,
  unmark: () => void,
): Promise<Outcome> {
  let watch: GenerationWatch | undefined;
  let said = '';
  try {
    watch = startWatch();
    const prompt = job.promptOf(index);
    const responseSoFar = job.begin(index, runMode);
    const generation = await silence.runAndAsk((ends, onSilence, onFirstText) => {
      return connection.generateText(prompt, {
        signal: ends,
        responseSoFar,
        onSilence,
        onUsage: onUsed,
        onText: (text) => {
          if (said === '') onFirstText();
          said += text;
          watch?.onText();
          job.append(index, text);
          // Behind it the edit would come 3 to 4 ms later (measured).
          unmark();
          jobs.keepResult(job);
        },
        onRetry: (retry) => {
          watch?.onRetry(retry);
          say(retryText(retry));
        },
      });
    }, signal);
    watch.onDone(generation);
    const isPlaced = await job.end(index, endOf(generation.stopReason));
    return { index, isPlaced, error: undefined };
  } catch (error) {
    watch?.onFailed(error);
    const isPlaced = await job.end(index, 'failed');
    return { index, isPlaced, error: said === '' ? error : brokenOff(error) };
  }
}

async function tell(
  { options, job, runMode }: Run,
  { connection, folder, outcomes }: Ran,
): Promise<void> {
  const runAgain: RunAgain = (indices, how) => runJob(options, job, indices, how);
  const linesOf = (indices: readonly number[]) =>
    job.indices.length > 1 ? indices.map((index) => job.linesOf(index).first) : [];
  const lost = outcomes.filter(({ isPlaced }) => !isPlaced).map(({ index }) => index);
  if (lost.length > 0 && !job.isTakenBack) void offerResult(job, linesOf(lost), lost);
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const came = outcomes.filter(({ error }) => error === undefined);
  const told = byKind(failed).map(async (alike) => {
    const indices = alike.map(({ index }) => index);
    const at = { folder, lines: linesOf(indices) };
    const wantsRetry = await options.report(alike[0]?.error, connection, at);
    if (wantsRetry) await runAgain(indices, runMode);
  });
  if (came.length > 0) {
    const text =
      failed.length === 0
        ? (job.mode.doneText ?? texts.completeText(job.indices.length))
        : texts.partlyCompleteText(came.length, linesOf(failed.map(({ index }) => index)));
    const announce = () => options.jobs.announcements.done(text);
    const isPlaced = came.every((outcome) => outcome.isPlaced);
    told.push(tellOutcome(job, isPlaced ? announce : () => {}, runAgain));
  }
  await Promise.all(told);
}

/** One message for all that failed alike. */
function byKind(failed: readonly Outcome[]): Outcome[][] {
  const kindOf = ({ error }: Outcome) => (error instanceof ServiceError ? error.kind : 'unknown');
  return [...Map.groupBy(failed, kindOf).values()];
}
