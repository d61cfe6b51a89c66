import { env, window, workspace } from 'vscode';

/** The last generated text, whatever happened to the document. In memory only, for this window. */
export class LastResult {
  #text = '';
  #languageId = 'plaintext';

  /** Forgets the last one and collects a new one, for a document of this language. */
  begin(languageId: string): void {
    this.#text = '';
    this.#languageId = languageId;
  }

  append(text: string): void {
    this.#text += text;
  }

  /** Opens the text in a new document. */
  async show(): Promise<void> {
    if (this.#text === '') {
      await window.showInformationMessage('Hosted Model has generated nothing in this window yet.');
      return;
    }
    const document = await workspace.openTextDocument({
      content: this.#text,
      language: this.#languageId,
    });
    await window.showTextDocument(document);
  }

  /** Says that the text could not be placed, and offers it. */
  async offer(): Promise<void> {
    if (this.#text === '') return;
    const text = this.#text;
    const open = 'Open in New Document';
    const copy = 'Copy';
    const picked = await window.showWarningMessage(
      'Hosted Model: the answer could not be put into the document, since it was closed, read-only or changed at that place. The answer is kept until the next one.',
      open,
      copy,
    );
    if (picked === open) await this.show();
    if (picked === copy) await env.clipboard.writeText(text);
  }
}
