import { BUILT_IN, type Template } from './template.ts';

const CODE_ONLY = 'Respond with only the code, without an explanation or a Markdown fence.';
const TEXT_ONLY =
  'Respond with only the text, without an introduction, remarks, or quotation marks.';

/**
 * The built-in templates, which are also listed in docs/generate.md. The emulated service always
 * returns the same text, so try a new template with a real service.
 */
const TEMPLATES: readonly Omit<Template, 'origin'>[] = [
  {
    name: 'Explain',
    insertMode: 'newDocument',
    responseLanguage: 'markdown',
    prompt: `Explain what the following does, for a colleague who knows the language ($\{language}) but not this file ($\{fileName}). Start with its purpose in one sentence, then go through the important parts, and end with anything that looks wrong or surprising. Be brief.

$\{selection}`,
  },
  {
    name: 'Document',
    insertMode: 'replace',
    prompt: `Add documentation comments to the following $\{language} code, in the language’s usual style. State what each part means, what it returns, and how it fails, not what its lines do. Change only comments, and keep the indentation. ${CODE_ONLY}

$\{selection}`,
  },
  {
    name: 'Test',
    insertMode: 'newDocument',
    prompt: `Using the most common test framework for the language, write unit tests for the following $\{language} code from the file $\{fileName}. Cover normal cases, edge cases, and failures. Name each test after the behavior it verifies. ${CODE_ONLY}

$\{selection}`,
  },
  {
    name: 'Fix',
    insertMode: 'preview',
    prompt: `Find and fix the mistakes in the following $\{language} code. Change as little as possible. Keep names, style, and indentation. If nothing is wrong, return the code unchanged. ${CODE_ONLY}

$\{selection}`,
  },
  {
    name: 'Rewrite',
    insertMode: 'replace',
    prompt: `Make the following clearer and shorter without changing its meaning. Keep its language, format, and indentation. Respond with only the result, without an explanation or a Markdown fence.

$\{selection}`,
  },
  {
    name: 'Translate',
    insertMode: 'replace',
    prompt: `Translate the following into $\{input:Translate into which language?}. Leave formatting, markup, names, and code unchanged. ${TEXT_ONLY}

$\{selection}`,
  },
  {
    name: 'Summarize',
    insertMode: 'below',
    prompt: `Summarize the following in at most five sentences, in its own language. Start with the most important point, and add nothing that is not in the text. ${TEXT_ONLY}

$\{selection}`,
  },
];

export const builtInTemplates: readonly Template[] = TEMPLATES.map((template) => ({
  ...template,
  origin: BUILT_IN,
}));
