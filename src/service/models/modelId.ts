/** The ID of a model, which is shown in many places: without markup, and nothing that becomes a link. */
export const MODEL_ID = /^(?!.*(?::\/\/|[Ww]{3}\.))[\w./:-]{1,128}(?:@[\w-]{1,32})?$/;
