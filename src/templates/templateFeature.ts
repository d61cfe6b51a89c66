import {
  CompletionItem,
  CompletionItemKind,
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  languages,
  type Memento,
  type Position,
  Range,
  SnippetString,
  type TextDocument,
} from 'vscode';
import { readSettings } from '../config/settings.ts';
import { activeFolder } from '../connection/folders.ts';
import type { EditorSnapshot } from '../editor/editorSnapshot.ts';
import { insertModeIds } from '../editor/insertMode.ts';
import { DIAGNOSTIC_SOURCE, DocumentDiagnostics } from '../ui/documentDiagnostics.ts';
import { inform } from '../ui/notify.ts';
import { type Completion, completionsAt } from './completions.ts';
import { readTemplateText } from './parseTemplate.ts';
import { isBroken, type Template } from './template.ts';
import { noTemplateText, type TemplateIssue, templateIssueText } from './templateMessages.ts';
import { findTemplate, lastUsedTemplates, noteLastUsed } from './templateNames.ts';
import { isTemplateFile, TEMPLATES_PATH } from './templatePath.ts';
import { pickTemplate, showIssue } from './templatePicker.ts';
import { readTemplates } from './templateSources.ts';

const KINDS: Readonly<Record<Completion['kind'], CompletionItemKind>> = {
  variable: CompletionItemKind.Variable,
  question: CompletionItemKind.Variable,
  key: CompletionItemKind.Property,
  mode: CompletionItemKind.EnumMember,
};

/**
 * Finds a template by name, or lets the user pick one if no name is given. Moves the template to
 * the front of the list of recently used templates. If the template doesn't exist or is broken,
 * shows a message.
 * @returns the template; undefined if the user didn't pick one, or if there is no usable template
 * with this name
 */
export async function chooseTemplate(
  { document: { uri, languageId }, texts }: Pick<EditorSnapshot, 'document' | 'texts'>,
  name: string | undefined,
  state: Memento,
): Promise<Template | undefined> {
  const folder = activeFolder(uri);
  const scope = { ...readSettings(folder?.uri), folder, insertModes: insertModeIds };
  const templates = await readTemplates(scope);
  const found = name === undefined ? undefined : findTemplate(templates, name);
  if (name !== undefined && !found) inform(noTemplateText(name));
  else if (found && isBroken(found)) await showIssue(found);
  else {
    const hasSelection = texts.some((text) => text.trim() !== '');
    const use = { languageId, lastUsed: lastUsedTemplates(state), hasSelection };
    const template = found ?? (await pickTemplate(templates, use));
    // Ignore errors when storing the name, because the stored names affect only the order of the
    // list.
    if (template) void noteLastUsed(state, template.name).catch(() => {});
    return template;
  }
  return undefined;
}

/** Enables diagnostics and completions in template files. */
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
  const { operation } = readSettings(activeFolder(document.uri)?.uri);
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

/** Completes variables in the prompt, and keys and insert modes in the front matter. */
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
  // Keep the items in the given order. By default, VS Code sorts them by label.
  item.sortText = String(index);
  item.insertText = kind === 'question' ? new SnippetString(newText) : newText;
  return item;
}
