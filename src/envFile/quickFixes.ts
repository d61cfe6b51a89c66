import {
  CodeAction,
  type CodeActionContext,
  CodeActionKind,
  type Diagnostic,
  type Disposable,
  languages,
  type Range,
  type TextDocument,
  WorkspaceEdit,
} from 'vscode';
import { isEnvFile } from '../credentials/folders.ts';
import type { VendorReading } from '../dotenv/envFile.ts';
import { type EnvFix, envFixes } from '../dotenv/envMend.ts';
import { readSettings } from '../settings.ts';
import { DIAGNOSTIC_SOURCE } from '../ui/documentDiagnostics.ts';
import { appendedLines, editorRange } from './envDocument.ts';
import { ADD_LINES, COMMAND_TITLES, mendingTitle } from './envFileMessages.ts';
import { absentNames, type Problem, parseEnvText } from './problems.ts';

/** Quick fixes for the problems of `.env` files. VS Code applies their edits, as one undo step. */

type IsHere = (place: { readonly line: number }) => boolean;

export function registerQuickFixes(
  problemsIn: (document: TextDocument, text: VendorReading) => readonly Problem[],
): Disposable {
  const provideCodeActions = (
    document: TextDocument,
    range: Range,
    context: CodeActionContext,
  ): CodeAction[] => {
    if (!isEnvFile(document)) return [];
    const { vendor, vendors } = readSettings(document.uri);
    const text = parseEnvText(document.getText(), vendor, vendors);
    const isHere: IsHere = ({ line }) => range.start.line <= line && line <= range.end.line;
    const ours = context.diagnostics.filter(({ source }) => source === DIAGNOSTIC_SOURCE);
    const shown = Map.groupBy(ours, ({ code, range }) => markOf(code, range));
    const actions = new Map<string, CodeAction>();
    for (const problem of problemsIn(document, text)) {
      if (!isHere(problem.place)) continue;
      const diagnostics = shown.get(markOf(problem.kind, editorRange(problem.place))) ?? [];
      for (const fix of fixesOf(problem, document, text)) {
        // One edit can mend several problems, and several problems need the set-up.
        const same = `${fix.title} ${JSON.stringify(fix.edit?.entries())}`;
        const action = actions.get(same) ?? fix;
        actions.set(same, action);
        action.diagnostics ??= [];
        action.diagnostics.push(...diagnostics);
      }
    }
    return [...actions.values()];
  };
  return languages.registerCodeActionsProvider(
    { pattern: '**/.env' },
    { provideCodeActions },
    { providedCodeActionKinds: [CodeActionKind.QuickFix] },
  );
}

/** What tells a diagnostic of a document from the others. */
function markOf(code: Diagnostic['code'], { start, end }: Range): string {
  return [code, start.line, start.character, end.line, end.character].join(' ');
}

function fixesOf(
  { kind, issue, place }: Problem,
  document: TextDocument,
  { vendor, reading }: VendorReading,
): CodeAction[] {
  if (kind === 'incomplete') {
    const lines = absentNames(reading).map((name) => `${name}=`);
    return [withEdit(document, ADD_LINES, appendedLines(document, lines))];
  }
  if (kind === 'not-ignored') {
    const action = withCommand('addToGitignore');
    action.isPreferred = true;
    return [action];
  }
  if (kind === 'byte-order-mark') return [withCommand('removeByteOrderMark')];
  if (!issue) return [];
  const mendings = envFixes(document.lineAt(place.line).text, issue, vendor);
  if (mendings.length === 0) return [withCommand('setUp')];
  return mendings.map((mending) => {
    const action = withEdit(document, mendingTitle(issue, mending), changeOf(document, mending));
    action.isPreferred = mendings.length === 1;
    return action;
  });
}

function withEdit(
  { uri }: TextDocument,
  title: string,
  [range, newText]: readonly [Range, string],
): CodeAction {
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.edit = new WorkspaceEdit();
  action.edit.replace(uri, range, newText);
  return action;
}

/** A command takes no arguments: it works on the editor in use. */
function withCommand(name: keyof typeof COMMAND_TITLES): CodeAction {
  const title = COMMAND_TITLES[name];
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.command = { command: `hostedModel.${name}`, title };
  return action;
}

function changeOf(document: TextDocument, fix: EnvFix): [Range, string] {
  if (fix.kind === 'replace') return [editorRange(fix.place), fix.newText];
  return [document.lineAt(fix.line).rangeIncludingLineBreak, ''];
}
