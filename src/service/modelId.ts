/** Matches a valid model ID. Excludes URLs, because VS Code may render them as links. */
export const MODEL_ID = /^(?!.*(?::\/\/|[Ww]{3}\.))[\w./:-]{1,128}(?:@[\w-]{1,32})?$/;
