import {
  commands,
  Disposable,
  EventEmitter,
  languages,
  type Tab,
  TabInputTextDiff,
  type TextDocument,
  type Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import { PREVIEW_SCHEME, previewAddress } from '../connection/folders.ts';
import { previewTitle } from './insertMessages.ts';

/** What can be looked at before it is done. */
export interface Previewed {
  /** The document that it would change. */
  readonly document: TextDocument;
  /** The document as it will be. */
  readonly text: () => string;
  /** Whether it may take the keyboard. */
  readonly mayTakeFocus: () => boolean;
  /** @param isUpToDate whether what it shows is what would be done */
  readonly accept: (isUpToDate: boolean) => Promise<void>;
  readonly discard: () => void;
}

/** The open previews of this window: each one a comparison of a document with what it will become. */
export class Previews implements Disposable {
  readonly #open = new Map<string, Previewed>();
  readonly #changed = new EventEmitter<Uri>();
  readonly #disposable: Disposable;

  constructor() {
    this.#disposable = Disposable.from(
      this.#changed,
      workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.#open.get(uri.toString())?.text() ?? '',
      }),
      window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          // A tab that moves to another group closes here and opens there.
          if (!(input instanceof TabInputTextDiff) || tabOf(input.modified)) continue;
          const address = input.modified.toString();
          this.#open.get(address)?.discard();
          this.#open.delete(address);
        }
      }),
    );
  }

  /** Opens a preview. @returns its address, for `refresh` */
  async show(previewed: Previewed): Promise<Uri> {
    const { document } = previewed;
    const name = document.uri.path.split('/').at(-1) ?? '';
    const uri = previewAddress(document.uri);
    this.#open.set(uri.toString(), previewed);
    try {
      await this.#compare(uri, name, previewed);
    } catch (error) {
      this.#open.delete(uri.toString());
      throw error;
    }
    return uri;
  }

  async #compare(uri: Uri, name: string, { document, mayTakeFocus }: Previewed): Promise<void> {
    // Opened first: VS Code drops what is fired for a document that it does not know yet.
    const shown = await workspace.openTextDocument(uri);
    if (shown.languageId !== document.languageId) {
      await languages.setTextDocumentLanguage(shown, document.languageId);
    }
    const isWatched = mayTakeFocus();
    // Whoever went on keeps the keyboard, and the editor: hidden by this one, it would lose it.
    const viewColumn = isWatched ? ViewColumn.Active : ViewColumn.Beside;
    const options = { preview: false, preserveFocus: !isWatched, viewColumn };
    await commands.executeCommand('vscode.diff', document.uri, uri, previewTitle(name), options);
  }

  /** Shows the text as it is now, a moment later. @returns whether it is shown by now */
  refresh(uri: Uri): boolean {
    const isUpToDate = this.isUpToDate(uri);
    if (!isUpToDate) this.#changed.fire(uri);
    return isUpToDate;
  }

  /** Whether the preview shows the text as it is now; VS Code may lose what is fired (measured). */
  isUpToDate(uri: Uri): boolean {
    const address = uri.toString();
    const shown = workspace.textDocuments.find((document) => document.uri.toString() === address);
    const lines = (text: string | undefined) => text?.replaceAll('\r\n', '\n');
    return lines(shown?.getText()) === lines(this.#open.get(address)?.text());
  }

  /** The document that the preview in use would change; undefined if none is in use. */
  get documentInUse(): TextDocument | undefined {
    return this.#inUse?.previewed.document;
  }

  /** Does what the preview in use shows. @returns false if there is none */
  async accept(): Promise<boolean> {
    const inUse = this.#inUse;
    if (!inUse) return false;
    await inUse.previewed.accept(this.refresh(inUse.uri));
    return true;
  }

  /** @returns false if no preview is in use */
  async discard(): Promise<boolean> {
    const inUse = this.#inUse;
    if (!inUse) return false;
    inUse.previewed.discard();
    await this.close(inUse.uri);
    return true;
  }

  /** Closes a preview without a word to whoever opened it. */
  async close(uri: Uri): Promise<void> {
    this.#open.delete(uri.toString());
    const tab = tabOf(uri);
    if (tab) await window.tabGroups.close(tab);
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  get #inUse(): { readonly uri: Uri; readonly previewed: Previewed } | undefined {
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof TabInputTextDiff)) return undefined;
    const previewed = this.#open.get(input.modified.toString());
    return previewed && { uri: input.modified, previewed };
  }
}

function tabOf(uri: Uri): Tab | undefined {
  return window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(
      ({ input }) =>
        input instanceof TabInputTextDiff && input.modified.toString() === uri.toString(),
    );
}
