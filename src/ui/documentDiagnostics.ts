import { type Diagnostic, Disposable, languages, type TextDocument, workspace } from 'vscode';
import { onDidChangeSettings } from '../config/configuration.ts';

/** The name that VS Code shows as the source of each diagnostic. */
export const DIAGNOSTIC_SOURCE = 'Hosted Model';
/**
 * Milliseconds between an edit and the check of the document: short enough to feel immediate. A
 * single check covers all edits made during the delay.
 */
const PAUSE_MS = 150;

interface DocumentKind {
  readonly appliesTo: (document: TextDocument) => boolean;
  /**
   * Checks a document's current text, using the current settings. If the promise rejects, the
   * document keeps its previous diagnostics.
   */
  readonly diagnosticsOf: (document: TextDocument) => Promise<readonly Diagnostic[]>;
}

/** Keeps the diagnostics of all open documents of one kind up to date. */
export class DocumentDiagnostics implements Disposable {
  readonly #kind: DocumentKind;
  readonly #collection = languages.createDiagnosticCollection(DIAGNOSTIC_SOURCE);
  /** Timers for delayed checks, keyed by document. */
  readonly #timers = new Map<TextDocument, NodeJS.Timeout>();
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

  async show(document: TextDocument): Promise<void> {
    const { version } = document;
    const isCurrent = () =>
      document.version === version &&
      this.#kind.appliesTo(document) &&
      workspace.textDocuments.includes(document);
    if (!isCurrent()) return;
    try {
      const diagnostics = await this.#kind.diagnosticsOf(document);
      // If the document was changed or closed during the check, the result is outdated.
      if (isCurrent()) this.#collection.set(document.uri, diagnostics);
    } catch {
      // The user didn't ask for this check, so a failure isn't reported.
    }
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const pause of this.#timers.values()) clearTimeout(pause);
    this.#collection.dispose();
  }

  #showAll(): void {
    for (const document of workspace.textDocuments) void this.show(document);
  }

  #showSoon(document: TextDocument): void {
    if (this.#timers.has(document) || !this.#kind.appliesTo(document)) return;
    const pause = setTimeout(() => {
      this.#timers.delete(document);
      void this.show(document);
    }, PAUSE_MS);
    this.#timers.set(document, pause);
  }
}
