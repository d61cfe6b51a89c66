/** Messages about insert modes and previews. */

export function onClipboard(count: number): string {
  return `${count === 1 ? 'The response is' : 'The responses are'} on the clipboard.`;
}

export function previewTitle(name: string): string {
  return `${name} (preview)`;
}

export const PREVIEW_COMPLETE = 'The preview is complete: accept or discard it';
export const STILL_COMING = 'Wait until the response is complete, then accept it.';
export const NOT_UP_TO_DATE = 'The preview isn’t up to date yet. Try again in a moment.';
