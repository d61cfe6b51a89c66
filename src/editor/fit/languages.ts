/** Language IDs with special rules for generated text. Pure. */

/** Language IDs of prose. Every other language is treated as code. */
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

/** Prose whose markup has no backtick fences, so a fence is never part of the text. */
const WITHOUT_FENCES: ReadonlySet<string> = new Set(['latex', 'restructuredtext', 'tex']);

/** True if a code fence around a response is part of the text, as in Markdown. */
export function keepsFences(languageId: string): boolean {
  return PROSE.has(languageId) && !WITHOUT_FENCES.has(languageId);
}

/** Languages whose leading whitespace isn't indentation, even on blank lines. */
export const WITHOUT_INDENTATION: ReadonlySet<string> = new Set(['diff', 'patch']);

/** Languages in which a line end can end a statement and a symbol at a line end opens a block. */
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
