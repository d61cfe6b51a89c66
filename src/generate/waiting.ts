import { Range, type TextDocument, ThemeColor, window } from 'vscode';
import { editorOf } from '../editor/documentEdit.ts';
import { toNextSecond } from '../status/statusView.ts';
import * as texts from './generateMessages.ts';

/** The label and the prompt shown until the first text arrives. */

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
 * Tells the user about requests of a run that get no response, and offers to retry them. A network
 * connection can die silently after the service has received a request. A repeated request may be
 * billed twice, so the user decides.
 */
export class SlowResponseQuestion {
  readonly #say: (message: string) => void;
  readonly #silent = new Set<AbortController>();
  #isAsking = false;

  /** @param say shows a message in the progress notification of the run */
  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  onFirstText(request: AbortController): void {
    if (this.#silent.delete(request)) this.#say(texts.GENERATING);
  }

  onEnd(request: AbortController): void {
    this.#silent.delete(request);
  }

  /** Called if a request gets no response within 5 s. Offers to retry it 15 s later. */
  onSilence(request: AbortController): void {
    this.#silent.add(request);
    this.#say(texts.STILL_WAITING);
    setTimeout(() => {
      if (this.#silent.has(request)) void this.#ask();
    }, OFFER_AFTER_MS).unref();
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
    if (answer === texts.RETRY) for (const silent of this.#silent) silent.abort();
  }
}

/**
 * Calls `show` now, and again whenever the number of whole seconds left decreases.
 * @param leftMs returns the milliseconds left
 * @returns a function that stops the calls
 */
export function countDown(leftMs: () => number, show: (leftMs: number) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const tick = () => {
    const left = leftMs();
    const next = toNextSecond(left);
    if (next === undefined) return;
    show(left);
    timer = setTimeout(tick, next).unref();
  };
  tick();
  return () => clearTimeout(timer);
}
