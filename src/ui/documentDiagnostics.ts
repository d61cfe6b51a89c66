import { type Diagnostic, Disposable, languages, type TextDocument, workspace } from 'vscode';
import { onDidChangeSettings } from '../settings.ts';

/** Whose the problems are that an editor shows. */
export const DIAGNOSTIC_SOURCE = 'Hosted Model';
/** Short enough to seem at once, long enough not to run with every key that is pressed. */
const PAUSE_MS = 150;

/** One kind of documents and what is wrong with them. */
interface DocumentKind {
  readonly appliesTo: (document: TextDocument) => boolean;
  /** As the document and the settings are now. If it rejects, what is shown stays. */
  readonly diagnosticsOf: (document: TextDocument) => Promise<readonly Diagnostic[]>;
  readonly onOpen?: (document: TextDocument) => void;
}

interface Shown {
  readonly document: TextDocument;
  pause: NodeJS.Timeout | undefined;
}

/** Keeps the problems of open documents of a kind shown; of no other document it does anything. */
export class DocumentDiagnostics implements Disposable {
  readonly #kind: DocumentKind;
  readonly #collection = languages.createDiagnosticCollection(DIAGNOSTIC_SOURCE);
  readonly #shown = new Map<string, Shown>();
  readonly #listeners = Disposable.from(
    workspace.onDidOpenTextDocument((document) => this.#open(document)),
    workspace.onDidChangeTextDocument(({ document }) => this.#showSoon(document)),
    workspace.onDidCloseTextDocument((document) => this.#close(document)),
    workspace.onDidChangeWorkspaceFolders(() => this.#openAll()),
    onDidChangeSettings(() => {
      for (const { document } of this.#shown.values()) void this.show(document);
    }),
  );

  constructor(kind: DocumentKind) {
    this.#kind = kind;
    this.#openAll();
  }

  /** The documents that are looked after now. */
  get documents(): TextDocument[] {
    return [...this.#shown.values()].map(({ document }) => document);
  }

  hasDiagnostics({ uri }: TextDocument): boolean {
    return this.#shown.has(uri.toString());
  }

  /** Looks at a document anew. */
  async show(document: TextDocument): Promise<void> {
    const shown = this.#shown.get(document.uri.toString());
    if (!shown) return;
    const { version } = document;
    try {
      const diagnostics = await this.#kind.diagnosticsOf(document);
      // What was closed or typed meanwhile is looked at anew, or not at all.
      const isCurrent = this.#shown.get(document.uri.toString()) === shown;
      if (isCurrent && document.version === version) {
        this.#collection.set(document.uri, diagnostics);
      }
    } catch {
      // A part that cannot be loaded: the command that needs it says so.
    }
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const { pause } of this.#shown.values()) clearTimeout(pause);
    this.#shown.clear();
    this.#collection.dispose();
  }

  #openAll(): void {
    for (const document of this.documents) {
      if (!this.#kind.appliesTo(document)) this.#close(document);
    }
    for (const document of workspace.textDocuments) this.#open(document);
  }

  #open(document: TextDocument): void {
    const key = document.uri.toString();
    if (!this.#kind.appliesTo(document) || this.#shown.has(key)) return;
    this.#shown.set(key, { document, pause: undefined });
    void this.show(document);
    this.#kind.onOpen?.(document);
  }

  #close({ uri }: TextDocument): void {
    const key = uri.toString();
    clearTimeout(this.#shown.get(key)?.pause);
    this.#shown.delete(key);
    this.#collection.delete(uri);
  }

  #showSoon(document: TextDocument): void {
    const shown = this.#shown.get(document.uri.toString());
    if (!shown) return;
    shown.pause ??= setTimeout(() => {
      shown.pause = undefined;
      void this.show(document);
    }, PAUSE_MS);
  }
}
