/** What is known of the languages of documents, by their ids. Pure. */

/** Language ids of text that people read; anything else is taken for code. */
const PROSE: ReadonlySet<string> = new Set([
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

/** Prose whose markup has no fence of backticks, so that one is never part of the text. */
const WITHOUT_FENCES: ReadonlySet<string> = new Set(['latex', 'restructuredtext', 'tex']);

export function isProse(languageId: string): boolean {
  return PROSE.has(languageId);
}

/** True where a code fence around an answer is part of it, as in Markdown. */
export function keepsFences(languageId: string): boolean {
  return PROSE.has(languageId) && !WITHOUT_FENCES.has(languageId);
}

/** Blanks at the beginning of a line mean something else there, also those of a blank line. */
const WITHOUT_INDENTATION: ReadonlySet<string> = new Set(['diff', 'patch']);

/** True where lines have an indentation that follows the place they stand at. */
export function isIndented(languageId: string): boolean {
  return !WITHOUT_INDENTATION.has(languageId);
}

/** Languages where a statement needs no semicolon, and a sign at the end of a line opens a block. */
const ENDS_WITH_LINE: ReadonlySet<string> = new Set([
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

/** True where the end of a line can end a statement, and a sign at the end of a line opens a block. */
export function endsWithLine(languageId: string): boolean {
  return ENDS_WITH_LINE.has(languageId);
}
