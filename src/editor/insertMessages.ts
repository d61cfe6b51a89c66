/** Messages about insert modes and previews. */

export const COPIED = 'Copied the generated text to the clipboard.';
export const NOT_COPIED = 'Couldn’t copy the generated text to the clipboard.';
export const NOT_IN_NEW_DOCUMENT = 'Couldn’t write the generated text to a new document.';
export const NOT_PREVIEWED = 'Couldn’t show a preview of the generated text.';

export function previewTitle(name: string): string {
  return `${name} (preview)`;
}

export const PREVIEW_COMPLETE = 'The preview is complete: accept or discard it';
export const UNCHANGED = 'The generated text matches yours, so nothing changed.';
export const NOT_COMPLETE = 'Wait until the preview is complete, then accept it.';
export const NOT_UP_TO_DATE = 'The preview isn’t up to date yet. Try again in a moment.';
