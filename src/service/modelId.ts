/** Matches a valid model ID. Excludes links, because VS Code may render IDs as Markdown. */
export const MODEL_ID = /^(?!.*(?::\/\/|[Ww]{3}\.))[\w./:-]{1,128}(?:@[\w-]{1,32})?$/;
