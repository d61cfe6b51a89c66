import { commands, QuickPickItemKind, Range, window, workspace } from 'vscode';
import type { TemplateFlaw } from './flaws.ts';
import { type FlawedTemplate, isFlawed, type Template, type TemplateEntry } from './template.ts';
import { flawText } from './templateMessages.ts';
import { type TemplateUse, templateLines } from './templateRows.ts';

const OPEN_SETTINGS = 'Open Settings';

/**
 * Lets the user pick a template. One with a mistake is shown where the mistake is.
 * @returns undefined if none was picked, or one that cannot be used
 */
export async function pickTemplate(
  templates: readonly TemplateEntry[],
  use: TemplateUse,
): Promise<Template | undefined> {
  const items = templateLines(templates, use).map((line) =>
    'heading' in line
      ? { label: line.heading, kind: QuickPickItemKind.Separator, entry: undefined }
      : line,
  );
  const picked = await window.showQuickPick(items, {
    title: 'Generate With Template',
    placeHolder: 'The template to generate with',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const entry = picked?.entry;
  if (!entry || !isFlawed(entry)) return entry;
  await showFlaw(entry);
  return undefined;
}

/** No place in a text shows these: it is not read, or it is that of another file. */
const UNOPENED: ReadonlySet<TemplateFlaw['kind']> = new Set(['link', 'not-a-file', 'unreadable']);

/**
 * Shows the place in its file that keeps a template from being used. What has no place is said; a
 * link is not opened, since a repository chose where it leads.
 */
export async function showFlaw({ problems, file }: FlawedTemplate): Promise<void> {
  const [{ flaw, offset, length }] = problems;
  if (file && !UNOPENED.has(flaw.kind)) {
    try {
      const document = await workspace.openTextDocument(file);
      const start = document.positionAt(offset);
      const end = document.positionAt(offset + length);
      await window.showTextDocument(document, { selection: new Range(start, end) });
      if (length > 0) return;
    } catch {
      // What is no text opens in no editor: then the message has to do.
    }
  }
  const buttons = file ? [] : [OPEN_SETTINGS];
  const text = `Hosted Model: this template cannot be used. ${flawText(flaw)}`;
  if ((await window.showWarningMessage(text, ...buttons)) !== OPEN_SETTINGS) return;
  await commands.executeCommand('workbench.action.openSettings', 'hostedModel.templates');
}
