import { Range, type TextDocument, ThemeColor, window } from 'vscode';
import { editorOf } from '../editor/documentEdit.ts';
import { retryText } from '../messages/messages.ts';
import type { Retry } from '../service/http/httpTypes.ts';
import { toNextSecond } from '../status/statusView.ts';
import { inform } from '../ui/notify.ts';
import * as texts from './generateMessages.ts';

/** The label and the progress text of a generation that is waiting for its response. */

/**
 * Shows a label at the end of a line while text is being generated. VS Code moves the label with
 * the line.
 * @param line one-based
 * @returns a function that removes the label
 */
export function markLine(document: TextDocument, line: number): () => void {
  const mark = window.createTextEditorDecorationType({
    after: {
      contentText: texts.GENERATING,
      margin: '0 0 0 2ch',
      fontStyle: 'italic',
      // The ghost text color would fit better, but it's transparent in high-contrast themes.
      color: new ThemeColor('descriptionForeground'),
    },
  });
  const { end } = document.lineAt(Math.min(line, document.lineCount) - 1).range;
  editorOf(document)?.setDecorations(mark, [new Range(end, end)]);
  return () => mark.dispose();
}

/** Milliseconds between the progress text about a slow response and the offer to retry. */
const OFFER_AFTER_MS = 15_000;

/**
 * Shows in a run's progress notification what its requests are waiting for: a slow response, the
 * next attempt, or the end of a pause that the service requested. A network connection can die
 * silently after the service has received a request. If a slow request is retried, the service may
 * bill both requests, so the user decides whether to retry.
 */
export class WaitProgress {
  readonly #say: (message: string) => void;
  /** The text to show while there is no wait to report. */
  #generating = texts.GENERATING;
  /** The requests without a response, each with the timer for the offer to retry it. */
  readonly #silent = new Map<AbortController, NodeJS.Timeout>();
  /** The requests that the open offer is about. */
  #offered: Set<AbortController> | undefined;
  /**
   * The requests that are waiting for their next attempt or for the end of a pause, each with the
   * time left and the text to show.
   */
  readonly #waits = new Map<AbortController, { leftMs: () => number; text: () => string }>();
  #countDown: NodeJS.Timeout | undefined;

  /** @param say shows a message in the run's progress notification */
  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  /**
   * Called if a request gets no response within 5 s. After another 15 s, offers to retry the
   * request.
   */
  onSilence(request: AbortController): void {
    this.onEnd(request);
    this.#say(texts.STILL_WAITING);
    const timer = setTimeout(() => void this.#offer(request), OFFER_AFTER_MS).unref();
    this.#silent.set(request, timer);
  }

  /**
   * Called before each retry of a request. Counts down the seconds until the earliest next attempt
   * of all requests.
   * @param leftMs returns the milliseconds until the next attempt of this request
   */
  onRetry(request: AbortController, retry: Retry, leftMs: () => number): void {
    this.#wait(request, leftMs, () => retryText(retry, leftMs()));
  }

  /** Called if the service has requested a pause. Counts down the seconds. */
  onPause(request: AbortController, pauseMs: number): void {
    const endsAt = performance.now() + pauseMs;
    const leftMs = () => endsAt - performance.now();
    this.#wait(request, leftMs, () => texts.pausedText(leftMs()));
  }

  /** Called when the model sends text or reasoning. */
  onActivity(request: AbortController): void {
    const wasWaiting = this.#silent.has(request) || this.#waits.has(request);
    this.onEnd(request);
    if (wasWaiting && this.#waits.size === 0) this.#say(this.#generating);
  }

  /** Called when one of several generations has ended. */
  onDone(done: number, all: number): void {
    this.#generating = texts.generatingCount(done, all);
    if (this.#waits.size === 0) this.#say(this.#generating);
  }

  /** Called when the request is no longer waiting. */
  onEnd(request: AbortController): void {
    clearTimeout(this.#silent.get(request));
    this.#silent.delete(request);
    this.#waits.delete(request);
    if (this.#waits.size === 0) clearTimeout(this.#countDown);
  }

  #wait(request: AbortController, leftMs: () => number, text: () => string): void {
    this.onEnd(request);
    this.#waits.set(request, { leftMs, text });
    this.#showWaits();
  }

  #showWaits(): void {
    clearTimeout(this.#countDown);
    for (const [request, { leftMs }] of this.#waits) {
      if (leftMs() <= 0) this.#waits.delete(request);
    }
    const [next] = [...this.#waits.values()].sort((one, other) => one.leftMs() - other.leftMs());
    this.#say(next ? next.text() : this.#generating);
    if (!next) return;
    this.#countDown = setTimeout(() => this.#showWaits(), toNextSecond(next.leftMs())).unref();
  }

  /**
   * Offers to retry a silent request. If an offer is open, adds the request to it. A retry aborts
   * the requests that are still silent, which also closes their network connections.
   */
  async #offer(request: AbortController): Promise<void> {
    const open = this.#offered;
    if (open && [...open].some((one) => this.#silent.has(one))) return void open.add(request);
    const offered = new Set([request]);
    this.#offered = offered;
    const answer = await window.showWarningMessage(texts.NO_RESPONSE_YET, texts.RETRY);
    if (this.#offered === offered) this.#offered = undefined;
    if (answer !== texts.RETRY) return;
    const silent = [...offered].filter((one) => this.#silent.has(one));
    if (silent.length === 0) inform(texts.NO_LONGER_WAITING);
    for (const one of silent) one.abort();
  }
}
