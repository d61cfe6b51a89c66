import {
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  type TextDocument,
  type Uri,
  workspace,
} from 'vscode';
import { readSettings, withStoredService } from '../config/settings.ts';
import { activeFolder } from '../connection/folders.ts';
import { type GitRisk, gitRisk, onDidChangeRepositories } from '../connection/gitRisk.ts';
import type { KeyStore } from '../connection/keyStore.ts';
import { isEnvFile } from '../connection/workspaceEnvFiles.ts';
import type { Parse } from '../dotenv/envFix.ts';
import type { ServiceReading } from '../dotenv/sourceReading.ts';
import { DIAGNOSTIC_SOURCE, DocumentDiagnostics } from '../ui/documentDiagnostics.ts';
import { editorRange } from './editorRange.ts';
import { type Problem, parseEnvText, problemsOf } from './problems.ts';
import { registerQuickFixes } from './quickFixes.ts';

/**
 * Shows problems and quick fixes in the `.env` file at the root of each workspace folder, if the
 * workspace is trusted.
 */
export function startEnvFile(keys: KeyStore): Disposable {
  const risks = new WeakMap<TextDocument, GitRisk | undefined>();
  const pendingChecks = new WeakMap<TextDocument, Promise<GitRisk | undefined>>();
  const problemsIn = (document: TextDocument, text: ServiceReading) =>
    problemsOf(text, risks.get(document));
  const parserFor = async ({ uri }: TextDocument): Promise<Parse> => {
    const settings = withStoredService(readSettings(activeFolder(uri)?.uri), await keys.services());
    const { service, services, isServiceSet } = settings;
    return (text) => parseEnvText(text, service, services, isServiceSet);
  };
  const diagnostics = new DocumentDiagnostics({
    appliesTo: isEnvFile,
    diagnosticsOf: async (document) => {
      const parse = await parserFor(document);
      return problemsIn(document, parse(document.getText())).map(diagnosticOf);
    },
  });
  const checkGit = async (document: TextDocument): Promise<void> => {
    if (!isEnvFile(document)) return;
    const looking = gitRisk(document.uri);
    pendingChecks.set(document, looking);
    const risk = await looking;
    // Checks can finish out of order, so use only the result of the latest check.
    if (pendingChecks.get(document) !== looking) return;
    risks.set(document, risk);
    await diagnostics.show(document);
  };
  const checkAll = () => {
    for (const document of workspace.textDocuments) void checkGit(document);
  };
  checkAll();
  // The watcher also reports changes by other programs, such as git, and by this extension's quick
  // fixes.
  const files = workspace.createFileSystemWatcher('**/{.env,.gitignore,.git/index}');
  return Disposable.from(
    files,
    files.onDidCreate(checkAll),
    files.onDidChange(checkAll),
    files.onDidDelete(checkAll),
    keys.onDidChange(checkAll),
    onDidChangeRepositories(checkAll),
    workspace.onDidChangeWorkspaceFolders(checkAll),
    workspace.onDidOpenTextDocument(checkGit),
    // Don't rely only on the watcher, because it may miss a change on a busy machine.
    workspace.onDidSaveTextDocument((document) =>
      isGitignore(document.uri) ? checkAll() : checkGit(document),
    ),
    workspace.onDidCreateFiles(({ files: created }) => {
      if (created.some(isGitignore)) checkAll();
    }),
    diagnostics,
    registerQuickFixes(parserFor, problemsIn),
  );
}

function isGitignore({ path }: Uri): boolean {
  return path.endsWith('/.gitignore');
}

function diagnosticOf({ kind, severity, place, message }: Problem): Diagnostic {
  const diagnostic = new Diagnostic(editorRange(place), message, DiagnosticSeverity[severity]);
  diagnostic.source = DIAGNOSTIC_SOURCE;
  diagnostic.code = kind;
  return diagnostic;
}
