/** What is known of the languages of documents, by their ids. Pure. */

/** Language ids of text that people read; anything else is taken for code. */
export const PROSE: ReadonlySet<string> = new Set([
  'asciidoc',
  'chatagent',
  'git-commit',
  'instructions',
  'latex',
  'markdown',
  'mdx',
  'org',
  'plaintext',
  'prompt',
  'quarto',
  'restructuredtext',
  'rmd',
  'scminput',
  'skill',
  'tex',
  'textile',
  'typst',
]);

/** Prose that agents follow as instructions. */
export const OBEYED: ReadonlySet<string> = new Set([
  'chatagent',
  'instructions',
  'prompt',
  'skill',
]);

/** Prose whose markup has no fence of backticks, so that one is never part of the text. */
const WITHOUT_FENCES: ReadonlySet<string> = new Set(['latex', 'restructuredtext', 'tex']);

/** True where a code fence around an answer is part of it, as in Markdown. */
export function keepsFences(languageId: string): boolean {
  return PROSE.has(languageId) && !WITHOUT_FENCES.has(languageId);
}

/** Blanks at the beginning of a line mean something else there, also those of a blank line. */
export const WITHOUT_INDENTATION: ReadonlySet<string> = new Set(['diff', 'patch']);

/** Where the end of a line can end a statement, and a sign at the end of a line opens a block. */
export const ENDS_WITH_LINE: ReadonlySet<string> = new Set([
  'gdscript',
  'go',
  'groovy',
  'javascript',
  'javascriptreact',
  'kotlin',
  'powershell',
  'python',
  'starlark',
  'svelte',
  'swift',
  'terraform',
  'typescript',
  'typescriptreact',
  'vue',
]);
