import { shownName } from '../credentials/sentences.ts';
import { parameterFlawText } from '../messages/parameterMessages.ts';
import type { Expected, TemplateFlaw } from './flaws.ts';
import { TEMPLATE_LIMIT_BYTES } from './templateText.ts';

/** Every sentence about templates. Names that were checked or cut short, never a prompt. Pure. */

const EXPECTED: Readonly<Record<Expected, string>> = {
  text: 'must be a text. Put quotes around it',
  texts: 'must be a text or a list of texts. Write for instance [python, go]',
  fields: 'must hold fields of its own. Write for instance {temperature: 0.2}',
};

const ALL_VARIABLES = `\${selection}, \${language}, \${fileName} or \${input:question}`;

export function flawText(flaw: TemplateFlaw): string {
  switch (flaw.kind) {
    case 'unknown-variable': {
      const use = flaw.nearest ? `\${${flaw.nearest}}` : ALL_VARIABLES;
      const isNamed = /\w/.test(flaw.name);
      const what = isNamed ? `The variable ${shownName(flaw.name)}` : 'This variable';
      return `${what} is not known. Use ${use}, or write \\\${ for plain text.`;
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
      return `The key ${shownName(flaw.name)} is not known and is ignored. ${flaw.nearest ? `Write ${flaw.nearest}.` : 'Remove it.'}`;
    case 'wrong-type':
      return `The value of ${flaw.name} ${EXPECTED[flaw.expected]}.`;
    case 'unknown-insert-mode':
      return `This insert mode is not known. Use ${flaw.nearest ?? alternatives(flaw.modes)}.`;
    case 'unknown-parameter':
      return `The parameter ${shownName(flaw.name)} is not known. Write ${flaw.nearest}.`;
    case 'bad-parameter':
      return `The parameters cannot be sent: ${parameterFlawText(flaw.details)}. Correct them in the template.`;
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
