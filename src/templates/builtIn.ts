import { BUILT_IN, type Template } from './template.ts';

const CODE_ONLY =
  'Answer with the code only: no explanation before or after it, no Markdown fence around it.';
const TEXT_ONLY = 'Answer with the text only: no introduction, no remark, no quotation marks.';

const TEMPLATES: readonly Omit<Template, 'origin'>[] = [
  {
    name: 'Explain',
    insertMode: 'newDocument',
    responseLanguage: 'markdown',
    prompt: `Explain what the following does, for a colleague who knows the language ($\{language}) but not this file ($\{fileName}). Begin with its purpose in one sentence, then go through the parts that matter, and end with anything that looks wrong or surprising. Be brief.

$\{selection}`,
  },
  {
    name: 'Document',
    insertMode: 'replace',
    prompt: `Add documentation comments to the following $\{language} code, in the form that is usual for the language. Say what each part means, what it returns and how it fails, not what its lines do. Change nothing but comments, and keep the indentation. ${CODE_ONLY}

$\{selection}`,
  },
  {
    name: 'Test',
    insertMode: 'newDocument',
    prompt: `Write unit tests for the following $\{language} code of the file $\{fileName}, with the test framework that is most usual for the language. Cover the normal case, the edges and the failures. Give each test a name that says the rule it proves. ${CODE_ONLY}

$\{selection}`,
  },
  {
    name: 'Fix',
    insertMode: 'preview',
    prompt: `Find and fix the mistakes in the following $\{language} code. Change as little as possible; keep names, style and indentation. If nothing is wrong, return it unchanged. ${CODE_ONLY}

$\{selection}`,
  },
  {
    name: 'Rewrite',
    insertMode: 'replace',
    prompt: `Rewrite the following so that it is clearer and shorter and means the same. Keep its language, its format and its indentation. Answer with the result only: no explanation, no Markdown fence around it.

$\{selection}`,
  },
  {
    name: 'Translate',
    insertMode: 'replace',
    prompt: `Translate the following into $\{input:Translate into which language?}. Keep the format, the markup, names and code as they are. ${TEXT_ONLY}

$\{selection}`,
  },
  {
    name: 'Summarise',
    insertMode: 'below',
    prompt: `Summarise the following in at most five sentences, in the language that it is written in. Name what matters most first, and add nothing that is not in it. ${TEXT_ONLY}

$\{selection}`,
  },
];

export const builtInTemplates: readonly Template[] = TEMPLATES.map((template) => ({
  ...template,
  origin: BUILT_IN,
}));
