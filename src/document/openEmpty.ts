import { type TextDocument, workspace } from 'vscode';

/** Text that is there still is the editor's own doing, such as a file header. */
const ATTEMPTS = 3;

/**
 * Opens an empty untitled document. In its place VS Code may bring back what it kept of one of the
 * same name (measured: one time in four, where that was changed a second ago and closed just now).
 * That stays open, so the next one has another name.
 */
export async function openEmpty(language: string): Promise<TextDocument> {
  for (let attempt = 1; ; attempt += 1) {
    const document = await workspace.openTextDocument({ content: '', language });
    if (document.getText() === '' || attempt === ATTEMPTS) return document;
  }
}
