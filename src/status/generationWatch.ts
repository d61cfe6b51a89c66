import type { Generation } from '../service/api/responseReader.ts';
import type { Connection } from '../service/connection.ts';
import { isKind, isUnreachable } from '../service/errors.ts';
import type { Retry } from '../service/http/httpTypes.ts';
import { MAX_RETRIES } from '../service/http/retryRules.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import type { Log } from '../ui/log.ts';
import { oneLine } from '../ui/oneLine.ts';
import type { PastGeneration, SessionHistory } from './sessionHistory.ts';
import type { StatusItem } from './statusItem.ts';
import type { RunningGeneration } from './statusView.ts';

/** Receives progress updates from one generation, for the status item, the log, and the history. */
export interface GenerationWatch {
  /** @returns a function that returns the number of milliseconds left until the retry */
  onRetry(retry: Retry): () => number;
  onText(): void;
  onDone(generation: Generation): void;
  onFailed(error: unknown): void;
}

/**
 * Returns a function that creates a watch for one generation. A watch updates the status item and
 * logs facts such as durations and token counts. It never logs prompts or responses. Each parameter
 * that is left out of requests is logged only once per window.
 */
export function generationWatches(deps: WatchDeps): StartWatch {
  const running = new Set<RunningGeneration>();
  const named = new Set<string>();
  return ({ requests }) => watchGeneration(deps, requests, running, named);
}

export type StartWatch = (connection: Pick<Connection, 'requests'>) => GenerationWatch;

interface WatchDeps {
  readonly status: StatusItem;
  readonly log: Log;
  readonly history: SessionHistory;
}

function watchGeneration(
  { status, log, history }: WatchDeps,
  requests: RunningGeneration['requests'],
  running: Set<RunningGeneration>,
  named: Set<string>,
): GenerationWatch {
  const startedAt = performance.now();
  const passedMs = () => Math.round(performance.now() - startedAt);
  let firstTextMs: number | undefined;
  // Monotonic, so changes to the system clock don't affect the countdown.
  let retryAt = 0;
  const retryInMs = () => retryAt - performance.now();
  const generation: RunningGeneration = { requests, retryInMs };
  const updateStatus = () => status.update({ running: [...running] });
  const ended = (end: PastGeneration['end']) => {
    running.delete(generation);
    updateStatus();
    const wholeMs = passedMs();
    history.recordGeneration({ firstTextMs, wholeMs, end });
    return wholeMs;
  };
  running.add(generation);
  updateStatus();
  return {
    onRetry: ({ retry, waitMs, error }) => {
      log.info(`retry ${retry} of ${MAX_RETRIES} in ${Math.round(waitMs)} ms: ${error.message}`);
      retryAt = performance.now() + waitMs;
      updateStatus();
      return retryInMs;
    },
    onText: () => {
      if (firstTextMs !== undefined) return;
      firstTextMs = passedMs();
      status.update({ unreachable: false });
    },
    onDone: ({ usage, stopReason, dropped, warnings }) => {
      const ms = ended('complete');
      setContextKey('hasGenerated');
      log.info(
        `generated ${usage.outputTokens} tokens from ${usage.inputTokens} input tokens in ${ms} ms (${stopReason})`,
      );
      for (const name of dropped.filter((one) => !named.has(one))) {
        log.warn(
          `parameter ${oneLine(name)} was left out of the request, because the chat operation or the service’s API doesn’t support it`,
        );
        named.add(name);
      }
      if (warnings.length > 0) log.info(`service warnings: ${warnings.join(', ')}`);
      status.update({ unreachable: false, lastFailure: undefined });
    },
    onFailed: (error) => {
      const isCancelled = isKind(error, 'cancelled');
      log.debug(`generation ended after ${ended(isCancelled ? 'cancelled' : 'failed')} ms`);
      if (!isCancelled) status.update({ unreachable: isUnreachable(error) });
    },
  };
}
