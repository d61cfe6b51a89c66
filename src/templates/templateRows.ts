import { oneLine } from '../ui/oneLine.ts';
import { BUILT_IN, isFlawed, nameKey, type Template, type TemplateEntry } from './template.ts';
import { flawText } from './templateMessages.ts';

/** The rows of the list of templates. Text of a template is plain text in them. Pure. */

export interface TemplateRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly entry: TemplateEntry;
}

/** A line with a heading, or a row. */
export type TemplateLine = TemplateRow | { readonly heading: string };

export interface TemplateUse {
  /** Of the document in use. */
  readonly languageId: string;
  /** Names, newest first. */
  readonly lastUsed: readonly string[];
}

/**
 * Those that fit the language come first: last used first, then the user's own by alphabet, then
 * the built-in ones in their order. Those for other languages and those with flaws follow.
 */
export function templateLines(
  entries: readonly TemplateEntry[],
  { languageId, lastUsed }: TemplateUse,
): TemplateLine[] {
  const used = lastUsed.map(nameKey);
  const rank = ({ name }: TemplateEntry) => {
    const index = used.indexOf(nameKey(name));
    return index < 0 ? used.length : index;
  };
  const ordered = [...entries].sort(
    (one, other) => rank(one) - rank(other) || compareOrigins(one, other),
  );
  const good = ordered.filter((entry): entry is Template => !isFlawed(entry));
  const groups: readonly (readonly [heading: string, entries: readonly TemplateEntry[]])[] = [
    ['', good.filter((template) => fits(template, languageId))],
    ['for other languages', good.filter((template) => !fits(template, languageId))],
    ['with a mistake', ordered.filter(isFlawed)],
  ];
  return groups.flatMap(([heading, group]) => {
    const rows: TemplateLine[] = group.map(rowOf);
    return heading && rows.length > 0 ? [{ heading }, ...rows] : rows;
  });
}

export function fits({ languages }: Template, languageId: string): boolean {
  return !languages || languages.includes(languageId);
}

const HIDES: Readonly<Record<NonNullable<TemplateEntry['hides']>, string>> = {
  'built-in': 'hides the built-in one',
  user: 'hides yours',
};

function rowOf(entry: TemplateEntry): TemplateRow {
  const name = oneLine(entry.name);
  const hides = entry.hides ? ` · ${HIDES[entry.hides]}` : '';
  const description = oneLine(entry.origin) + hides;
  if (isFlawed(entry)) {
    const detail = oneLine(flawText(entry.problems[0].flaw));
    return { label: `$(warning) ${name}`, description, detail, entry };
  }
  const [firstLine = ''] = entry.prompt.split('\n', 1);
  return { label: name, description, detail: oneLine(firstLine), entry };
}

/** Sorting keeps the order of equal ones, so the built-in ones stay in theirs. */
function compareOrigins(one: TemplateEntry, other: TemplateEntry): number {
  const isBuiltIn = (entry: TemplateEntry) => (entry.origin === BUILT_IN ? 1 : 0);
  if (isBuiltIn(one) || isBuiltIn(other)) return isBuiltIn(one) - isBuiltIn(other);
  return one.name.localeCompare(other.name, 'en');
}
