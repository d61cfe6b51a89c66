/** Messages about insert modes and previews. */

export function onClipboard(count: number): string {
  return `${count === 1 ? 'the answer is' : 'the answers are'} on the clipboard.`;
}

export function previewTitle(name: string): string {
  return `${name} (preview)`;
}

export const PREVIEW_COMPLETE = 'the preview is complete: accept or discard it';
export const STILL_COMING = 'the answer is still coming. Accept it when it is complete.';
export const NOT_UP_TO_DATE = 'the preview is not up to date yet. Accept it once it is.';
