import {
  CodeAction,
  type CodeActionContext,
  CodeActionKind,
  type Disposable,
  languages,
  type Range,
  type TextDocument,
  WorkspaceEdit,
} from 'vscode';
import { findKey } from '../dotenv/envKey.ts';
import { type EnvEdit, envFixes } from '../dotenv/envMend.ts';
import { type Assignment, byLine } from '../dotenv/envText.ts';
import type { Vendor } from '../service/vendors.ts';
import { readSettings } from '../settings.ts';
import { DIAGNOSTIC_SOURCE } from '../ui/documentDiagnostics.ts';
import { appendedLines, lineRange, rangeOf } from './envDocument.ts';
import { ADD_LINES, COMMAND_TITLES, mendingTitle } from './envFileMessages.ts';
import { absentNames, type OpenText, type Problem, readOpenText } from './problems.ts';

/** Quick fixes for the problems of `.env` files. VS Code applies their edits, as one undo step. */

interface FixContext extends OpenText {
  readonly document: TextDocument;
  readonly lines: ReadonlyMap<number, Assignment>;
  readonly vendor: Vendor;
}

type IsHere = (place: { readonly line: number }) => boolean;

/** @param problemsIn undefined for a document that is not looked after */
export function registerQuickFixes(
  problemsIn: (document: TextDocument, text: OpenText) => readonly Problem[] | undefined,
): Disposable {
  const provideCodeActions = (
    document: TextDocument,
    range: Range,
    context: CodeActionContext,
  ): CodeAction[] => {
    const { vendor } = readSettings(document.uri);
    const text = readOpenText(document.getText(), vendor);
    const problems = problemsIn(document, text);
    if (!problems) return [];
    const fixContext: FixContext = { ...text, document, lines: byLine(text.assignments), vendor };
    const isHere: IsHere = ({ line }) => range.start.line <= line && line <= range.end.line;
    const ours = context.diagnostics.filter(({ source }) => source === DIAGNOSTIC_SOURCE);
    const shown = Map.groupBy(ours, ({ code, range }) => keyOf(String(code), range));
    const actions = new Map<string, CodeAction>();
    for (const problem of problems) {
      if (!isHere(problem.place)) continue;
      const key = keyOf(problem.kind, rangeOf(problem.place));
      for (const fix of fixesOf(problem, fixContext)) {
        // One edit can mend several problems, and several problems need the set-up.
        const same = `${fix.title} ${JSON.stringify(fix.edit?.entries())}`;
        const action = actions.get(same) ?? fix;
        actions.set(same, action);
        action.diagnostics ??= [];
        action.diagnostics.push(...(shown.get(key) ?? []));
      }
    }
    return [...actions.values(), ...keyActions(fixContext, isHere)];
  };
  return languages.registerCodeActionsProvider(
    { pattern: '**/.env' },
    { provideCodeActions },
    { providedCodeActionKinds: [CodeActionKind.QuickFix] },
  );
}

function fixesOf({ kind, issue }: Problem, fixContext: FixContext): CodeAction[] {
  const { document, lines, vendor } = fixContext;
  if (kind === 'incomplete') return [withEdit(ADD_LINES, addLines(fixContext))];
  if (kind === 'not-ignored') {
    const action = withCommand('addToGitignore');
    action.isPreferred = true;
    return [action];
  }
  if (kind === 'byte-order-mark') return [withCommand('removeByteOrderMark')];
  if (!issue) return [];
  const mendings = envFixes(lines, issue, vendor);
  if (mendings.length === 0) return [withCommand('setUp')];
  return mendings.map((mending) => {
    const action = withEdit(mendingTitle(issue, mending), editOf(document, mending.edit));
    action.isPreferred = mendings.length === 1;
    return action;
  });
}

/** On the line of a key, whether or not anything is wrong there. */
function keyActions({ assignments, reading, vendor }: FixContext, isHere: IsHere): CodeAction[] {
  const isOnKey = reading.named.some(
    ({ setting, place }) => setting === 'apiKey' && place && isHere(place),
  );
  if (!isOnKey || !findKey(assignments, vendor)) return [];
  return [withCommand('moveKeyToSecretStorage')];
}

function keyOf(kind: string, { start, end }: Range): string {
  return `${kind} ${start.line}:${start.character}-${end.line}:${end.character}`;
}

function withEdit(title: string, edit: WorkspaceEdit): CodeAction {
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.edit = edit;
  return action;
}

/** A command takes no arguments: it works on the editor in use. */
function withCommand(name: keyof typeof COMMAND_TITLES): CodeAction {
  const title = COMMAND_TITLES[name];
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.command = { command: `hostedModel.${name}`, title };
  return action;
}

function editOf(document: TextDocument, change: EnvEdit): WorkspaceEdit {
  const edit = new WorkspaceEdit();
  if (change.kind === 'replace') {
    edit.replace(document.uri, rangeOf(change.place), change.newText);
  } else edit.delete(document.uri, lineRange(document, change.line));
  return edit;
}

function addLines({ document, reading }: FixContext): WorkspaceEdit {
  const lines = absentNames(reading).map((name) => `${name}=`);
  const { at, text } = appendedLines(document, lines);
  const edit = new WorkspaceEdit();
  edit.insert(document.uri, at, text);
  return edit;
}
