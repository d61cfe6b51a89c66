import type { SettingLevel } from '../config/settings.ts';
import { shownName } from '../connection/connectionMessages.ts';
import { parameterFlawText } from '../messages/refusalMessages.ts';
import type { ErrorDetails } from '../service/errors.ts';
import { oneLine } from '../ui/oneLine.ts';

/**
 * The possible issues of templates, and all messages about templates. A message never includes a
 * prompt, and includes a name only if it was checked or shortened.
 */

/** Maximum size of a template file, far more than a prompt needs. */
export const TEMPLATE_LIMIT_BYTES = 65_536;

/** A part of a text, measured in UTF-16 code units. */
export interface TextSpan {
  readonly offset: number;
  readonly length: number;
}

/** The type that a field must have: a string, one or more strings, or an object. */
export type Expected = 'text' | 'texts' | 'fields';

export type TemplateIssueDetails =
  | { readonly kind: 'unknown-variable' | 'unknown-key'; readonly name: string }
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

/** The span of issues without a position, such as those of templates in the settings. */
export const NO_SPAN: TextSpan = { offset: 0, length: 0 };

export function errorOf(
  details: TemplateIssueDetails,
  { offset, length } = NO_SPAN,
): TemplateIssue {
  return { ...details, isError: true, offset, length };
}

const EXPECTED: Readonly<Record<Expected, string>> = {
  text: 'must be a text. Put quotes around it',
  texts: 'must be a text or a list of texts. Write for instance [python, go]',
  fields: 'must hold fields of its own. Write for instance {temperature: 0.2}',
};

const ALL_VARIABLES = `\${selection}, \${language}, \${fileName} or \${input:question}`;

export function templateIssueText(issue: TemplateIssueDetails): string {
  switch (issue.kind) {
    case 'unknown-variable': {
      const isNamed = /\w/.test(issue.name);
      const what = isNamed ? `The variable ${shownName(issue.name)}` : 'This variable';
      return `${what} is not known. Use ${ALL_VARIABLES}, or write \\\${ for plain text.`;
    }
    case 'unclosed-variable':
      return 'This variable has no closing brace on its line. Add it, or write \\${ for plain text.';
    case 'no-question':
      return `The question is missing. Write it behind the colon, as in \${input:Which language?}.`;
    case 'no-prompt':
      return 'The prompt is missing, so there is nothing to send. Write it below the front matter, or as the value of prompt in the settings.';
    case 'unclosed-front-matter':
      return 'The front matter has no end, so there is no prompt. Close it with a line of three hyphens.';
    case 'bad-front-matter':
      return 'The front matter cannot be read as YAML. Most likely a quote, a colon or an indentation is wrong, or it uses an alias. Correct it here.';
    case 'not-fields':
      return 'The front matter has no fields. Write them as in name: Explain, one to a line.';
    case 'unknown-key':
      return `The key ${shownName(issue.name)} is not known and is ignored. Correct or remove it.`;
    case 'wrong-type':
      return `The value of ${issue.name} ${EXPECTED[issue.expected]}.`;
    case 'unknown-insert-mode':
      return `This insert mode is not known. Use ${alternatives(issue.modes)}.`;
    case 'bad-parameter':
      return `The parameters cannot be sent: ${parameterFlawText(issue.details)}. Correct them in the template.`;
    case 'bad-name':
      return 'The name is missing, has more than 60 characters or holds invisible ones. Give the template another name.';
    case 'too-large':
      return `The file has more than ${TEMPLATE_LIMIT_BYTES / 1_024} KB and is not read. Shorten the prompt.`;
    case 'not-text':
      return 'The file is not text in UTF-8 and is not read. Save it with that encoding.';
    case 'not-a-file':
      return 'This is not a file, so it is not read. Put a Markdown file in its place.';
    case 'link':
      return 'This is a link, which is not followed. Put a copy in its place.';
    case 'unreadable':
      return 'This cannot be read. Most likely permissions are missing, or a file stands where a folder should. Check it on the disk.';
    case 'too-many-files':
      return 'The folder has more than 200 templates; only the first 200 by name are read. Remove some.';
  }
}

function alternatives(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
}

/** UI text of the template picker and of the message about a broken template. */
export const PICKER_WORDS = {
  title: 'Generate with Template',
  placeHolder: 'The template to generate with',
  otherLanguages: 'for other languages',
  withMistake: 'with a mistake',
  unusable: 'Hosted Model: this template cannot be used.',
  openSettings: 'Open Settings',
} as const;

/** The message for an unknown template name in a keybinding's arguments. */
export function noTemplateText(name: string): string {
  return `there is no template “${oneLine(name)}” here.`;
}

/** Shown after the origin of a template that hides another one with the same name. */
export const HIDES: Readonly<Record<'built-in' | 'user', string>> = {
  'built-in': ' · hides the built-in one',
  user: ' · hides yours',
};

/** The origins to display for templates in the settings, by level. */
export const ORIGINS: Readonly<Record<SettingLevel, string>> = {
  user: 'settings',
  remote: 'settings of the remote machine',
  workspace: 'settings of this workspace',
  folder: 'settings of this folder',
};
