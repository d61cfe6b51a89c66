import {
  CodeAction,
  type CodeActionContext,
  CodeActionKind,
  type Diagnostic,
  type Disposable,
  FileType,
  languages,
  type Range,
  type TextDocument,
  Uri,
  WorkspaceEdit,
  workspace,
} from 'vscode';
import { isEnvFile } from '../connection/workspaceEnvFiles.ts';
import { appendedLines, type EnvFix, envFixes, fixAll, type Parse } from '../dotenv/envFix.ts';
import type { ServiceReading } from '../dotenv/sourceReading.ts';
import { DIAGNOSTIC_SOURCE } from '../ui/documentDiagnostics.ts';
import { editorRange } from './editorRange.ts';
import {
  ADD_LINES,
  ADD_TO_GITIGNORE,
  COMMAND_TITLES,
  FIX_ALL,
  fixTitle,
} from './envFileMessages.ts';
import { absentNames, type Problem } from './problems.ts';

/** Quick fixes for problems in `.env` files. VS Code applies each edit as one undo step. */

/** Maximum size of a `.gitignore` file that the quick fix edits. Real files are much smaller. */
const GITIGNORE_LIMIT_BYTES = 1024 * 1024;

type Change = readonly [range: Range, newText: string];

type IsHere = (place: { readonly line: number }) => boolean;

export function registerQuickFixes(
  parserFor: (document: TextDocument) => Promise<Parse>,
  problemsIn: (document: TextDocument, text: ServiceReading) => readonly Problem[],
): Disposable {
  const provideCodeActions = async (
    document: TextDocument,
    range: Range,
    context: CodeActionContext,
  ): Promise<CodeAction[]> => {
    if (!isEnvFile(document)) return [];
    const parse = await parserFor(document);
    const text = parse(document.getText());
    const isHere: IsHere = ({ line }) => range.start.line <= line && line <= range.end.line;
    const ours = context.diagnostics.filter(({ source }) => source === DIAGNOSTIC_SOURCE);
    const shown = Map.groupBy(ours, ({ code, range }) => markOf(code, range));
    const actions = new Map<string, CodeAction>();
    for (const problem of problemsIn(document, text)) {
      if (!isHere(problem.place)) continue;
      const diagnostics = shown.get(markOf(problem.kind, editorRange(problem.place))) ?? [];
      for (const fix of await fixesOf(problem, document, text)) {
        // Several problems can have the same fix, such as running setup. Offer the fix only
        // once.
        const same = `${fix.title} ${JSON.stringify(fix.edit?.entries())}`;
        const action = actions.get(same) ?? fix;
        actions.set(same, action);
        action.diagnostics ??= [];
        action.diagnostics.push(...diagnostics);
      }
    }
    const all = actions.size > 0 ? fixAllAction(document, parse) : undefined;
    return [...actions.values(), ...(all ? [all] : [])];
  };
  return languages.registerCodeActionsProvider(
    { pattern: '**/.env' },
    { provideCodeActions },
    // Don't offer source actions, because they could run on save. Other programs read the file,
    // too, so it must not change unless the user picks a fix.
    { providedCodeActionKinds: [CodeActionKind.QuickFix] },
  );
}

/**
 * Returns a single action that fixes all errors that have only one possible fix. Undefined if there
 * are fewer than two fixes.
 */
function fixAllAction(document: TextDocument, parse: Parse): CodeAction | undefined {
  const lines = Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line).text);
  const fixed = fixAll(lines, parse);
  if (fixed.count < 2) return undefined;
  const changes = fixed.lines.flatMap((text, line): Change[] =>
    text === lines[line] ? [] : [[document.lineAt(line).range, text]],
  );
  return withEdits(document, FIX_ALL, changes);
}

/** Returns a string that identifies a diagnostic within its document. */
function markOf(code: Diagnostic['code'], { start, end }: Range): string {
  return [code, start.line, start.character, end.line, end.character].join(' ');
}

async function fixesOf(
  { kind, issue, place }: Problem,
  document: TextDocument,
  { service, reading }: ServiceReading,
): Promise<CodeAction[]> {
  if (kind === 'incomplete') {
    const lines = absentNames(reading).map((name) => `${name}=`);
    const fix = appendedLines(document.getText(), lines);
    return [withEdits(document, ADD_LINES, [changeOf(document, fix)])];
  }
  if (kind === 'not-ignored') return ignoreActions(document);
  if (!issue) return [];
  const fixes = envFixes(document.lineAt(place.line).text, issue, service);
  if (fixes.length === 0) return [withCommand('setUp')];
  return fixes.map((fix) => {
    const action = withEdits(document, fixTitle(issue, fix), [changeOf(document, fix)]);
    action.isPreferred = fixes.length === 1;
    return action;
  });
}

/**
 * Returns the fix that adds the `.env` file to the `.gitignore` in the same folder. That
 * `.gitignore` takes precedence over those in parent folders. Returns no fix if that file is too
 * large, unreadable, a folder, or a symbolic link. Git ignores a `.gitignore` that is a symbolic
 * link, and the link could point anywhere.
 */
async function ignoreActions({ uri }: TextDocument): Promise<CodeAction[]> {
  const rules = Uri.joinPath(uri, '..', '.gitignore');
  const stat = await workspace.fs.stat(rules).then(undefined, () => undefined);
  if (stat && (stat.type !== FileType.File || stat.size > GITIGNORE_LIMIT_BYTES)) return [];
  const action = new CodeAction(ADD_TO_GITIGNORE, CodeActionKind.QuickFix);
  action.edit = new WorkspaceEdit();
  action.isPreferred = true;
  const text = await currentText(rules);
  if (text !== undefined) {
    const { place, newText } = appendedLines(text, ['.env']);
    action.edit.replace(rules, editorRange(place), newText);
    // Git applies the new rule only after the file is saved, so open the file for the user to save.
    action.command = { command: 'vscode.open', title: ADD_TO_GITIGNORE, arguments: [rules] };
  } else if (!stat) {
    action.edit.createFile(rules, { contents: new TextEncoder().encode('.env\n') });
  } else {
    return [];
  }
  return [action];
}

/**
 * Returns the file's text, including unsaved changes if the file is open. Undefined if the file
 * can't be read. Doesn't open a document, because the user might not pick the fix.
 */
async function currentText(file: Uri): Promise<string | undefined> {
  const open = workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  if (open) return open.getText();
  const bytes = await workspace.fs.readFile(file).then(undefined, () => undefined);
  return bytes && new TextDecoder().decode(bytes);
}

function withEdits({ uri }: TextDocument, title: string, changes: readonly Change[]): CodeAction {
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.edit = new WorkspaceEdit();
  for (const [range, newText] of changes) action.edit.replace(uri, range, newText);
  return action;
}

/** Creates a fix that runs one of this extension's commands. */
function withCommand(name: keyof typeof COMMAND_TITLES): CodeAction {
  const title = COMMAND_TITLES[name];
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.command = { command: `hostedModel.${name}`, title };
  return action;
}

function changeOf(document: TextDocument, fix: EnvFix): Change {
  if (fix.kind === 'replace') return [editorRange(fix.place), fix.newText];
  return [document.lineAt(fix.line).rangeIncludingLineBreak, ''];
}
