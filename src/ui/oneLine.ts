import { INVISIBLE_OR_UNKNOWN } from '../service/invisible.ts';

/** More than a row can show. */
const LONGEST = 120;
const UNWANTED = new RegExp(String.raw`[\s${INVISIBLE_OR_UNKNOWN}]+`, 'gv');

/**
 * Converts any text to one plain line of limited length, without line breaks, icons, links, or
 * invisible characters. Notifications and input boxes turn `[text](address)` into a link, even to a
 * command.
 */
export function oneLine(text: string, longest = LONGEST): string {
  // Limits the work on long texts. The first part is always enough to fill a row.
  const plain = text
    .slice(0, 20 * longest)
    .replace(UNWANTED, ' ')
    .replaceAll('$(', '$ (')
    .replaceAll('](', '] (')
    .trim();
  if (plain.length <= longest) return plain;
  // Doesn't split a surrogate pair.
  return `${plain.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
