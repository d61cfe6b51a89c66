import type { Uri, WorkspaceFolder } from 'vscode';
import type { Parameters } from '../service/generation/parameters.ts';
import type { Settings } from '../settings.ts';
import type { TemplateProblem } from './flaws.ts';

/** Who wrote a template. Whatever comes with a folder, or with a remote machine, is of a repository. */
export type TemplateOwner = 'built-in' | 'user' | 'repository';

interface Provenance {
  /** Shown to people: `built-in`, `settings`, `.hosted-model/templates/x.md`. */
  readonly origin: string;
  /** Whose template of the same name one of a repository has taken the place of. */
  readonly hides?: Exclude<TemplateOwner, 'repository'>;
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
  readonly answerLanguage?: string;
  /** Language identifiers of VS Code. Without them it fits every language. */
  readonly languages?: readonly string[];
}

/** A template that cannot be used as it stands. It is listed, so that nobody misses it. */
export interface FlawedTemplate extends Provenance {
  readonly name: string;
  /** The first one is an error. */
  readonly problems: readonly [TemplateProblem, ...TemplateProblem[]];
  /** The file to mend; undefined for a template of the settings. */
  readonly file: Uri | undefined;
}

export type TemplateEntry = Template | FlawedTemplate;

/** What templates are read for. */
export interface TemplateScope {
  /** The folder of the document; its template files hold. */
  readonly folder: WorkspaceFolder | undefined;
  readonly settings: Settings;
  /** Ids of every insert mode. */
  readonly insertModes: readonly string[];
}

export interface TemplateSource {
  readonly owner: TemplateOwner;
  readTemplates(scope: TemplateScope): Promise<readonly TemplateEntry[]>;
}

/** Where the templates come from that are shipped. */
export const BUILT_IN = 'built-in';

export function isFlawed(entry: TemplateEntry): entry is FlawedTemplate {
  return 'problems' in entry;
}

/** Two names that this makes equal are the same template. */
export function nameKey(name: string): string {
  return name.trim().normalize().toLowerCase();
}

/** The template, or the flawed one, that has a name; whatever its case. */
export function findTemplate(
  templates: readonly TemplateEntry[],
  name: string,
): TemplateEntry | undefined {
  return templates.find((entry) => nameKey(entry.name) === nameKey(name));
}
