import type { SettingLevel } from '../config/settings.ts';
import { shownName } from '../connection/connectionMessages.ts';
import { parameterFlawText } from '../messages/rejectionMessages.ts';
import type { ErrorDetails } from '../service/errors.ts';
import { oneLine } from '../ui/oneLine.ts';

/**
 * The issues that templates can have, and all messages about templates. A message never includes a
 * prompt, and includes a name only if the name was checked or shortened.
 */

/** Maximum size of a template file, far more than a prompt needs. */
export const TEMPLATE_LIMIT_BYTES = 65_536;

/** A range of text, measured in UTF-16 code units. */
export interface TextSpan {
  readonly offset: number;
  readonly length: number;
}

/** The type that a field must have: a string, one or more strings, or an object. */
export type Expected = 'text' | 'texts' | 'fields';

export type TemplateIssueDetails =
  | {
      readonly kind: 'unknown-variable' | 'unknown-key' | 'unknown-parameter';
      readonly name: string;
    }
  | { readonly kind: 'unclosed-variable' | 'no-question' | 'no-prompt' }
  | { readonly kind: 'unclosed-front-matter' | 'bad-front-matter' | 'not-fields' }
  | { readonly kind: 'wrong-type'; readonly name: string; readonly expected: Expected }
  | { readonly kind: 'unknown-insert-mode'; readonly modes: readonly string[] }
  | { readonly kind: 'bad-parameter'; readonly details: ErrorDetails }
  | { readonly kind: 'bad-name' }
  | { readonly kind: 'too-large' | 'not-text' | 'not-a-file' | 'link' | 'unreadable' }
  | { readonly kind: 'too-many-files' };

export type TemplateIssue = TemplateIssueDetails &
  TextSpan & {
    /** True if the issue makes the template unusable; false for a warning. */
    readonly isError: boolean;
  };

/** The span for issues without a position, such as issues with templates in the settings. */
export const NO_SPAN: TextSpan = { offset: 0, length: 0 };

export function errorOf(
  details: TemplateIssueDetails,
  { offset, length } = NO_SPAN,
): TemplateIssue {
  return { ...details, isError: true, offset, length };
}

const EXPECTED: Readonly<Record<Expected, string>> = {
  text: 'must be a string. Put quotes around it',
  texts: 'must be a string or a list of strings, such as ["python", "go"]',
  fields: 'must be an object, such as {"temperature": 0.2}',
};

const ALL_VARIABLES = `\${selection}, \${language}, \${fileName}, or \${input:question}`;

export function templateIssueText(issue: TemplateIssueDetails): string {
  switch (issue.kind) {
    case 'unknown-variable': {
      const isNamed = /\w/.test(issue.name);
      const what = isNamed ? `The variable ${shownName(issue.name)}` : 'This variable';
      return `${what} is unknown. Use ${ALL_VARIABLES}. For a literal \${, write \\\${.`;
    }
    case 'unclosed-variable':
      return 'This variable has no closing brace on its line. Add one, or write \\${ for a literal ${.';
    case 'no-question':
      return `The question is missing. Add one after the colon, as in \${input:Which language?}.`;
    case 'no-prompt':
      return 'The prompt is missing. In a file, write it below any front matter. In the settings, put it in “prompt”.';
    case 'unclosed-front-matter':
      return 'The front matter isn’t closed. End it with a line of three hyphens.';
    case 'bad-front-matter':
      return 'The front matter isn’t valid YAML. Check its quotes, colons, and indentation. Aliases aren’t allowed.';
    case 'not-fields':
      return 'The front matter has no top-level keys. Write one key per line, such as “name: Explain”.';
    case 'unknown-key':
      return `The front matter key ${shownName(issue.name)} is unknown, so it’s ignored. Correct or remove it.`;
    case 'unknown-parameter':
      return `The parameter ${shownName(issue.name)} is unknown, so it’s ignored. Correct or remove it.`;
    case 'wrong-type':
      return `The value of ${issue.name} ${EXPECTED[issue.expected]}.`;
    case 'unknown-insert-mode':
      return `Unknown insert mode. Use ${alternatives(issue.modes)}.`;
    case 'bad-parameter':
      return `The parameters can’t be sent: ${parameterFlawText(issue.details)}. Correct the value.`;
    case 'bad-name':
      return 'The name is missing, is longer than 60 characters, or contains invisible characters. Give the template a valid name.';
    case 'too-large':
      return `The file is larger than ${TEMPLATE_LIMIT_BYTES / 1_024} KB, so it’s ignored. Shorten the prompt.`;
    case 'not-text':
      return 'The file isn’t UTF-8 text, so it’s ignored. Save it as UTF-8.';
    case 'not-a-file':
      return 'This isn’t a file, so it’s ignored. Replace it with a Markdown file.';
    case 'link':
      return 'Symbolic links aren’t followed. Replace this link with a copy of its target.';
    case 'unreadable':
      return 'This file or folder can’t be read. Check its permissions, and check that .hosted-model/templates is a folder.';
    case 'too-many-files':
      return 'The folder has more than 200 templates. Only the first 200, sorted by file name, are used.';
  }
}

function alternatives(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names);
}

/**
 * UI strings for the template picker, the questions in templates, and the message about a broken
 * template.
 */
export const PICKER_WORDS = {
  title: 'Generate with Template',
  placeHolder: 'Select a template',
  otherLanguages: 'Other languages',
  withErrors: 'With errors',
  unusable: 'This template can’t be used.',
  openSettings: 'Open Settings',
  noAnswer: 'Enter an answer, or press Escape to cancel.',
} as const;

/** Returns the message for an unknown template name in a keybinding's arguments. */
export function noTemplateText(name: string): string {
  return `There’s no template named “${oneLine(name)}” for this document.`;
}

/**
 * The text that follows a template's origin if the template hides another one with the same name.
 */
export const HIDES: Readonly<Record<'built-in' | 'user', string>> = {
  'built-in': ' · overrides the built-in template',
  user: ' · overrides the template in the user settings',
};

/**
 * The text that follows a template's origin if the prompt needs selected text but none is selected.
 */
export const NEEDS_SELECTED_TEXT = ' · needs selected text';

/** The displayed origins of templates in the settings, keyed by settings level. */
export const ORIGINS: Readonly<Record<SettingLevel, string>> = {
  user: 'user settings',
  remote: 'remote settings',
  workspace: 'workspace settings',
  folder: 'folder settings',
};
