import type { Memento } from 'vscode';
import { INVISIBLE_OR_UNKNOWN } from '../service/invisibleCharacters.ts';
import type { TemplateEntry } from './template.ts';

/**
 * Names of templates, and the list of recently used names. A name is untrusted, because it can come
 * from a repository.
 */

const LAST_USED = 'hostedModel.lastUsedTemplates';
const MAX_LAST_USED = 20;

const MAX_NAME_LENGTH = 60;
const UNWANTED = new RegExp(`[${INVISIBLE_OR_UNKNOWN}]`, 'gv');

/** Normalizes a name so that comparisons ignore case and surrounding whitespace. */
export function nameKey(name: string): string {
  return name.trim().normalize().toLowerCase();
}

/** Finds a template by name, even if it's broken. Ignores case and surrounding whitespace. */
export function findTemplate(
  templates: readonly TemplateEntry[],
  name: string,
): TemplateEntry | undefined {
  return templates.find((entry) => nameKey(entry.name) === nameKey(name));
}

/**
 * Returns the trimmed name; undefined if it's empty, is longer than 60 characters, or contains
 * invisible, private-use, or unassigned characters. Emoji are allowed.
 */
export function checkedName(text: string): string | undefined {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH) return undefined;
  if (name.search(UNWANTED) < 0) return name;
  // Emoji can contain joiners and variation selectors, so check the name without emoji. This check
  // comes last, because compiling the regular expression takes 20 ms (measured).
  return name.replace(/\p{RGI_Emoji}/gv, '').search(UNWANTED) < 0 ? name : undefined;
}

/** Shortens text and replaces its invisible characters so that it can be shown as a name. */
export function displayName(text: string): string {
  const plain = text.slice(0, MAX_NAME_LENGTH).replace(UNWANTED, '?').trim();
  return text.length > MAX_NAME_LENGTH ? `${plain}…` : plain;
}

/** Returns the names of recently used templates, most recent first. */
export function lastUsedTemplates(memento: Memento): readonly string[] {
  const kept: unknown = memento.get(LAST_USED);
  if (!Array.isArray(kept)) return [];
  return kept.filter((name) => typeof name === 'string').slice(0, MAX_LAST_USED);
}

/**
 * Puts a name at the front of the list of recently used templates. Keeps at most `MAX_LAST_USED`
 * names.
 * @throws if VS Code can't store the name
 */
export async function noteLastUsed(memento: Memento, name: string): Promise<void> {
  const others = lastUsedTemplates(memento).filter((other) => nameKey(other) !== nameKey(name));
  await memento.update(LAST_USED, [name, ...others].slice(0, MAX_LAST_USED));
}
