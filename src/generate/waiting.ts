import { commands, type Disposable, Range, ThemeColor, window } from 'vscode';
import { attemptText } from '../messages/messages.ts';
import type { Connection } from '../service/connection.ts';
import type { Retry } from '../service/http/httpTypes.ts';
import { toNextSecond, type Wait, waitFor } from '../status/requestWait.ts';
import { commandLink } from '../undocumentedApi.ts';
import * as texts from './generateMessages.ts';
import type { Job } from './job.ts';
import type { RecentJobs } from './recentJobs.ts';

/** The labels and the progress text of a run that is waiting for responses. */

/** A label at the end of a selection's last line. */
export interface LineLabel extends Disposable {
  show(text: string): void;
}

/**
 * Shows a label at the end of a selection's last line until the label is disposed. VS Code moves
 * the label with that line. When the label's text changes, `show` moves the label to the
 * selection's current last line.
 */
export function labelLine(job: Job, index: number): LineLabel {
  const type = window.createTextEditorDecorationType({
    after: {
      margin: '0 0 0 2ch',
      fontStyle: 'italic',
      // The ghost text color would be a better fit, but it's transparent in high-contrast themes.
      color: new ThemeColor('descriptionForeground'),
    },
  });
  let shown = '';
  const show = (text: string) => {
    if (text === shown) return;
    shown = text;
    const { document } = job;
    const { end } = document.lineAt(job.linesOf(index).last - 1).range;
    const label = { range: new Range(end, end), renderOptions: { after: { contentText: text } } };
    for (const editor of window.visibleTextEditors) {
      if (editor.document === document) editor.setDecorations(type, [label]);
    }
  };
  show(texts.withEscHint(texts.GENERATING));
  return { show, dispose: () => type.dispose() };
}

/** A retry of a request, and the index of the request's response. */
interface PendingRetry {
  readonly index: number;
  readonly retry: Retry;
  /** Returns the time until the retry, in milliseconds; 0 or less once the retry has started. */
  readonly leftMs: () => number;
}

/** Reports whether a job's document is active. */
type ActiveState = Pick<RecentJobs, 'isActive' | 'onDidChangeActive'>;

/** Milliseconds between the progress text about a slow response and the offer to retry. */
const OFFER_AFTER_MS = 15_000;

/** Milliseconds without new text or reasoning before a response counts as stalled. */
const STALLED_AFTER_MS = 10_000;

/**
 * Uses a run's progress notification to show what its requests are waiting for: a slow or stalled
 * response, the next attempt, or the end of a pause that the service requested. Each selection's
 * label shows the time until that selection's request is retried, or until the pause ends. If a
 * response is slow, offers to retry the request, because the network connection may have died
 * silently. The retry isn't automatic, because the service may bill the user for both requests. The
 * offer is part of the progress text. A separate message would stay open after the response
 * arrives, because an extension can't close messages.
 */
export class WaitProgress implements Disposable {
  readonly #say: (message: string) => void;
  readonly #requests: Connection['requests'];
  readonly #jobs: ActiveState;
  readonly #job: Job;
  readonly #listeners: readonly Disposable[];
  /** The text to show while no request is waiting. */
  #generating = texts.GENERATING;
  /** The requests with slow responses, each with the timer that triggers the offer to retry. */
  readonly #silent = new Map<AbortController, NodeJS.Timeout>();
  /** The requests whose responses have started, each with the timer that reports a stall. */
  readonly #receiving = new Map<AbortController, NodeJS.Timeout>();
  readonly #stalled = new Set<AbortController>();
  /** The requests that the offer to retry currently applies to. */
  readonly #offered = new Set<AbortController>();
  /** The ID of the command that the link in the offer runs. Each run has its own command. */
  readonly #retryId = `hostedModel.retry.${crypto.randomUUID()}`;
  /** Undefined until the first offer, because few runs need the command. */
  #retryCommand: Disposable | undefined;
  /** The labels of the selections whose responses have no text yet, keyed by response index. */
  readonly #labels = new Map<number, LineLabel>();
  /** The latest retry of each request, even if the retry has already started. */
  readonly #retries = new Map<AbortController, PendingRetry>();
  #countDown: NodeJS.Timeout | undefined;
  /** The text in the notification. */
  #shown: string;

  /**
   * @param say shows a message in the run's progress notification
   * @param requests the requests to the service, including those from other runs
   * @param jobs reports whether the document of this run's job is active
   * @param shown the notification's initial text
   */
  constructor(
    say: (message: string) => void,
    requests: Connection['requests'],
    jobs: ActiveState,
    job: Job,
    shown: string,
  ) {
    this.#say = say;
    this.#requests = requests;
    this.#jobs = jobs;
    this.#job = job;
    this.#shown = shown;
    const show = () => this.#show();
    this.#listeners = [{ dispose: requests.onDidChange(show) }, jobs.onDidChangeActive(show)];
  }

  /** Keeps the label up to date until `removeLabel` is called. */
  addLabel(index: number, label: LineLabel): void {
    this.#labels.set(index, label);
  }

  /** Does nothing if the label has already been removed. */
  removeLabel(index: number): void {
    this.#labels.get(index)?.dispose();
    this.#labels.delete(index);
  }

  /**
   * Called if an attempt's response hasn't started within 5 s. If neither text nor reasoning
   * arrives in the next 15 s, offers to retry the request.
   */
  onSilence(request: AbortController): void {
    this.onEnd(request);
    const timer = setTimeout(() => this.#offer(request), OFFER_AFTER_MS).unref();
    this.#silent.set(request, timer);
    this.#show();
  }

  /** Called before each wait for a retry. Starts or updates the countdown. */
  onRetry(request: AbortController, retry: PendingRetry): void {
    this.onEnd(request);
    this.#retries.set(request, retry);
    this.#show();
  }

  /** Called when text or reasoning arrives. */
  onActivity(request: AbortController): void {
    const waiting = [this.#silent, this.#retries, this.#stalled];
    const wasWaiting = waiting.some((requests) => requests.has(request));
    this.onEnd(request);
    const reportStall = () => {
      this.#stalled.add(request);
      this.#show();
    };
    this.#receiving.set(request, setTimeout(reportStall, STALLED_AFTER_MS).unref());
    if (wasWaiting) this.#show();
  }

  /** Called after each generation if the run has more than one. */
  onDone(done: number, failed: number, all: number): void {
    this.#generating = texts.generatingCount(done, failed, all);
    this.#show();
  }

  /**
   * Stops tracking the request so that it no longer counts as waiting and the offer to retry no
   * longer applies to it. Doesn't update the notification, which may be about to close.
   */
  onEnd(request: AbortController): void {
    clearTimeout(this.#silent.get(request));
    this.#silent.delete(request);
    clearTimeout(this.#receiving.get(request));
    this.#receiving.delete(request);
    this.#stalled.delete(request);
    this.#offered.delete(request);
    this.#retries.delete(request);
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
    for (const request of [...this.#silent.keys(), ...this.#receiving.keys()]) this.onEnd(request);
    clearTimeout(this.#countDown);
    this.#retryCommand?.dispose();
  }

  /** Updates the notification and the labels now, and again whenever a displayed time changes. */
  #show(): void {
    clearTimeout(this.#countDown);
    const { state } = this.#requests;
    const retries = [...this.#retries.values()]
      .map((one) => ({ ...one, inMs: one.leftMs() }))
      .sort((one, other) => one.inMs - other.inMs);
    const waitOf = (some: typeof retries) =>
      waitFor(
        state,
        some.map(({ inMs }) => inMs),
      );
    const wait = waitOf(retries);
    const text = this.#text(
      wait,
      retries.find(({ inMs }) => inMs > 0),
    );
    if (text !== this.#shown) this.#say(text);
    this.#shown = text;
    const waits = [wait];
    for (const [index, label] of this.#labels) {
      const own = waitOf(retries.filter((one) => one.index === index));
      label.show(texts.withEscHint(own ? texts.waitingText(own) : texts.GENERATING));
      waits.push(own);
    }
    const changes = waits.flatMap((one) => (one && toNextSecond(one.leftMs)) ?? []);
    if (changes.length === 0) return;
    this.#countDown = setTimeout(() => this.#show(), Math.min(...changes)).unref();
  }

  /**
   * Returns the text for the first of these that applies: retry offer, pause countdown, retry
   * countdown, notice about a slow or stalled response, run progress.
   */
  #text(wait: Wait | undefined, next: PendingRetry | undefined): string {
    if (this.#offered.size > 0) {
      return texts.noResponseText(commandLink(texts.RETRY, this.#retryId, texts.RETRY_TOOLTIP));
    }
    return texts.withEscHint(this.#waitText(wait, next), this.#jobs.isActive(this.#job));
  }

  #waitText(wait: Wait | undefined, next: PendingRetry | undefined): string {
    if (wait?.kind === 'paused') return texts.waitingText(wait, ' after a rejected request');
    if (wait && next) return texts.waitingText(wait, ` (${attemptText(next.retry)})`);
    if (this.#silent.size > 0) return texts.STILL_WAITING;
    const areAllStalled = this.#stalled.size > 0 && this.#stalled.size === this.#receiving.size;
    return areAllStalled ? texts.STALLED : this.#generating;
  }

  #offer(request: AbortController): void {
    this.#offered.add(request);
    this.#retryCommand ??= commands.registerCommand(this.#retryId, () => this.#retry());
    this.#show();
  }

  /**
   * Aborts the requests that the offer applies to. Aborting also closes their network connections.
   * `withUserRetries` then resends the requests.
   */
  #retry(): void {
    for (const request of [...this.#offered]) {
      this.onEnd(request);
      request.abort();
    }
    this.#show();
  }
}
