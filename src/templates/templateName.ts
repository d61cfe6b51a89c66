import { INVISIBLE_OR_UNKNOWN } from '../service/invisible.ts';

/** Names of templates, which a repository can choose. Pure. */

const LONGEST_NAME = 60;
const UNWANTED = new RegExp(`[${INVISIBLE_OR_UNKNOWN}]`, 'gv');
/** Their joiners and selectors change what is seen. */
const EMOJI = /\p{RGI_Emoji}/gv;

/** The name to use; undefined for one that is empty, too long or holds what cannot be seen. */
export function checkedName(text: string): string | undefined {
  const name = text.trim();
  if (name === '' || name.length > LONGEST_NAME) return undefined;
  return name.replace(EMOJI, '').search(UNWANTED) < 0 ? name : undefined;
}

/** Any text as the name of something that cannot be used. */
export function shownPart(text: string): string {
  const plain = text.slice(0, LONGEST_NAME).replace(UNWANTED, '?').trim();
  return text.length > LONGEST_NAME ? `${plain}…` : plain;
}
