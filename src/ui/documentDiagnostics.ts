import { type Diagnostic, Disposable, languages, type TextDocument, workspace } from 'vscode';
import { onDidChangeSettings } from '../config/configuration.ts';

/** Whose the problems are that an editor shows. */
export const DIAGNOSTIC_SOURCE = 'Hosted Model';
/** Short enough to seem at once, long enough not to run with every key that is pressed. */
const PAUSE_MS = 150;

/** One kind of documents and what is wrong with them. */
interface DocumentKind {
  readonly appliesTo: (document: TextDocument) => boolean;
  /** As the document and the settings are now. If it rejects, what is shown stays. */
  readonly diagnosticsOf: (document: TextDocument) => Promise<readonly Diagnostic[]>;
}

/** Keeps the problems of open documents of a kind shown; of no other document it does anything. */
export class DocumentDiagnostics implements Disposable {
  readonly #kind: DocumentKind;
  readonly #collection = languages.createDiagnosticCollection(DIAGNOSTIC_SOURCE);
  /** Of the documents that were changed and are not looked at yet. */
  readonly #pauses = new Map<TextDocument, NodeJS.Timeout>();
  readonly #listeners = Disposable.from(
    workspace.onDidOpenTextDocument((document) => void this.show(document)),
    workspace.onDidChangeTextDocument(({ document }) => this.#showSoon(document)),
    workspace.onDidCloseTextDocument(({ uri }) => this.#collection.delete(uri)),
    workspace.onDidChangeWorkspaceFolders(() => {
      this.#collection.clear();
      this.#showAll();
    }),
    onDidChangeSettings(() => this.#showAll()),
  );

  constructor(kind: DocumentKind) {
    this.#kind = kind;
    this.#showAll();
  }

  /** Looks at a document anew. */
  async show(document: TextDocument): Promise<void> {
    const { version } = document;
    const isCurrent = () =>
      document.version === version &&
      this.#kind.appliesTo(document) &&
      workspace.textDocuments.includes(document);
    if (!isCurrent()) return;
    try {
      const diagnostics = await this.#kind.diagnosticsOf(document);
      // What was closed or typed meanwhile is looked at anew, or not at all.
      if (isCurrent()) this.#collection.set(document.uri, diagnostics);
    } catch {
      // A part that cannot be loaded: the command that needs it says so.
    }
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    this.#collection.dispose();
  }

  #showAll(): void {
    for (const document of workspace.textDocuments) void this.show(document);
  }

  #showSoon(document: TextDocument): void {
    if (this.#pauses.has(document) || !this.#kind.appliesTo(document)) return;
    const pause = setTimeout(() => {
      this.#pauses.delete(document);
      void this.show(document);
    }, PAUSE_MS);
    this.#pauses.set(document, pause);
  }
}
