import { Range, type TextDocument, ThemeColor, window } from 'vscode';
import { editorOf } from '../editor/documentEdit.ts';
import { isKind } from '../service/errors.ts';
import * as texts from './generateMessages.ts';

/** What is seen, and asked, as long as no text has come. */

/**
 * Says at the end of a line that text is on its way. VS Code moves the words with the line.
 * @param line one-based
 * @returns takes the words away
 */
export function markLine(document: TextDocument, line: number): () => void {
  const mark = window.createTextEditorDecorationType({
    after: {
      contentText: texts.GENERATING,
      margin: '0 0 0 2ch',
      fontStyle: 'italic',
      // That of ghost text, which fits better, is transparent in high contrast.
      color: new ThemeColor('descriptionForeground'),
    },
  });
  const { end } = document.lineAt(Math.min(line, document.lineCount) - 1).range;
  editorOf(document)?.setDecorations(mark, [new Range(end, end)]);
  return () => mark.dispose();
}

/**
 * Requests of one command that get no answer. A connection can die without a word, and the request
 * on it may have run all the same: so that nobody but the user decides to send it again.
 */
export class SlowResponseQuestion {
  readonly #say: (message: string) => void;
  readonly #silent = new Set<AbortController>();
  #isAsking = false;

  /** @param say puts a message into the progress of the command */
  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  /**
   * Runs a request, and runs it anew each time the user gives up waiting for its first text: what
   * is given up takes its connection with it.
   * @throws what the request throws
   */
  async runAndAsk<Result>(
    run: (ends: AbortSignal, onSilence: () => void, onFirstText: () => void) => Promise<Result>,
    cancelled: AbortSignal,
  ): Promise<Result> {
    for (;;) {
      const given = new AbortController();
      const onSilence = () => void this.#ask(given);
      const onFirstText = () => {
        if (this.#silent.delete(given)) this.#say(texts.GENERATING);
      };
      try {
        return await run(AbortSignal.any([cancelled, given.signal]), onSilence, onFirstText);
      } catch (error) {
        const isAgain = given.signal.aborted && !cancelled.aborted && isKind(error, 'cancelled');
        if (!isAgain) throw error;
      } finally {
        this.#silent.delete(given);
      }
    }
  }

  /** One question for all requests that are silent meanwhile. */
  async #ask(given: AbortController): Promise<void> {
    this.#silent.add(given);
    this.#say(texts.STILL_WAITING);
    if (this.#isAsking) return;
    this.#isAsking = true;
    const answer = await window.showWarningMessage(texts.NO_ANSWER_YET, texts.CANCEL_AND_TRY_AGAIN);
    this.#isAsking = false;
    if (answer === texts.CANCEL_AND_TRY_AGAIN) for (const silent of this.#silent) silent.abort();
  }
}
