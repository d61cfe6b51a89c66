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
  /** The request whose next attempt the notification shows, which is the last one that failed. */
  #retrying: AbortController | undefined;
  #countDown: NodeJS.Timeout | undefined;
  #isAsking = false;

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
    const timer = setTimeout(() => void this.#ask(), OFFER_AFTER_MS).unref();
    this.#silent.set(request, timer);
  }

  /**
   * Called before each retry of a request. Counts down the seconds until the attempt.
   * @param leftMs returns the milliseconds until the attempt
   */
  onRetry(request: AbortController, retry: Retry, leftMs: () => number): void {
    this.onEnd(request);
    clearTimeout(this.#countDown);
    this.#retrying = request;
    const show = () => {
      const left = leftMs();
      const next = toNextSecond(left);
      this.#say(next === undefined ? texts.GENERATING : retryText(retry, left));
      if (next !== undefined) this.#countDown = setTimeout(show, next).unref();
    };
    show();
  }

  /** Called if the model sends text or reasoning. */
  onActivity(request: AbortController): void {
    const wasWaiting = this.#silent.has(request) || this.#retrying === request;
    this.onEnd(request);
    if (wasWaiting) this.#say(texts.GENERATING);
  }

  /** Called when the request no longer waits. */
  onEnd(request: AbortController): void {
    clearTimeout(this.#silent.get(request));
    this.#silent.delete(request);
    if (this.#retrying !== request) return;
    clearTimeout(this.#countDown);
    this.#retrying = undefined;
  }

  /**
   * Prompts once for all requests that are silent at the same time. Aborts these requests if the
   * user stops waiting, which also closes their network connections.
   */
  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const answer = await window.showWarningMessage(texts.NO_RESPONSE_YET, texts.RETRY);
    this.#isAsking = false;
    if (answer === texts.RETRY) for (const silent of this.#silent.keys()) silent.abort();
  }
}
