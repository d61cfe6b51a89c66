import {
  commands,
  Disposable,
  EventEmitter,
  type FileSystemError,
  languages,
  type Tab,
  TabInputTextDiff,
  type TextDocument,
  type Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import { fileName, PREVIEW_SCHEME, previewAddress } from '../connection/folders.ts';
import { previewTitle } from './insertMessages.ts';

/**
 * Maximum time to wait for a rename to finish, in milliseconds. The time is limited because the
 * file may have been deleted instead, and VS Code doesn't report a failed rename.
 */
const RENAME_MS = 5_000;

/** A change that the user can preview before accepting it. */
export interface Previewed {
  /** The document to change. */
  readonly document: TextDocument;
  /** Returns the text that the document would have after the change. */
  readonly text: () => string;
  readonly mayTakeFocus: () => boolean;
  /** @param isUpToDate true if the preview shows exactly what would be written */
  readonly accept: (isUpToDate: boolean) => Promise<void>;
  readonly discard: () => void;
  /** Shows the preview again, with a new URI. */
  readonly reopen: () => void;
}

/**
 * The open previews in this window. Each preview is a diff between a document and its changed text.
 */
export class Previews implements Disposable {
  readonly #open = new Map<string, Previewed>();
  readonly #changed = new EventEmitter<Uri>();
  readonly #disposable: Disposable;

  constructor() {
    this.#disposable = Disposable.from(
      this.#changed,
      window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          // VS Code also reports a tab as closed when the tab moves to another group.
          if (!(input instanceof TabInputTextDiff) || tabOf(input.modified)) continue;
          void this.#discardOrReopen(input.modified);
        }
      }),
      workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.#open.get(uri.toString())?.text() ?? '',
      }),
    );
  }

  /**
   * Opens a preview.
   * @returns the preview's URI, for `refresh` and `close`
   */
  async show(previewed: Previewed): Promise<Uri> {
    const { document } = previewed;
    const name = fileName(document.uri);
    const uri = previewAddress(document.uri);
    this.#open.set(uri.toString(), previewed);
    try {
      await this.#openDiff(uri, name, previewed);
    } catch (error) {
      this.#open.delete(uri.toString());
      throw error;
    }
    return uri;
  }

  async #openDiff(uri: Uri, name: string, { document, mayTakeFocus }: Previewed): Promise<void> {
    // Open the preview document first, because VS Code drops change events for documents that
    // aren't open.
    const shown = await workspace.openTextDocument(uri);
    if (shown.languageId !== document.languageId) {
      await languages.setTextDocumentLanguage(shown, document.languageId);
    }
    const isWatched = mayTakeFocus();
    // If the user has moved on, the editor they're using keeps focus. A preview in the same column
    // would cover that editor and take its focus.
    const viewColumn = isWatched ? ViewColumn.Active : ViewColumn.Beside;
    const options = { preview: false, preserveFocus: !isWatched, viewColumn };
    await commands.executeCommand('vscode.diff', document.uri, uri, previewTitle(name), options);
  }

  /**
   * Updates the preview if it's out of date. The new text appears a moment later.
   * @returns true if the preview was already up to date
   */
  refresh(uri: Uri): boolean {
    const isUpToDate = this.isUpToDate(uri);
    if (!isUpToDate) this.#changed.fire(uri);
    return isUpToDate;
  }

  /**
   * True if the preview shows the current text. A preview can miss changes, because VS Code can
   * lose change events (confirmed by testing).
   */
  isUpToDate(uri: Uri): boolean {
    const address = uri.toString();
    const shown = workspace.textDocuments.find((document) => document.uri.toString() === address);
    const lines = (text: string | undefined) => text?.replaceAll('\r\n', '\n');
    return lines(shown?.getText()) === lines(this.#open.get(address)?.text());
  }

  /** The document that the active preview would change. Undefined if no preview is active. */
  get activeDocument(): TextDocument | undefined {
    return this.#inUse?.previewed.document;
  }

  /** @returns false if no preview is active */
  async accept(): Promise<boolean> {
    const inUse = this.#inUse;
    if (!inUse) return false;
    await inUse.previewed.accept(this.refresh(inUse.uri));
    return true;
  }

  /**
   * Discards and closes the active preview.
   * @returns false if no preview is active
   */
  async discard(): Promise<boolean> {
    const inUse = this.#inUse;
    if (!inUse) return false;
    inUse.previewed.discard();
    await this.close(inUse.uri);
    return true;
  }

  /** Closes a preview without calling its `discard` callback. */
  async close(uri: Uri): Promise<void> {
    this.#open.delete(uri.toString());
    const tab = tabOf(uri);
    if (tab) await window.tabGroups.close(tab);
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  /**
   * Discards a preview whose tab was closed. If VS Code closed the tab because the file was
   * renamed, reopens the preview instead.
   */
  async #discardOrReopen(uri: Uri): Promise<void> {
    const address = uri.toString();
    const previewed = this.#open.get(address);
    if (!previewed) return;
    const { document } = previewed;
    await untilNotRenaming(document.uri);
    // The preview may have been closed in the meantime, for example because the job was undone.
    if (!this.#open.delete(address)) return;
    if (previewed.document === document) previewed.discard();
    else previewed.reopen();
  }

  get #inUse(): { readonly uri: Uri; readonly previewed: Previewed } | undefined {
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof TabInputTextDiff)) return undefined;
    const previewed = this.#open.get(input.modified.toString());
    return previewed && { uri: input.modified, previewed };
  }
}

/**
 * Waits up to `RENAME_MS` in case the file is being renamed. VS Code closes the file's diff editors
 * after moving the file on disk but before reporting the rename. A file that still exists isn't
 * being renamed.
 */
function untilNotRenaming(file: Uri): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      listener.dispose();
      // After a rename, the caller continues in a microtask. By then, the other listeners for this
      // event have switched to the renamed documents.
      resolve();
    };
    const timer = setTimeout(end, RENAME_MS);
    const listener = workspace.onDidRenameFiles(end);
    workspace.fs.stat(file).then(end, ({ code }: Partial<FileSystemError>) => {
      if (code !== 'FileNotFound') end();
    });
  });
}

function tabOf(uri: Uri): Tab | undefined {
  return window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(
      ({ input }) =>
        input instanceof TabInputTextDiff && input.modified.toString() === uri.toString(),
    );
}
