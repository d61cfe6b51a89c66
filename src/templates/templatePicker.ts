import { type QuickPickItem, QuickPickItemKind, Range, window, workspace } from 'vscode';
import { oneLine } from '../ui/oneLine.ts';
import { openSettings } from '../ui/openSettings.ts';
import {
  type BrokenTemplate,
  BUILT_IN,
  isBroken,
  type Template,
  type TemplateEntry,
} from './template.ts';
import {
  HIDES,
  NEEDS_SELECTED_TEXT,
  PICKER_WORDS,
  type TemplateIssueDetails,
  templateIssueText,
} from './templateMessages.ts';
import { nameKey } from './templateNames.ts';
import { needsSelection, outlineOf, questionsOf } from './variables.ts';

/** Prompts the user for a template and for the answers to its questions. */

/**
 * Lets the user pick a template. If the picked template is broken, shows its error.
 * @returns the picked template; undefined if the user picked a broken template or none at all
 */
export async function pickTemplate(
  templates: readonly TemplateEntry[],
  use: TemplateUse,
): Promise<Template | undefined> {
  const picked = await window.showQuickPick(templateItems(templates, use), {
    title: PICKER_WORDS.title,
    placeHolder: PICKER_WORDS.placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const entry = picked?.entry;
  if (!entry || !isBroken(entry)) return entry;
  await showIssue(entry);
  return undefined;
}

/**
 * Issues that prevent a template file from being opened: the file is unreadable, is a link, or
 * isn't a regular file.
 */
const UNOPENED: ReadonlySet<TemplateIssueDetails['kind']> = new Set([
  'link',
  'not-a-file',
  'unreadable',
]);

/**
 * Opens a broken template's file at the error. Also shows a message if the error has no position.
 * If there is no file, or if the file can't be opened, shows only the message. Never opens a link,
 * because a link from a repository could point to any file.
 */
export async function showIssue({ issue, file }: BrokenTemplate): Promise<void> {
  const { kind, offset, length } = issue;
  if (file && !UNOPENED.has(kind)) {
    try {
      const document = await workspace.openTextDocument(file);
      const start = document.positionAt(offset);
      const end = document.positionAt(offset + length);
      await window.showTextDocument(document, { selection: new Range(start, end) });
      if (length > 0) return;
    } catch {
      // `openTextDocument` rejects a binary file, so the message below is shown instead.
    }
  }
  const buttons = file ? [] : [PICKER_WORDS.openSettings];
  const isOfFolder = kind === 'too-many-files';
  const text = `${isOfFolder ? '' : `${PICKER_WORDS.unusable} `}${templateIssueText(issue)}`;
  if ((await window.showWarningMessage(text, ...buttons)) !== PICKER_WORDS.openSettings) return;
  await openSettings('hostedModel.templates');
}

/** A row of the picker: a template, or a heading, which has no entry. */
interface TemplateItem extends QuickPickItem {
  readonly entry: TemplateEntry | undefined;
}

export interface TemplateUse {
  /** VS Code language ID of the document to generate for. */
  readonly languageId: string;
  /** Names of recently used templates, most recent first. */
  readonly lastUsed: readonly string[];
  /** True if text other than whitespace is selected. */
  readonly hasSelection: boolean;
}

/**
 * Lists the templates in three groups: templates for the document's language, templates for other
 * languages, and broken templates. Each group starts with its most recently used templates. The
 * rest are sorted by name, with the built-in templates at the end.
 */
export function templateItems(entries: readonly TemplateEntry[], use: TemplateUse): TemplateItem[] {
  const { languageId, lastUsed } = use;
  const used = lastUsed.map(nameKey);
  const rank = ({ name }: TemplateEntry) => {
    const index = used.indexOf(nameKey(name));
    return index < 0 ? used.length : index;
  };
  const ordered = [...entries].sort(
    (one, other) => rank(one) - rank(other) || compareOrigins(one, other),
  );
  const good = ordered.filter((entry): entry is Template => !isBroken(entry));
  const groups: readonly (readonly [heading: string, entries: readonly TemplateEntry[]])[] = [
    ['', good.filter((template) => fits(template, languageId))],
    [PICKER_WORDS.otherLanguages, good.filter((template) => !fits(template, languageId))],
    [PICKER_WORDS.withErrors, ordered.filter(isBroken)],
  ];
  return groups.flatMap(([heading, group]) => {
    const rows = group.map((entry) => rowOf(entry, use));
    const separator = { label: heading, kind: QuickPickItemKind.Separator, entry: undefined };
    return heading && rows.length > 0 ? [separator, ...rows] : rows;
  });
}

function fits({ languages }: Template, languageId: string): boolean {
  return !languages || languages.includes(languageId);
}

function rowOf(entry: TemplateEntry, { languageId, hasSelection }: TemplateUse): TemplateItem {
  const name = oneLine(entry.name);
  const description = oneLine(entry.origin) + (entry.hides ? HIDES[entry.hides] : '');
  if (isBroken(entry)) {
    const detail = oneLine(templateIssueText(entry.issue));
    return { label: `$(warning) ${name}`, description, detail, entry };
  }
  const hint = hasSelection || !needsSelection(entry) ? '' : NEEDS_SELECTED_TEXT;
  const detail = oneLine(outlineOf(entry.prompt, languageId));
  return { label: name, description: description + hint, detail, entry };
}

/** Compares two templates by name. Built-in templates come last and keep their order. */
function compareOrigins(one: TemplateEntry, other: TemplateEntry): number {
  const isBuiltIn = (entry: TemplateEntry) => (entry.origin === BUILT_IN ? 1 : 0);
  if (isBuiltIn(one) || isBuiltIn(other)) return isBuiltIn(one) - isBuiltIn(other);
  return one.name.localeCompare(other.name, 'en');
}

/**
 * Prompts for the answers to a template's questions, one at a time.
 * @returns the answers, keyed by question; undefined if the user canceled
 */
export async function askInputs(
  template: Pick<Template, 'name' | 'prompt'>,
): Promise<ReadonlyMap<string, string> | undefined> {
  const answers = new Map<string, string>();
  for (const question of questionsOf(template.prompt)) {
    const answer = await window.showInputBox({
      title: oneLine(template.name),
      prompt: oneLine(question),
      // Unlike the prompt, the placeholder stays visible while the hint about a missing answer is
      // shown.
      placeHolder: oneLine(question),
      // Keep the box open, because the user may look up the answer in another window.
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === '' ? PICKER_WORDS.noAnswer : undefined),
    });
    if (answer === undefined) return undefined;
    answers.set(question, answer);
  }
  return answers;
}
