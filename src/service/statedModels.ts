import { MODEL_ID } from './modelId.ts';

/**
 * Models that the user describes in an entry in `hostedModel.services`. The descriptions are needed
 * because many gateways list only the IDs of their models. Pure.
 */

/** Facts about a model. Unknown facts are undefined. */
export interface ModelFacts {
  readonly name?: string | undefined;
  /** The maximum number of tokens in the prompt and response combined. */
  readonly context?: number | undefined;
  /** The maximum number of tokens in one response. */
  readonly output?: number | undefined;
  /** True if the model can call tools. */
  readonly tools?: boolean | undefined;
  /** True if the model accepts images. */
  readonly images?: boolean | undefined;
}

export interface StatedModel extends ModelFacts {
  readonly id: string;
}

/** Maximum number of models in an entry, far more than anyone would describe. */
const MAX_STATED_MODELS = 200;
/**
 * Matches a model name. Excludes characters that could form Markdown links, code, or HTML, because
 * VS Code renders Markdown in model names. Doesn't exclude bare URLs.
 */
export const MODEL_NAME = /^[\p{L}\p{N}_ .,:/()+-]{1,80}$/u;

/**
 * Returns the models in an entry's list, without unknown fields. Returns an empty list if the entry
 * has no list, or undefined if the list is invalid.
 */
export function readStatedModels(value: unknown): readonly StatedModel[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_STATED_MODELS || !value.every(isStatedModel)) {
    return undefined;
  }
  const models = value.map(({ id, name, context, output, tools, images }) => {
    return { id, name, context, output, tools, images };
  });
  const isUnique = new Set(models.map(({ id }) => id)).size === models.length;
  return isUnique ? models : undefined;
}

function isStatedModel(value: unknown): value is StatedModel {
  const { id, name, context, output, tools, images } = Object(value);
  return (
    isTextOf(MODEL_ID, id) &&
    (name === undefined || isTextOf(MODEL_NAME, name)) &&
    [context, output].every((one) => one === undefined || (Number.isSafeInteger(one) && one > 0)) &&
    [tools, images].every((one) => one === undefined || typeof one === 'boolean')
  );
}

function isTextOf(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
