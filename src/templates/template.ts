import type { Memento, Uri } from 'vscode';
import type { Parameters } from '../service/api/parameters.ts';
import { INVISIBLE_OR_UNKNOWN } from '../service/invisible.ts';
import type { TemplateIssue } from './templateMessages.ts';

/** Templates and their names, which a repository can choose. */

interface Provenance {
  /** The displayed origin: `built-in`, `settings`, `.hosted-model/templates/x.md`. */
  readonly origin: string;
  /** The origin of the template with the same name that a repository's template hides. */
  readonly hides?: 'built-in' | 'user';
}

/** A prompt with variables, and the settings that it overrides. */
export interface Template extends Provenance {
  readonly name: string;
  /** The prompt as written, with variables; `fillPrompt` builds the text to send. */
  readonly prompt: string;
  readonly insertMode?: string;
  readonly parameters?: Parameters;
  readonly modelId?: string;
  /**
   * The language of a response in a new document or on the clipboard; by default that of the
   * document.
   */
  readonly responseLanguage?: string;
  /** VS Code language identifiers. Without them, the template fits every language. */
  readonly languages?: readonly string[];
}

/** A template that can't be used. It is still listed, so that the user sees why. */
export interface BrokenTemplate extends Provenance {
  readonly name: string;
  /** The error to show; the first one if there are several. */
  readonly issue: TemplateIssue;
  /** The file to fix; undefined for a template in the settings. */
  readonly file: Uri | undefined;
}

export type TemplateEntry = Template | BrokenTemplate;

/** The origin of the templates that come with the extension. */
export const BUILT_IN = 'built-in';

const LAST_USED = 'hostedModel.lastUsedTemplates';
const MOST_LAST_USED = 20;

const LONGEST_NAME = 60;
const UNWANTED = new RegExp(`[${INVISIBLE_OR_UNKNOWN}]`, 'gv');

export function isBroken(entry: TemplateEntry): entry is BrokenTemplate {
  return 'issue' in entry;
}

/** Normalizes a name. Templates with equal keys are the same template. */
export function nameKey(name: string): string {
  return name.trim().normalize().toLowerCase();
}

/** Finds a template, broken or not, by its name. Ignores case. */
export function findTemplate(
  templates: readonly TemplateEntry[],
  name: string,
): TemplateEntry | undefined {
  return templates.find((entry) => nameKey(entry.name) === nameKey(name));
}

/**
 * Returns the trimmed name; undefined if it is empty, too long, or contains invisible or unknown
 * characters.
 */
export function checkedName(text: string): string | undefined {
  const name = text.trim();
  if (name === '' || name.length > LONGEST_NAME) return undefined;
  if (name.search(UNWANTED) < 0) return name;
  // Emoji may contain joiners and selectors. Compiling this expression takes 20 ms (measured).
  return name.replace(/\p{RGI_Emoji}/gv, '').search(UNWANTED) < 0 ? name : undefined;
}

/** Shortens a text and replaces its invisible characters, to show it as a name. */
export function shownPart(text: string): string {
  const plain = text.slice(0, LONGEST_NAME).replace(UNWANTED, '?').trim();
  return text.length > LONGEST_NAME ? `${plain}…` : plain;
}

/** The names of the last used templates, newest first. The state stores nothing else about them. */
export function lastUsedTemplates(memento: Memento): readonly string[] {
  const kept: unknown = memento.get(LAST_USED);
  if (!Array.isArray(kept)) return [];
  return kept.filter((name) => typeof name === 'string').slice(0, MOST_LAST_USED);
}

/** @throws if VS Code can't store the name */
export async function noteLastUsed(memento: Memento, name: string): Promise<void> {
  const others = lastUsedTemplates(memento).filter((other) => nameKey(other) !== nameKey(name));
  await memento.update(LAST_USED, [name, ...others].slice(0, MOST_LAST_USED));
}
