import type { Memento, Uri } from 'vscode';
import type { Parameters } from '../service/api/parameters.ts';
import { INVISIBLE_OR_UNKNOWN } from '../service/invisible.ts';
import type { TemplateIssue } from './templateMessages.ts';

/** What a template is, and its name, which a repository can choose. */

interface Provenance {
  /** Shown to people: `built-in`, `settings`, `.hosted-model/templates/x.md`. */
  readonly origin: string;
  /** Whose template of the same name one of a repository has taken the place of. */
  readonly hides?: 'built-in' | 'user';
}

/** A prompt with places to fill in, and what differs from the settings when it is used. */
export interface Template extends Provenance {
  readonly name: string;
  /** As written, with its variables; `fillPrompt` makes the text that is sent. */
  readonly prompt: string;
  readonly insertMode?: string;
  readonly parameters?: Parameters;
  readonly modelId?: string;
  /** Of an answer that goes to a new document or the clipboard; else that of the document. */
  readonly responseLanguage?: string;
  /** Language identifiers of VS Code. Without them it fits every language. */
  readonly languages?: readonly string[];
}

/** A template that cannot be used as it stands. It is listed, so that nobody misses it. */
export interface BrokenTemplate extends Provenance {
  readonly name: string;
  /** The error that is shown; of several the first one. */
  readonly issue: TemplateIssue;
  /** The file to mend; undefined for a template of the settings. */
  readonly file: Uri | undefined;
}

export type TemplateEntry = Template | BrokenTemplate;

/** Where the templates come from that are shipped. */
export const BUILT_IN = 'built-in';

const LAST_USED = 'hostedModel.lastUsedTemplates';
const MOST_LAST_USED = 20;

const LONGEST_NAME = 60;
const UNWANTED = new RegExp(`[${INVISIBLE_OR_UNKNOWN}]`, 'gv');

export function isBroken(entry: TemplateEntry): entry is BrokenTemplate {
  return 'issue' in entry;
}

/** Two names that this makes equal are the same template. */
export function nameKey(name: string): string {
  return name.trim().normalize().toLowerCase();
}

/** The template, or the broken one, that has a name; whatever its case. */
export function findTemplate(
  templates: readonly TemplateEntry[],
  name: string,
): TemplateEntry | undefined {
  return templates.find((entry) => nameKey(entry.name) === nameKey(name));
}

/** The name to use; undefined for one that is empty, too long or holds what cannot be seen. */
export function checkedName(text: string): string | undefined {
  const name = text.trim();
  if (name === '' || name.length > LONGEST_NAME) return undefined;
  if (name.search(UNWANTED) < 0) return name;
  // The joiners and selectors of emoji may stay. Compiling this takes 20 ms (measured).
  return name.replace(/\p{RGI_Emoji}/gv, '').search(UNWANTED) < 0 ? name : undefined;
}

/** Any text as the name of something that cannot be used. */
export function shownPart(text: string): string {
  const plain = text.slice(0, LONGEST_NAME).replace(UNWANTED, '?').trim();
  return text.length > LONGEST_NAME ? `${plain}…` : plain;
}

/** The names of the templates that were used last, newest first; nothing else of them is kept. */
export function lastUsedTemplates(memento: Memento): readonly string[] {
  const kept: unknown = memento.get(LAST_USED);
  if (!Array.isArray(kept)) return [];
  return kept.filter((name) => typeof name === 'string').slice(0, MOST_LAST_USED);
}

/** @throws if VS Code cannot keep it */
export async function noteLastUsed(memento: Memento, name: string): Promise<void> {
  const others = lastUsedTemplates(memento).filter((other) => nameKey(other) !== nameKey(name));
  await memento.update(LAST_USED, [name, ...others].slice(0, MOST_LAST_USED));
}
