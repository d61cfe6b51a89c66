import type { Used } from '../diagnostics/reportFailure.ts';
import { retryText } from '../messages/messages.ts';
import type { Client } from '../service/client.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import { inform } from '../ui/inform.ts';
import { cancellable } from '../ui/progress.ts';
import type { GenerateOptions } from './generateOptions.ts';
import type { Job, RunMode } from './job.ts';
import { offerResult } from './lastResult.ts';
import { markLine } from './mark.ts';
import { tellOutcome } from './outcome.ts';
import { isFreeOfSecrets } from './promptChecks.ts';
import { Silence } from './silence.ts';

/** What became of one answer. */
interface Outcome {
  readonly answer: number;
  /** Whether all of it that came stands where it should. */
  readonly isPlaced: boolean;
  /** Undefined if the answer came. */
  readonly error: unknown;
}

interface Request {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
  readonly runMode: RunMode;
  readonly silence: Silence;
}

/** Requests that one command has open at a time; the client's own limit may be lower. */
const MOST_AT_ONCE = 8;

/**
 * Generates these answers of a job, writes them while they stream, and says what came of it. Text
 * that came before a failure stays until that of another try takes its place.
 * @param prepare what the user is asked first; false if they gave up
 */
export async function runJob(
  options: GenerateOptions,
  job: Job,
  answers: readonly number[],
  runMode: RunMode = 'restart',
  prepare: () => Promise<boolean> = async () => true,
): Promise<void> {
  const controller = job.claims.take(answers);
  if (!controller) return inform('this text is being generated for already. Escape stops it.');
  const release = options.jobs.markRunning(job, controller);
  let ran: Awaited<ReturnType<typeof attempt>>;
  try {
    ran = (await prepare())
      ? await attempt(options, job, answers, { runMode, controller })
      : undefined;
  } finally {
    release();
  }
  if (ran) await job.hold(tell(options, job, runMode, ran));
}

async function attempt(
  options: GenerateOptions,
  job: Job,
  answers: readonly number[],
  { runMode, controller }: { readonly runMode: RunMode; readonly controller: AbortController },
): Promise<{ readonly used: Used; readonly outcomes: readonly Outcome[] } | undefined> {
  const document = job.document.uri;
  const credentials = await options.credentials(document);
  if (!credentials) return undefined;
  // Of this moment: a key that is deleted while the service loads must not be sent any more.
  const signedOut = options.signOut();
  const { settings } = job;
  const client = await options.client(credentials, settings);
  if (!(await isFreeOfSecrets(job, answers, client))) return undefined;
  const used = { document, credentials, settings };
  const outcomes = await cancellable(
    'generating…',
    (cancel, say) => {
      const signal = AbortSignal.any([cancel, signedOut]);
      const silence = new Silence(say);
      return generateAll(options, job, answers, { client, signal, say, runMode, silence });
    },
    controller,
  );
  return { used, outcomes };
}

async function generateAll(
  options: GenerateOptions,
  job: Job,
  answers: readonly number[],
  request: Request,
): Promise<Outcome[]> {
  const marked = answers.map((answer) => ({
    answer,
    unmark: markLine(job.document, job.linesOf(answer).last),
  }));
  const queue = marked.values();
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (const { answer, unmark } of queue) {
      outcomes.push({
        answer,
        ...(await generateOne(options, job, answer, { ...request, unmark })),
      });
      unmark();
      if (answers.length > 1) {
        request.say(`generating… ${outcomes.length} of ${answers.length} done`);
      }
    }
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  // In the order of the document, whichever ended first.
  return outcomes.toSorted((one, other) => one.answer - other.answer);
}

async function generateOne(
  { jobs, onStart }: GenerateOptions,
  job: Job,
  answer: number,
  request: Request & { readonly unmark: () => void },
): Promise<Omit<Outcome, 'answer'>> {
  const { client, signal, say, runMode, silence, unmark } = request;
  const watch = onStart();
  let hasText = false;
  try {
    const prompt = job.promptOf(answer);
    const answerSoFar = job.begin(answer, runMode);
    const generate = (ends: AbortSignal, onSilence: () => void, onFirstText: () => void) =>
      client.generateText(prompt, job.settings.parameters, {
        signal: ends,
        answerSoFar,
        onSilence,
        onText: (text) => {
          if (!hasText) onFirstText();
          hasText = true;
          watch.onText();
          job.append(answer, text);
          // Behind it the edit would come 3 to 4 ms later (measured).
          unmark();
          jobs.keepResult(job);
        },
        onRetry: (retry) => {
          watch.onRetry(retry);
          say(retryText(retry));
        },
      });
    const generation = await silence.broken(generate, signal);
    watch.onDone(generation);
    return { isPlaced: await job.end(answer, generation.stopReason), error: undefined };
  } catch (error) {
    watch.onFailed(error);
    const isPlaced = await job.end(answer);
    return { isPlaced, error: hasText ? brokenOff(error) : error };
  }
}

async function tell(
  options: GenerateOptions,
  job: Job,
  runMode: RunMode,
  { used, outcomes }: NonNullable<Awaited<ReturnType<typeof attempt>>>,
): Promise<void> {
  const linesOf = (answers: readonly number[]) =>
    job.answers.length > 1 ? answers.map((answer) => job.linesOf(answer).first) : [];
  const lost = outcomes.filter(({ isPlaced }) => !isPlaced).map(({ answer }) => answer);
  if (lost.length > 0 && !job.isTakenBack) void offerResult(job.part(lost), linesOf(lost));
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const told = byKind(failed).map(async (alike) => {
    const answers = alike.map(({ answer }) => answer);
    if (!(await options.report(alike[0]?.error, used, linesOf(answers)))) return;
    await runJob(options, job, answers, runMode);
  });
  const came = outcomes.filter(({ error }) => error === undefined);
  if (came.length > 0) {
    const isPlaced = came.every((outcome) => outcome.isPlaced);
    const again = (answers: readonly number[], how: RunMode) => runJob(options, job, answers, how);
    told.push(tellOutcome(job, isPlaced, again));
  }
  await Promise.all(told);
}

/** To whoever sees half an answer, whether its request ran is no question. */
function brokenOff(error: unknown): unknown {
  return isKind(error, 'connection-lost', 'timeout')
    ? new ServiceError('incomplete', error.details)
    : error;
}

/** One message for all that failed alike. */
function byKind(failed: readonly Outcome[]): Outcome[][] {
  const kindOf = ({ error }: Outcome) => (error instanceof ServiceError ? error.kind : 'unknown');
  return [...Map.groupBy(failed, kindOf).values()];
}
