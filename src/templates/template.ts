import type { Memento, Uri } from 'vscode';
import type { Parameters } from '../service/api/parameters.ts';
import { INVISIBLE_OR_UNKNOWN } from '../service/invisible.ts';
import type { TemplateIssue } from './templateMessages.ts';

/** Templates and their names. A name is untrusted, because it can come from a repository. */

interface Provenance {
  /** The origin as displayed, such as `user settings` or `.hosted-model/templates/x.md`. */
  readonly origin: string;
  /**
   * The kind of the same-named template that this template hides; undefined if it hides none. Set
   * only for templates from a repository or a remote machine.
   */
  readonly hides?: 'built-in' | 'user';
}

/** A prompt with variables, and the settings that the template overrides. */
export interface Template extends Provenance {
  readonly name: string;
  /** The prompt before its variables are filled in. See `fillPrompt`. */
  readonly prompt: string;
  readonly insertMode?: string;
  readonly parameters?: Parameters;
  readonly modelId?: string;
  /**
   * VS Code language ID for a response that goes to a new document or the clipboard. Defaults to
   * the language of the selection's document.
   */
  readonly responseLanguage?: string;
  /** IDs of the VS Code languages that the template is meant for; undefined for all languages. */
  readonly languages?: readonly string[];
}

/** A template that can't be used. The picker lists it with its error. */
export interface BrokenTemplate extends Provenance {
  readonly name: string;
  /** The error to show. The template may have further errors. */
  readonly issue: TemplateIssue;
  /**
   * The file with the error; undefined if the error is in the settings or affects the whole
   * templates folder.
   */
  readonly file: Uri | undefined;
}

export type TemplateEntry = Template | BrokenTemplate;

/** The origin of templates that ship with the extension. */
export const BUILT_IN = 'built-in';

const LAST_USED = 'hostedModel.lastUsedTemplates';
const MAX_LAST_USED = 20;

const MAX_NAME_LENGTH = 60;
const UNWANTED = new RegExp(`[${INVISIBLE_OR_UNKNOWN}]`, 'gv');

export function isBroken(entry: TemplateEntry): entry is BrokenTemplate {
  return 'issue' in entry;
}

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
