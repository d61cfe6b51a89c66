import {
  CodeAction,
  type CodeActionContext,
  CodeActionKind,
  type Diagnostic,
  type Disposable,
  EndOfLine,
  languages,
  type Range,
  type TextDocument,
  Uri,
  WorkspaceEdit,
  workspace,
} from 'vscode';
import { readEnvFile } from '../service/envFile.ts';
import { findKey } from '../service/envKey.ts';
import { type EnvEdit, mendEnvFile } from '../service/envMend.ts';
import type { Vendor } from '../service/vendors.ts';
import { readSettings } from '../settings.ts';
import { type EnvFileDiagnostics, SOURCE } from './diagnostics.ts';
import { lineRange, rangeOf } from './envDocument.ts';
import { FIX_TITLES, mendingTitle } from './findingMessages.ts';
import { absentNames, type Problem } from './problems.ts';

/** Quick fixes for the problems of `.env` files. VS Code applies their edits, as one undo step. */

interface Scene {
  readonly document: TextDocument;
  readonly text: string;
  readonly vendor: Vendor;
}

export function registerQuickFixes(diagnostics: EnvFileDiagnostics): Disposable {
  const provideCodeActions = async (
    document: TextDocument,
    range: Range,
    context: CodeActionContext,
  ): Promise<CodeAction[]> => {
    if (!diagnostics.isShown(document)) return [];
    const vendor = readSettings(document.uri).vendor;
    const scene: Scene = { document, text: document.getText(), vendor };
    const isHere = ({ line }: { readonly line: number }) =>
      range.start.line <= line && line <= range.end.line;
    const actions = new Map<string, CodeAction>();
    for (const problem of diagnostics.problems(document).filter(({ place }) => isHere(place))) {
      for (const fix of await fixesOf(problem, scene)) {
        // One edit can mend several problems, and several problems need the set-up.
        const same = `${fix.title} ${JSON.stringify(fix.edit?.entries())}`;
        const action = actions.get(same) ?? fix;
        actions.set(same, action);
        const shown = context.diagnostics.filter((one) => isOf(problem, one));
        action.diagnostics = [...(action.diagnostics ?? []), ...shown];
      }
    }
    return [...actions.values(), ...keyActions(scene, isHere)];
  };
  return languages.registerCodeActionsProvider(
    { pattern: '**/.env' },
    { provideCodeActions },
    { providedCodeActionKinds: [CodeActionKind.QuickFix] },
  );
}

async function fixesOf({ kind, finding }: Problem, scene: Scene): Promise<CodeAction[]> {
  const { document, text, vendor } = scene;
  if (kind === 'incomplete') return [withEdit(FIX_TITLES.addLines, addLines(scene))];
  if (kind === 'not-ignored') {
    const action = withEdit(FIX_TITLES.addToGitignore, await addToGitignore(document.uri));
    action.isPreferred = true;
    return [action];
  }
  if (kind === 'byte-order-mark') {
    return [withCommand(FIX_TITLES.removeByteOrderMark, 'removeByteOrderMark')];
  }
  if (!finding) return [];
  const mendings = mendEnvFile(text, finding, vendor);
  if (mendings.length === 0) return [withCommand(FIX_TITLES.setUp, 'setUp')];
  return mendings.map(({ edit, region }) => {
    const action = withEdit(mendingTitle(finding, region), editOf(document, edit));
    action.isPreferred = mendings.length === 1;
    return action;
  });
}

/** On the line of a key, whether or not anything is wrong there. */
function keyActions(
  { text, vendor }: Scene,
  isHere: (place: { readonly line: number }) => boolean,
): CodeAction[] {
  const { named } = readEnvFile(text, vendor);
  const isOnKey = named.some(
    ({ setting, place }) => setting === 'apiKey' && place && isHere(place),
  );
  if (!isOnKey || !findKey(text, vendor)) return [];
  return [withCommand(FIX_TITLES.moveKey, 'moveKeyToSecretStorage')];
}

function isOf({ kind, place }: Problem, { source, code, range }: Diagnostic): boolean {
  return source === SOURCE && code === kind && range.isEqual(rangeOf(place));
}

function withEdit(title: string, edit: WorkspaceEdit): CodeAction {
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.edit = edit;
  return action;
}

/** A command takes no arguments: it works on the editor in use. */
function withCommand(
  title: string,
  name: 'setUp' | 'removeByteOrderMark' | 'moveKeyToSecretStorage',
): CodeAction {
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

function addLines({ document, text, vendor }: Scene): WorkspaceEdit {
  const lines = absentNames(readEnvFile(text, vendor)).map((name) => `${name}=`);
  return appended(document, lines);
}

/** To the rules beside the file, which are the strongest. */
async function addToGitignore(envFile: Uri): Promise<WorkspaceEdit> {
  const rules = Uri.joinPath(envFile, '..', '.gitignore');
  try {
    return appended(await workspace.openTextDocument(rules), ['.env']);
  } catch {
    const edit = new WorkspaceEdit();
    edit.createFile(rules, { contents: new TextEncoder().encode('.env\n'), ignoreIfExists: true });
    return edit;
  }
}

function appended(document: TextDocument, lines: readonly string[]): WorkspaceEdit {
  const lineEnd = document.eol === EndOfLine.LF ? '\n' : '\r\n';
  const last = document.lineAt(document.lineCount - 1);
  const start = last.text === '' ? '' : lineEnd;
  const edit = new WorkspaceEdit();
  edit.insert(document.uri, last.range.end, start + lines.map((line) => line + lineEnd).join(''));
  return edit;
}
