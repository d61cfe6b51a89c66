/** A valid model ID. It is shown in many places, so it can't contain markup or become a link. */
export const MODEL_ID = /^(?!.*(?::\/\/|[Ww]{3}\.))[\w./:-]{1,128}(?:@[\w-]{1,32})?$/;
