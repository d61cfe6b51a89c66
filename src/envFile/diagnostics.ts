import {
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  languages,
  type TextDocument,
  workspace,
} from 'vscode';
import { isEnvFile } from '../credentials/outside.ts';
import { onDidChangeSettings, readSettings } from '../settings.ts';
import { rangeOf } from './envDocument.ts';
import type { GitRisk } from './findingMessages.ts';
import { gitRisk } from './gitIgnore.ts';
import { type OpenText, type Problem, problemsOf, readOpenText } from './problems.ts';

/** Keeps the problems of open `.env` files shown; of no other document it does anything. */

export const SOURCE = 'Hosted Model';
/** Short enough to seem at once, long enough not to run with every key that is pressed. */
const PAUSE_MS = 150;

const SEVERITIES: Readonly<Record<Problem['severity'], DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
};

interface Shown {
  readonly document: TextDocument;
  risk: GitRisk | undefined;
  pause: NodeJS.Timeout | undefined;
}

export class EnvFileDiagnostics implements Disposable {
  readonly #collection = languages.createDiagnosticCollection(SOURCE);
  readonly #shown = new Map<string, Shown>();
  readonly #listeners: Disposable;

  constructor() {
    // Also what other programs write: git, a terminal, a quick fix of ours.
    const files = workspace.createFileSystemWatcher('**/{.env,.gitignore,.git,.git/index}');
    const lookAtAll = () => {
      for (const shown of this.#shown.values()) void this.#lookAtGit(shown);
    };
    this.#listeners = Disposable.from(
      files,
      files.onDidCreate(lookAtAll),
      files.onDidChange(lookAtAll),
      files.onDidDelete(lookAtAll),
      workspace.onDidOpenTextDocument((document) => this.#open(document)),
      workspace.onDidChangeTextDocument(({ document }) => this.#showSoon(document)),
      workspace.onDidSaveTextDocument((document) => {
        const shown = this.#shown.get(document.uri.toString());
        if (shown) void this.#lookAtGit(shown);
      }),
      workspace.onDidCloseTextDocument((document) => this.#close(document)),
      workspace.onDidChangeWorkspaceFolders(() => this.#openAll()),
      onDidChangeSettings(() => {
        for (const shown of this.#shown.values()) this.#show(shown);
      }),
    );
    this.#openAll();
  }

  isShown({ uri }: TextDocument): boolean {
    return this.#shown.has(uri.toString());
  }

  /** The problems of a document at this moment; none of one that is not watched. */
  problems(document: TextDocument, text: OpenText): readonly Problem[] {
    const shown = this.#shown.get(document.uri.toString());
    if (!shown) return [];
    const hasByteOrderMark = document.encoding === 'utf8bom';
    return problemsOf(text, { hasByteOrderMark, risk: shown.risk });
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const { pause } of this.#shown.values()) clearTimeout(pause);
    this.#shown.clear();
    this.#collection.dispose();
  }

  #openAll(): void {
    for (const { document } of this.#shown.values())
      if (!isEnvFile(document)) this.#close(document);
    for (const document of workspace.textDocuments) this.#open(document);
  }

  #open(document: TextDocument): void {
    const key = document.uri.toString();
    if (!isEnvFile(document) || this.#shown.has(key)) return;
    const shown: Shown = { document, risk: undefined, pause: undefined };
    this.#shown.set(key, shown);
    this.#show(shown);
    void this.#lookAtGit(shown);
  }

  #close({ uri }: TextDocument): void {
    const key = uri.toString();
    clearTimeout(this.#shown.get(key)?.pause);
    this.#shown.delete(key);
    this.#collection.delete(uri);
  }

  #showSoon({ uri }: TextDocument): void {
    const shown = this.#shown.get(uri.toString());
    if (!shown) return;
    shown.pause ??= setTimeout(() => {
      shown.pause = undefined;
      this.#show(shown);
    }, PAUSE_MS);
  }

  async #lookAtGit(shown: Shown): Promise<void> {
    shown.risk = await gitRisk(shown.document.uri);
    if (this.#shown.get(shown.document.uri.toString()) === shown) this.#show(shown);
  }

  #show({ document }: Shown): void {
    const text = readOpenText(document.getText(), readSettings(document.uri).vendor);
    this.#collection.set(document.uri, this.problems(document, text).map(diagnosticOf));
  }
}

function diagnosticOf({ kind, severity, place, message }: Problem): Diagnostic {
  const diagnostic = new Diagnostic(rangeOf(place), message, SEVERITIES[severity]);
  diagnostic.source = SOURCE;
  diagnostic.code = kind;
  return diagnostic;
}
