import { Range, type TextDocument, ThemeColor, window } from 'vscode';
import { editorOf } from '../editor/documentEdit.ts';
import { retryText } from '../messages/messages.ts';
import type { Retry } from '../service/http/httpTypes.ts';
import { toNextSecond } from '../status/statusView.ts';
import * as texts from './generateMessages.ts';

/** The label and the progress of a generation that waits for its text. */

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
 * Shows in the progress notification of a run what its requests are waiting for: a slow response,
 * which the user may retry, or the next attempt. A network connection can die silently after the
 * service has received a request. A repeated request may be billed twice, so the user decides.
 */
export class WaitProgress {
  readonly #say: (message: string) => void;
  /** The requests without a response, each with the timer of the offer to retry it. */
  readonly #silent = new Map<AbortController, NodeJS.Timeout>();
  /** The requests that the open offer is about. */
  #offered: Set<AbortController> | undefined;
  /** The requests that wait for their next attempt, each with a function that shows the time left. */
  readonly #retries = new Map<AbortController, { leftMs: () => number; text: () => string }>();
  #countDown: NodeJS.Timeout | undefined;

  /** @param say shows a message in the progress notification of the run */
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
   * Called before each retry of a request. Counts down the seconds until the next attempt of any
   * request.
   * @param leftMs returns the milliseconds until the attempt
   */
  onRetry(request: AbortController, retry: Retry, leftMs: () => number): void {
    this.onEnd(request);
    this.#retries.set(request, { leftMs, text: () => retryText(retry, leftMs()) });
    this.#showRetries();
  }

  /** Called if the model sends text or reasoning. */
  onActivity(request: AbortController): void {
    const wasWaiting = this.#silent.has(request) || this.#retries.has(request);
    this.onEnd(request);
    if (wasWaiting && this.#retries.size === 0) this.#say(texts.GENERATING);
  }

  /** Called when the request no longer waits. */
  onEnd(request: AbortController): void {
    clearTimeout(this.#silent.get(request));
    this.#silent.delete(request);
    this.#retries.delete(request);
    if (this.#retries.size === 0) clearTimeout(this.#countDown);
  }

  #showRetries(): void {
    clearTimeout(this.#countDown);
    for (const [request, { leftMs }] of this.#retries) {
      if (leftMs() <= 0) this.#retries.delete(request);
    }
    const [next] = [...this.#retries.values()].sort((one, other) => one.leftMs() - other.leftMs());
    this.#say(next ? next.text() : texts.GENERATING);
    if (!next) return;
    this.#countDown = setTimeout(() => this.#showRetries(), toNextSecond(next.leftMs())).unref();
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
    for (const one of offered) if (this.#silent.has(one)) one.abort();
  }
}
