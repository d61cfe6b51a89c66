import type { Uri } from 'vscode';
import { inform } from '../ui/notify.ts';
import { isUnchanged } from './capturedSelection.ts';
import { showDocument } from './documentTabs.ts';
import { currentSnapshot, type EditorSnapshot } from './editorSnapshot.ts';
import { replace } from './inPlaceModes.ts';
import {
  NOT_COMPLETE,
  NOT_PREVIEWED,
  NOT_UP_TO_DATE,
  PREVIEW_COMPLETE,
  UNCHANGED,
} from './insertMessages.ts';
import type { InsertMode, ModeDeps } from './insertMode.ts';
import type { ResponsePlace } from './responseInDocument.ts';
import { type ResponseWriter, StreamWriter, type Undone } from './streamWriter.ts';

/**
 * Milliseconds between refreshes, each of which makes VS Code recompute the diff. Short enough that
 * the text seems to stream.
 */
const REFRESH_MS = 100;
/**
 * Milliseconds to wait before checking whether a refresh took effect. If it didn't, the refresh is
 * repeated, because VS Code can lose change events.
 */
const CHECK_MS = 1_000;

export const preview = previewing(replace.placeOf);

/**
 * Creates an insert mode that previews the changed document and writes the text once the user
 * accepts the preview.
 */
export function previewing(placeOf: NonNullable<InsertMode['placeOf']>): InsertMode {
  return {
    id: 'preview',
    doneText: PREVIEW_COMPLETE,
    failedText: NOT_PREVIEWED,
    placeOf,
    open: (targets, deps) => new PreviewWriter(targets.map(placeOf), deps),
  };
}

/**
 * Shows responses in a diff, and writes them once the user accepts them. After that, a continued or
 * regenerated response gets a new preview. The ranges to replace are tracked, so the document can
 * be edited while the preview is open.
 */
class PreviewWriter implements ResponseWriter {
  readonly #deps: ModeDeps;
  readonly #writer: StreamWriter;
  /** Indices of responses that have begun but not ended, even if they have no text yet. */
  readonly #open = new Set<number>();
  /** Indices of responses that have text and are still streaming. */
  readonly #unfinished = new Set<number>();
  /** Indices of responses with text that the user hasn't accepted or discarded yet. */
  readonly #waiting = new Set<number>();
  /** URI of the open preview. Resolves to undefined if the preview couldn't be shown. */
  #shown: Promise<Uri | undefined> | undefined;
  /** True if the preview couldn't be shown. No new preview is shown until the next `begin`. */
  #hasFailed = false;
  /** True after a discard, until the next `begin`. */
  #isDiscarded = false;
  /**
   * The active editor's state at the last `begin` or `accept`. Undefined if that editor didn't show
   * the job's document. A new preview takes focus only if nothing in the editor has changed since
   * then.
   */
  #snapshot: EditorSnapshot | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(places: readonly ResponsePlace[], deps: ModeDeps) {
    this.#deps = deps;
    this.#writer = new StreamWriter(deps.openDocument, places);
    // Calling `accept` while no text is waiting makes the writer hold back all text until the user
    // accepts it.
    this.#writer.accept();
    deps.openDocument.onDidChange(() => this.#refreshSoon());
  }

  get isPending(): boolean {
    return this.#shown !== undefined || this.#writer.isPending;
  }

  canInsert(index: number, isNew: boolean): boolean {
    return this.#writer.canInsert(index, isNew);
  }

  begin(indices: readonly number[]): void {
    for (const index of indices) this.#open.add(index);
    this.#isDiscarded = false;
    this.#hasFailed = false;
    this.#captureEditor();
  }

  append(index: number, text: string): void {
    this.#writer.append(index, text);
    // After the preview has been discarded, the rest of the response doesn't reopen it.
    if (this.#isDiscarded) return;
    this.#unfinished.add(index);
    this.#waiting.add(index);
    if (!this.#shown && !this.#hasFailed) this.#tryToShow();
    this.#refreshSoon();
  }

  async end(index: number): Promise<boolean> {
    this.#open.delete(index);
    this.#unfinished.delete(index);
    // Text that isn't shown can't be accepted, so it counts as not inserted.
    const isShown = !this.#waiting.has(index) || (await this.#shown) !== undefined;
    if (isShown) await this.#closeIfUnchanged();
    return isShown;
  }

  restart(index: number): void {
    this.#writer.restart(index);
    this.#waiting.delete(index);
  }

  startUndoStep(): void {
    this.#writer.startUndoStep();
  }

  async undo(): Promise<Undone> {
    const wasPending = this.isPending;
    await this.#close();
    this.#discard();
    const undone = await this.#writer.undo();
    return undone === 'nothing' && wasPending ? 'undone' : undone;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    // A disposed job no longer tracks its document, so its preview can no longer be accepted.
    void this.#close();
  }

  #captureEditor(): void {
    const snapshot = currentSnapshot();
    const isOfDocument = snapshot?.document === this.#deps.openDocument.document;
    this.#snapshot = isOfDocument ? snapshot : undefined;
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
    const { openDocument, previews } = this.#deps;
    return previews.show({
      get document() {
        return openDocument.document;
      },
      text: () => this.#writer.previewOf(this.#waiting),
      mayTakeFocus: () => this.#snapshot !== undefined && isUnchanged(this.#snapshot),
      accept: (isUpToDate) => this.#accept(isUpToDate),
      discard: () => this.#discard(),
      reopen: () => this.#tryToShow(),
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
    if (this.#unfinished.size > 0) return inform(NOT_COMPLETE);
    // Never write text that the user hasn't seen.
    if (!isUpToDate) return inform(NOT_UP_TO_DATE);
    const shown = this.#shown;
    // If the user accepts the preview twice, the text is written only once.
    if (!shown) return;
    this.#shown = undefined;
    const indices = [...this.#waiting];
    this.#waiting.clear();
    this.#writer.accept(indices);
    // Show the document before closing the preview so that the document stays open throughout. If
    // the document can't be shown, the text is either written anyway or offered by `rescue`.
    await showDocument(this.#deps.openDocument.document).catch(() => {});
    await this.#close(shown).catch(() => {});
    const written = await Promise.all(indices.map((index) => this.#writer.end(index)));
    // If another response is still waiting for its first chunk, a new preview opens when that chunk
    // arrives. That preview takes focus only if nothing in the editor has changed by then.
    this.#captureEditor();
    if (written.includes(false)) this.#deps.rescue();
  }

  async #close(shown = this.#shown): Promise<void> {
    const uri = await shown;
    if (uri) await this.#deps.previews.close(uri);
  }

  /**
   * Closes the preview if all responses have ended and none of them changes the text, because
   * there's nothing to accept or discard.
   */
  async #closeIfUnchanged(): Promise<void> {
    const shown = this.#shown;
    if (!shown || this.#open.size > 0 || !this.#writer.isSameText(this.#waiting)) return;
    this.#shown = undefined;
    this.#waiting.clear();
    inform(UNCHANGED);
    await this.#close(shown).catch(() => {});
  }

  #discard(): void {
    this.#isDiscarded = true;
    // The writer keeps the text so that a continuation can show the whole response.
    this.#waiting.clear();
    this.#shown = undefined;
    this.#deps.cancel();
  }
}
