import type { Uri } from 'vscode';
import type { Parameters } from '../service/api/parameters.ts';
import type { TemplateIssue } from './templateMessages.ts';

interface Provenance {
  /** The origin as displayed, such as `user settings` or `.hosted-model/templates/x.md`. */
  readonly origin: string;
  /**
   * The kind of template that this one hides by having the same name; undefined if it hides none.
   * Set only for templates from a repository or a remote machine.
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
  /** The error to show. The template may have more errors. */
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

export function isBroken(entry: TemplateEntry): entry is BrokenTemplate {
  return 'issue' in entry;
}
