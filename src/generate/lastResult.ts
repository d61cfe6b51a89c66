import { env, Range, window } from 'vscode';
import { inLines } from '../diagnostics/reportFailure.ts';
import { editDocument } from '../document/documentEdit.ts';
import { openEmpty } from '../document/openEmpty.ts';

/** The text of one command, kept whatever happens to the document. In memory only. */
export interface Result {
  /** As the service sent it; several answers below each other. */
  readonly text: string;
  readonly languageId: string;
}

/** Opens a result in a new document. */
export async function showResult(result: Result | undefined): Promise<void> {
  if (result) {
    const document = await openEmpty(result.languageId);
    await editDocument(document, [[new Range(0, 0, 0, 0), result.text]]);
    await window.showTextDocument(document);
  } else {
    const nothing = 'Hosted Model has generated nothing in this window yet.';
    await window.showInformationMessage(nothing);
  }
}

/**
 * Says that a text could not be placed, and offers it for as long as the message is open.
 * @param lines of the selections that it answers, where there are several
 */
export async function offerResult(result: Result, lines: readonly number[] = []): Promise<void> {
  if (result.text === '') return;
  const openIt = 'Open in New Document';
  const copyIt = 'Copy';
  const picked = await window.showWarningMessage(
    `Hosted Model: ${inLines(lines)}the answer could not be put into the document, since it was closed, read-only or changed at that place. Show Last Result has it until the next one comes.`,
    openIt,
    copyIt,
  );
  if (picked === openIt) await showResult(result);
  if (picked === copyIt) await env.clipboard.writeText(result.text);
}
