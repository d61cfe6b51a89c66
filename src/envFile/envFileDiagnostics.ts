import { Diagnostic, DiagnosticSeverity, Disposable, type TextDocument, workspace } from 'vscode';
import { isEnvFile } from '../credentials/folders.ts';
import { type GitRisk, gitRisk } from '../dotenv/gitIgnore.ts';
import { readSettings } from '../settings.ts';
import { DocumentDiagnostics, SOURCE } from '../ui/documentDiagnostics.ts';
import { rangeOf } from './envDocument.ts';
import { type OpenText, type Problem, problemsOf, readOpenText } from './problems.ts';

const SEVERITIES: Readonly<Record<Problem['severity'], DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
};

/** Keeps the problems of open `.env` files shown. */
export class EnvFileDiagnostics implements Disposable {
  readonly #risks = new WeakMap<TextDocument, GitRisk | undefined>();
  readonly #shown = new DocumentDiagnostics({
    isMeant: isEnvFile,
    diagnosticsOf: async (document) => {
      const text = readOpenText(document.getText(), readSettings(document.uri).vendor);
      return this.problems(document, text).map(diagnosticOf);
    },
    onOpen: (document) => void this.#lookAtGit(document),
  });
  readonly #listeners: Disposable;

  constructor() {
    // Also what other programs write: git, a terminal, a quick fix of ours.
    const files = workspace.createFileSystemWatcher('**/{.env,.gitignore,.git,.git/index}');
    const lookAtAll = () => {
      for (const document of this.#shown.documents) void this.#lookAtGit(document);
    };
    this.#listeners = Disposable.from(
      files,
      files.onDidCreate(lookAtAll),
      files.onDidChange(lookAtAll),
      files.onDidDelete(lookAtAll),
      workspace.onDidSaveTextDocument((document) => {
        if (this.isShown(document)) void this.#lookAtGit(document);
      }),
    );
  }

  isShown(document: TextDocument): boolean {
    return this.#shown.isShown(document);
  }

  /** The problems of a document that is shown, at this moment. */
  problems(document: TextDocument, text: OpenText): readonly Problem[] {
    const hasByteOrderMark = document.encoding === 'utf8bom';
    return problemsOf(text, { hasByteOrderMark, risk: this.#risks.get(document) });
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#shown.dispose();
  }

  async #lookAtGit(document: TextDocument): Promise<void> {
    this.#risks.set(document, await gitRisk(document.uri));
    await this.#shown.show(document);
  }
}

function diagnosticOf({ kind, severity, place, message }: Problem): Diagnostic {
  const diagnostic = new Diagnostic(rangeOf(place), message, SEVERITIES[severity]);
  diagnostic.source = SOURCE;
  diagnostic.code = kind;
  return diagnostic;
}
