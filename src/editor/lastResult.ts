import { env, window, workspace } from 'vscode';

/** The text of one generation, kept whatever happens to the document. In memory only. */
export interface Result {
  readonly text: string;
  readonly languageId: string;
}

/** Keeps the last generated text of this window, and offers one that could not be placed. */
export class LastResult {
  #last: Result | undefined;

  /** Begins a result for a document of this language. The last one stays until text comes. */
  begin(languageId: string): { readonly result: Result; readonly append: (text: string) => void } {
    const result = { text: '', languageId };
    const append = (text: string) => {
      result.text += text;
      this.#last = result;
    };
    return { result, append };
  }

  /** Opens the last text in a new document. */
  async show(): Promise<void> {
    if (this.#last) await open(this.#last);
    else {
      const nothing = 'Hosted Model has generated nothing in this window yet.';
      await window.showInformationMessage(nothing);
    }
  }
}

/** Says that a text could not be placed, and offers it for as long as the message is open. */
export async function offerResult(result: Result): Promise<void> {
  if (result.text === '') return;
  const openIt = 'Open in New Document';
  const copyIt = 'Copy';
  const picked = await window.showWarningMessage(
    'Hosted Model: the answer could not be put into the document, since it was closed, read-only or changed at that place. The answer is kept until the next one.',
    openIt,
    copyIt,
  );
  if (picked === openIt) await open(result);
  if (picked === copyIt) await env.clipboard.writeText(result.text);
}

async function open({ text, languageId }: Result): Promise<void> {
  const document = await workspace.openTextDocument({ content: text, language: languageId });
  await window.showTextDocument(document);
}
