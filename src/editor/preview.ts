import type { Uri } from 'vscode';
import { inform } from '../ui/notify.ts';
import { showDocument } from './documentEdit.ts';
import { NOT_UP_TO_DATE, PREVIEW_COMPLETE, STILL_COMING } from './insertMessages.ts';
import type { InsertMode, ModeDeps } from './insertMode.ts';
import { replace } from './placing.ts';
import type { AnswerPlace } from './responseInDocument.ts';
import { type ResponseWriter, StreamWriter, type Undone } from './streamWriter.ts';
import { currentSnapshot, type EditorSnapshot, isUnchanged } from './target.ts';

/** Often enough to seem to stream; VS Code compares both sides anew each time. */
const REFRESH_MS = 100;
/** Until it is looked whether what was refreshed is seen. */
const CHECK_MS = 1_000;

export const preview = previewing(replace.placeOf);

/** Shows what the document would become, and makes it that once it is accepted. */
export function previewing(placeOf: NonNullable<InsertMode['placeOf']>): InsertMode {
  return {
    id: 'preview',
    doneText: PREVIEW_COMPLETE,
    placeOf,
    open: (targets, deps) => new PreviewWriter(targets.map(placeOf), targets[0].snapshot, deps),
  };
}

/**
 * Shows answers in a comparison with the document, and writes them once they are accepted: nothing
 * lands without a look at it, a continued or repeated answer neither. Follows their places all the
 * time, so that the document may change meanwhile.
 */
class PreviewWriter implements ResponseWriter {
  readonly #deps: ModeDeps;
  readonly #writer: StreamWriter;
  /** The answers that are to come, or to go on. */
  readonly #coming: Set<number>;
  /** Those that wait to be accepted. */
  readonly #waiting = new Set<number>();
  /** Of undefined if it could not be shown. */
  #shown: Promise<Uri | undefined> | undefined;
  /** True if the preview couldn't be shown. It isn't tried again for later text. */
  #hasFailed = false;
  #isDiscarded = false;
  /** What the user was at when this was last wanted or accepted. */
  #snapshot: EditorSnapshot | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(places: readonly AnswerPlace[], snapshot: EditorSnapshot, deps: ModeDeps) {
    this.#snapshot = snapshot;
    this.#deps = deps;
    this.#writer = new StreamWriter(deps.openDocument, places);
    // Nothing is accepted yet.
    this.#writer.accept();
    this.#coming = new Set(places.keys());
    deps.openDocument.onDidChange(() => this.#refreshSoon());
  }

  get isPending(): boolean {
    return this.#shown !== undefined || this.#writer.isPending;
  }

  canInsert(index: number, isNew: boolean): boolean {
    return this.#writer.canInsert(index, isNew);
  }

  append(index: number, text: string): void {
    this.#waiting.add(index);
    this.#writer.append(index, text);
    // What still comes of a discarded answer opens no preview; what it is continued with does.
    if (this.#isDiscarded && this.#coming.has(index)) return;
    this.#isDiscarded = false;
    if (!this.#coming.has(index)) this.#hasFailed = false;
    this.#coming.add(index);
    if (!this.#shown && !this.#hasFailed) this.#tryToShow();
    this.#refreshSoon();
  }

  async end(index: number): Promise<boolean> {
    this.#coming.delete(index);
    // What is not shown cannot be accepted.
    if (this.#hasFailed) return false;
    return this.#shown === undefined || (await this.#shown) !== undefined;
  }

  restart(index: number): void {
    this.#writer.restart(index);
    this.#waiting.delete(index);
    this.#coming.add(index);
    this.#isDiscarded = false;
    this.#hasFailed = false;
    this.#snapshot = currentSnapshot();
  }

  async undo(): Promise<Undone> {
    const wasPending = this.isPending;
    await this.#close();
    this.#discard();
    this.#waiting.clear();
    const undone = await this.#writer.undo();
    return undone === 'nothing' && wasPending ? 'undone' : undone;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    // Nobody follows its place any more.
    void this.#close();
  }

  #tryToShow(): void {
    const shown = this.#show().catch(() => {
      if (this.#shown === shown) {
        this.#shown = undefined;
        this.#hasFailed = true;
      }
      return undefined;
    });
    this.#shown = shown;
  }

  #show(): Promise<Uri> {
    return this.#deps.previews.show({
      document: this.#deps.openDocument.document,
      text: () => this.#writer.preview,
      mayTakeFocus: () => this.#snapshot !== undefined && isUnchanged(this.#snapshot),
      accept: (isUpToDate) => this.#accept(isUpToDate),
      discard: () => this.#discard(),
    });
  }

  #refreshSoon(afterMs = REFRESH_MS): void {
    if (!this.#shown || this.#timer) return;
    this.#timer = setTimeout(async () => {
      this.#timer = undefined;
      const uri = await this.#shown;
      if (uri && !this.#deps.previews.refresh(uri)) this.#refreshSoon(CHECK_MS);
    }, afterMs);
  }

  async #accept(isUpToDate: boolean): Promise<void> {
    if (this.#coming.size > 0) return inform(STILL_COMING);
    // What was not seen does not land.
    if (!isUpToDate) return inform(NOT_UP_TO_DATE);
    const shown = this.#shown;
    // Accepted twice, it is written once.
    if (!shown) return;
    this.#shown = undefined;
    const indices = [...this.#waiting];
    this.#waiting.clear();
    this.#writer.accept();
    // Shown before the preview closes, so that the document is never closed in between. Where that
    // fails, it is written all the same, or rescued.
    await showDocument(this.#deps.openDocument.document).catch(() => {});
    await this.#close(shown).catch(() => {});
    const written = await Promise.all(indices.map((index) => this.#writer.end(index)));
    if (written.includes(false)) this.#deps.rescue();
    this.#snapshot = currentSnapshot();
  }

  async #close(shown = this.#shown): Promise<void> {
    const uri = await shown;
    if (uri) await this.#deps.previews.close(uri);
  }

  #discard(): void {
    this.#isDiscarded = true;
    this.#shown = undefined;
    this.#deps.cancel();
  }
}
