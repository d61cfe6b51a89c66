import { window } from 'vscode';
import { fileName } from '../connection/folders.ts';
import type { Target } from '../editor/capturedSelection.ts';
import type { Template } from '../templates/template.ts';
import { askInputs } from '../templates/templatePicker.ts';
import { fillPrompt, needsSelection } from '../templates/variables.ts';
import { inform } from '../ui/notify.ts';
import * as texts from './generateMessages.ts';

/**
 * Returns the prompt for each target. Undefined if the user cancels, or if the template needs
 * selected text but none is selected.
 */
export async function promptsFor(
  targets: readonly Target[],
  template: Template | undefined,
): Promise<readonly string[] | undefined> {
  if (template) return promptsFromTemplate(targets, template);
  if (targets.every(({ selectedText }) => selectedText !== '')) {
    return targets.map(({ selectedText }) => selectedText);
  }
  const typed = await window.showInputBox({
    ...texts.PROMPT_QUESTION,
    ignoreFocusOut: true,
    // Keep the box open if the user presses Enter without typing anything. If the box closed, the
    // next keystrokes would go to the document.
    validateInput: (text) => (text.trim() === '' ? texts.NO_PROMPT : undefined),
  });
  return typed === undefined ? undefined : targets.map(() => typed);
}

/** Fills in the template for each target. Prompts the user for each input only once. */
async function promptsFromTemplate(
  targets: readonly Target[],
  template: Template,
): Promise<readonly string[] | undefined> {
  const hasText = targets.some(({ selectedText }) => selectedText.trim() !== '');
  if (needsSelection(template) && !hasText) {
    inform(texts.NEEDS_SELECTION);
    return undefined;
  }
  const inputs = await askInputs(template);
  return (
    inputs &&
    targets.map(({ document, selectedText: selection }) => {
      const { languageId: language, uri } = document;
      const values = { selection, language, fileName: fileName(uri), inputs };
      return fillPrompt(template.prompt, values);
    })
  );
}
