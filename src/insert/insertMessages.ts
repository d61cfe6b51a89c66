/** What people read of the insert modes and of a preview. Pure. */

/** The name of each insert mode, and where its answer goes. */
export const MODE_TEXTS = {
  below: { label: 'Below the Selection', detail: 'On a new line below the selected text' },
  after: { label: 'After the Selection', detail: 'Directly after the selected text' },
  above: { label: 'Above the Selection', detail: 'On a new line above the selected text' },
  replace: { label: 'Replace the Selection', detail: 'In place of the selected text' },
  newDocument: { label: 'New Document', detail: 'In a new document beside this one' },
  clipboard: { label: 'Clipboard', detail: 'On the clipboard; the document stays as it is' },
  preview: { label: 'Preview', detail: 'Beside the selected text, to accept or discard' },
} as const;

export const MODE_QUESTION = {
  title: 'Generate With…',
  placeHolder: 'Where shall the generated text go?',
} as const;

/** Of the mode that would be used without a question. */
export function usualDetail(detail: string): string {
  return `As in the settings · ${detail}`;
}

export function onClipboard(count: number): string {
  return `${count === 1 ? 'the answer is' : 'the answers are'} on the clipboard.`;
}

export function previewTitle(name: string): string {
  return `${name} (preview)`;
}

export const PREVIEW_COMPLETE = 'the preview is complete: accept or discard it';
export const STILL_COMING = 'the answer is still coming. Accept it when it is complete.';
export const NOT_UP_TO_DATE = 'the preview is not up to date yet. Accept it once it is.';
