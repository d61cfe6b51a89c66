import {
  CompletionItem,
  CompletionItemKind,
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  languages,
  type Position,
  Range,
  SnippetString,
  type TextDocument,
} from 'vscode';
import { insertModeIds } from '../insert/insertModes.ts';
import { readSettings } from '../settings.ts';
import { DIAGNOSTIC_SOURCE, DocumentDiagnostics } from '../ui/documentDiagnostics.ts';
import { type Completion, completionsAt } from './completions.ts';
import { isTemplateFile, TEMPLATES_PATH } from './templateDocument.ts';
import { type TemplateIssue, templateIssueText } from './templateMessages.ts';
import { readTemplateText } from './templateText.ts';

const KINDS: Readonly<Record<Completion['kind'], CompletionItemKind>> = {
  variable: CompletionItemKind.Variable,
  question: CompletionItemKind.Variable,
  key: CompletionItemKind.Property,
  mode: CompletionItemKind.EnumMember,
};

/** Problems and completion for the template files of a trusted workspace. */
export function startTemplateFiles(): Disposable {
  return Disposable.from(
    new DocumentDiagnostics({ appliesTo: isTemplateFile, diagnosticsOf }),
    languages.registerCompletionItemProvider(
      { pattern: `**/${TEMPLATES_PATH}/*.md` },
      { provideCompletionItems },
      '{',
    ),
  );
}

async function diagnosticsOf(document: TextDocument): Promise<Diagnostic[]> {
  const { operation } = readSettings(document.uri);
  const context = { insertModes: insertModeIds, operation };
  const { issues } = await readTemplateText(document.getText(), context);
  return issues.map((issue) => diagnosticOf(document, issue));
}

function diagnosticOf(document: TextDocument, issue: TemplateIssue): Diagnostic {
  const { kind, isError, offset, length } = issue;
  const range = new Range(document.positionAt(offset), document.positionAt(offset + length));
  const severity = isError ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning;
  const diagnostic = new Diagnostic(range, templateIssueText(issue), severity);
  diagnostic.source = DIAGNOSTIC_SOURCE;
  diagnostic.code = kind;
  return diagnostic;
}

/** Variables in the prompt, keys and insert modes above it. */
function provideCompletionItems(document: TextDocument, position: Position): CompletionItem[] {
  if (!isTemplateFile(document)) return [];
  const offset = document.offsetAt(position);
  const found = completionsAt(document.getText(), offset, insertModeIds);
  if (!found) return [];
  const { offset: from, length } = found.replaced;
  const range = new Range(document.positionAt(from), document.positionAt(from + length));
  return found.items.map((suggestion, index) => itemOf(suggestion, index, range));
}

function itemOf({ kind, label, newText }: Completion, index: number, range: Range): CompletionItem {
  const item = new CompletionItem(label, KINDS[kind]);
  item.range = range;
  // By default they would stand by alphabet.
  item.sortText = String(index);
  item.insertText = kind === 'question' ? new SnippetString(newText) : newText;
  return item;
}
