import { INVISIBLE_OR_UNKNOWN } from '../service/invisibleCharacters.ts';

/** Default maximum length in characters: more than a row in a list can show. */
const LONGEST = 120;
const UNWANTED = new RegExp(String.raw`[\s${INVISIBLE_OR_UNKNOWN}]+`, 'gv');

/**
 * Converts any text to a single line of limited length, without icons, links, or invisible
 * characters. Notifications and input boxes would otherwise turn `[text](address)` into a link,
 * which can even run a command.
 */
export function oneLine(text: string, longest = LONGEST): string {
  // Truncate the text first, because processing very long text would be slow. The factor of 20
  // allows for whitespace that is collapsed.
  const plain = text
    .slice(0, 20 * longest)
    .replace(UNWANTED, ' ')
    .replaceAll('$(', '$ (')
    .replaceAll('](', '] (')
    .trim();
  if (plain.length <= longest) return plain;
  // Remove the first half of a surrogate pair that `slice` split.
  return `${plain.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
