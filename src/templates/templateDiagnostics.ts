import { Diagnostic, DiagnosticSeverity, Range, type TextDocument } from 'vscode';
import { readSettings } from '../settings.ts';
import { DocumentDiagnostics, SOURCE } from '../ui/documentDiagnostics.ts';
import type { TemplateProblem } from './flaws.ts';
import { isTemplateFile } from './templateDocument.ts';
import { flawText } from './templateMessages.ts';
import { readTemplateText } from './templateText.ts';

/** Keeps the problems of open template files shown. */
export function showTemplateDiagnostics(insertModes: readonly string[]): DocumentDiagnostics {
  return new DocumentDiagnostics({
    isMeant: isTemplateFile,
    diagnosticsOf: async (document) => {
      const { operation } = readSettings(document.uri);
      const { problems } = await readTemplateText(document.getText(), { insertModes, operation });
      return problems.map((problem) => diagnosticOf(document, problem));
    },
  });
}

function diagnosticOf(
  document: TextDocument,
  { flaw, isError, offset, length }: TemplateProblem,
): Diagnostic {
  const range = new Range(document.positionAt(offset), document.positionAt(offset + length));
  const severity = isError ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning;
  const diagnostic = new Diagnostic(range, flawText(flaw), severity);
  diagnostic.source = SOURCE;
  diagnostic.code = flaw.kind;
  return diagnostic;
}
