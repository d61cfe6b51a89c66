import { commands, type Disposable, Range, type TextDocument, ThemeColor, window } from 'vscode';
import { editorOf } from '../editor/documentEdit.ts';
import { retryText } from '../messages/messages.ts';
import type { Connection } from '../service/connection.ts';
import type { Retry } from '../service/http/httpTypes.ts';
import { pauseLeftMs } from '../status/requestsLine.ts';
import { toNextSecond } from '../status/statusView.ts';
import { commandLink } from '../undocumentedApi.ts';
import * as texts from './generateMessages.ts';

/** The label and the progress text of a generation that is waiting for its response. */

/**
 * Shows a label at the end of a line while text is being generated. VS Code moves the label with
 * the line.
 * @param line one-based line number
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
 * Shows in a run's progress notification what the requests of the run are waiting for: a slow
 * response, the next attempt, or the end of a pause that the service requested. A network
 * connection can die silently after the service has received a request. If a slow request is
 * retried, the service may bill both requests, so the user decides whether to retry. The offer is
 * part of the progress text, because an extension can't close a message once the response has
 * arrived.
 */
export class WaitProgress implements Disposable {
  readonly #say: (message: string) => void;
  readonly #requests: Connection['requests'];
  readonly #removeListener: () => void;
  /** The text to show while no request is waiting. */
  #generating = texts.GENERATING;
  /** The requests that got no response within 5 s, each with the timer for the offer to retry. */
  readonly #silent = new Map<AbortController, NodeJS.Timeout>();
  /** The silent requests that the current offer would retry. */
  readonly #offered = new Set<AbortController>();
  /** The ID of the command that the link in the offer runs. Each run has its own command. */
  readonly #retryId = `hostedModel.retry.${crypto.randomUUID()}`;
  /** Undefined until the first offer, because few runs need the command. */
  #retryCommand: Disposable | undefined;
  /** The requests that are waiting for their next attempt, each with the time left and its text. */
  readonly #waits = new Map<AbortController, { leftMs: () => number; text: () => string }>();
  #countDown: NodeJS.Timeout | undefined;
  /** True if all requests waited for the end of a pause when the text was last shown. */
  #isPaused = false;

  /**
   * @param say shows a message in the run's progress notification
   * @param requests the requests to the service, including those of other runs
   */
  constructor(say: (message: string) => void, requests: Connection['requests']) {
    this.#say = say;
    this.#requests = requests;
    this.#removeListener = requests.onDidChange((state) => {
      if (pauseLeftMs(state) > 0 !== this.#isPaused) this.#show();
    });
  }

  /**
   * Called if a request gets no response within 5 s. After another 15 s without a response, offers
   * to retry the request.
   */
  onSilence(request: AbortController): void {
    this.onEnd(request);
    const timer = setTimeout(() => this.#offer(request), OFFER_AFTER_MS).unref();
    this.#silent.set(request, timer);
    this.#show();
  }

  /**
   * Called before each retry of a request. Counts down the seconds until the first of all current
   * waits ends.
   * @param leftMs returns the milliseconds until the next attempt of this request
   */
  onRetry(request: AbortController, retry: Retry, leftMs: () => number): void {
    this.onEnd(request);
    this.#waits.set(request, {
      leftMs,
      text: () => `${retryText(retry, leftMs())}. ${texts.ESC_CANCELS}`,
    });
    this.#show();
  }

  /** Called when the model sends text or reasoning. */
  onActivity(request: AbortController): void {
    const wasWaiting = this.#silent.has(request) || this.#waits.has(request);
    this.onEnd(request);
    if (wasWaiting) this.#show();
  }

  /** Called when one of several generations has ended. */
  onDone(done: number, failed: number, all: number): void {
    this.#generating = texts.generatingCount(done, failed, all);
    this.#show();
  }

  /**
   * Called when the request is no longer waiting. Doesn't update the notification, which may be
   * about to close.
   */
  onEnd(request: AbortController): void {
    clearTimeout(this.#silent.get(request));
    this.#silent.delete(request);
    this.#offered.delete(request);
    this.#waits.delete(request);
    if (this.#waits.size === 0 && !this.#isPaused) clearTimeout(this.#countDown);
  }

  /** Called when the run ends. */
  dispose(): void {
    this.#removeListener();
    for (const request of [...this.#silent.keys(), ...this.#waits.keys()]) this.onEnd(request);
    clearTimeout(this.#countDown);
    this.#retryCommand?.dispose();
  }

  /**
   * Shows the first text that applies: the offer to retry, the countdown of a pause, the countdown
   * of the wait that ends next, the notice about a slow response, or the progress of the run.
   */
  #show(): void {
    clearTimeout(this.#countDown);
    for (const [request, { leftMs }] of this.#waits) {
      if (leftMs() <= 0) this.#waits.delete(request);
    }
    const [next] = [...this.#waits.values()].sort((one, other) => one.leftMs() - other.leftMs());
    const pauseMs = pauseLeftMs(this.#requests.state);
    this.#isPaused = pauseMs > 0;
    if (this.#offered.size > 0) {
      const link = commandLink(texts.RETRY, this.#retryId, texts.RETRY_TOOLTIP);
      this.#say(texts.noResponseText(link));
    } else if (this.#isPaused) {
      this.#say(texts.pausedText(pauseMs));
      this.#showAgain(pauseMs);
    } else if (next) {
      this.#say(next.text());
      this.#showAgain(next.leftMs());
    } else {
      this.#say(this.#silent.size > 0 ? texts.STILL_WAITING : this.#generating);
    }
  }

  /** Repaints when the displayed seconds decrease. */
  #showAgain(leftMs: number): void {
    this.#countDown = setTimeout(() => this.#show(), toNextSecond(leftMs)).unref();
  }

  #offer(request: AbortController): void {
    this.#offered.add(request);
    this.#retryCommand ??= commands.registerCommand(this.#retryId, () => this.#retry());
    this.#show();
  }

  /** Aborts the offered requests, which also closes their network connections. */
  #retry(): void {
    for (const request of [...this.#offered]) {
      this.onEnd(request);
      request.abort();
    }
    this.#show();
  }
}
