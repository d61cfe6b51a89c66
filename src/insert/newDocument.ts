import { type TextDocument, ViewColumn, window } from 'vscode';
import { EditorDocument, openEmpty } from '../document/openDocument.ts';
import { type AnswerWriter, StreamWriter, type Undone } from '../document/streamWriter.ts';
import { isUnchanged, type Target } from '../document/target.ts';
import { MODE_TEXTS } from './insertMessages.ts';
import type { InsertMode, ModeDeps } from './insertMode.ts';

export const newDocument: InsertMode = {
  id: 'newDocument',
  ...MODE_TEXTS.newDocument,
  fit: ({ answerLanguage }) => ({ languageId: answerLanguage, indentation: '' }),
  open: (targets, deps) => new NewDocumentWriter(targets, deps),
};

/** Opens a document once there is text for it, and writes the answers below each other. */
class NewDocumentWriter implements AnswerWriter {
  readonly #targets: readonly Target[];
  readonly #deps: ModeDeps;
  #writer: Promise<StreamWriter> | undefined;
  #opened: StreamWriter | undefined;

  constructor(targets: readonly Target[], deps: ModeDeps) {
    this.#targets = targets;
    this.#deps = deps;
  }

  get documents(): readonly TextDocument[] {
    return this.#opened?.documents ?? [];
  }

  get isPending(): boolean {
    return this.#opened?.isPending ?? false;
  }

  append(answer: number, text: string): void {
    this.#writer ??= this.#open();
    // Whoever ends the answer is told that it could not be opened.
    this.#writer.then((writer) => writer.append(answer, text)).catch(() => {});
  }

  async end(answer: number): Promise<boolean> {
    if (!this.#writer) return true;
    const writer = await this.#writer.catch(() => undefined);
    return writer ? writer.end(answer) : false;
  }

  restart(answer: number): void {
    this.#writer?.then((writer) => writer.restart(answer)).catch(() => {});
  }

  async undo(): Promise<Undone> {
    return (await this.#writer?.catch(() => undefined))?.undo() ?? 'nothing';
  }

  dispose(): void {
    this.#writer?.then((writer) => writer.dispose()).catch(() => {});
  }

  async #open(): Promise<StreamWriter> {
    const language = this.#targets[0]?.answerLanguage ?? 'plaintext';
    const document = await openEmpty(language);
    const preserveFocus = !isUnchanged(this.#deps.snapshot);
    const options = { viewColumn: ViewColumn.Beside, preview: false, preserveFocus };
    await window.showTextDocument(document, options);
    const last = this.#targets.length - 1;
    const places = this.#targets.map((_target, index) => ({
      start: 0,
      end: 0,
      lead: '',
      tail: index === last ? '' : '\n\n',
    }));
    const onTakenBack = this.#deps.takenBack;
    this.#opened = new StreamWriter(new EditorDocument(document), places, { onTakenBack });
    return this.#opened;
  }
}
