/** IDs of languages with special rules for generated text. */

/** IDs of the languages that are treated as prose. All other languages are treated as code. */
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

/** IDs of the prose languages that are used for AI agent instructions. */
export const AGENT_INSTRUCTIONS: ReadonlySet<string> = new Set([
  'chatagent',
  'instructions',
  'prompt',
  'skill',
]);

/**
 * Prose languages without fenced code blocks, in which a fence around a response is never part of
 * the text.
 */
const WITHOUT_FENCES: ReadonlySet<string> = new Set(['latex', 'restructuredtext', 'tex']);

/** True if a code fence around a response counts as part of the text, as in Markdown. */
export function keepsFences(languageId: string): boolean {
  return PROSE.has(languageId) && !WITHOUT_FENCES.has(languageId);
}

/**
 * Languages in which leading whitespace is content. In a diff, for example, a leading space marks
 * an unchanged line.
 */
export const WITHOUT_INDENTATION: ReadonlySet<string> = new Set(['diff', 'patch']);

/** IDs of the languages that are based on YAML. */
export const YAML: ReadonlySet<string> = new Set([
  'ansible',
  'azure-pipelines',
  'dockercompose',
  'esphome',
  'github-actions-workflow',
  'helm',
  'home-assistant',
  'yaml',
]);

/** Languages with braces, in which indentation has no meaning outside strings. */
export const WITH_BRACES: ReadonlySet<string> = new Set([
  'c',
  'cpp',
  'csharp',
  'css',
  'dart',
  'go',
  'java',
  'javascript',
  'javascriptreact',
  'json',
  'jsonc',
  'kotlin',
  'less',
  'objective-c',
  'rust',
  'scss',
  'typescript',
  'typescriptreact',
]);

/**
 * Languages in which a line break can end a statement, and in which a line that opens a block ends
 * with a symbol such as `{` or `:`.
 */
export const LINE_BREAK_ENDS_STATEMENT: ReadonlySet<string> = new Set([
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
