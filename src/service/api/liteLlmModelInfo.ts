import * as v from 'valibot';
import { MODEL_ID } from '../modelId.ts';
import { check, shape, tokenLimit, validEntries } from '../schemaHelpers.ts';
import type { ModelFacts } from '../statedModels.ts';

/**
 * Reads the response from `/model/info`, where LiteLLM describes the models that `/models` lists.
 * Doesn't read the providers' addresses or headers, which the response can also contain. Source:
 * https://docs.litellm.ai/docs/proxy/model_management
 */

export interface ModelInfo extends ModelFacts {
  /** False if the gateway reports that the model doesn't generate text. */
  readonly isForText: boolean;
}

/**
 * The creation time, in seconds since 1970, that LiteLLM lists for every model.
 * Source: https://docs.litellm.ai/docs/proxy/config_settings (`DEFAULT_MODEL_CREATED_AT_TIME`)
 */
const CREATED = 1_677_610_602;

/**
 * Maximum number of deployments to read. Several deployments can share a name, so there can be more
 * deployments than models.
 */
const MAX_DEPLOYMENTS = 5_000;

/**
 * Modes of models that support chat completions. Other modes include `embedding` and
 * `image_generation`.
 */
const TEXT_MODES: readonly string[] = ['chat', 'completion', 'responses'];

/**
 * A boolean. Any other value, such as the `null` that LiteLLM sends for unknown values, becomes
 * undefined.
 */
const flag = v.fallback(v.optional(v.boolean()), undefined);

const deployment = shape({
  model_name: v.pipe(v.string(), v.regex(MODEL_ID)),
  model_info: v.fallback(
    shape({
      max_tokens: tokenLimit,
      max_input_tokens: tokenLimit,
      max_output_tokens: tokenLimit,
      supports_function_calling: flag,
      supports_vision: flag,
      mode: v.fallback(v.optional(v.string()), undefined),
    }),
    {},
  ),
});

const modelInfo = shape({ data: v.custom<readonly unknown[]>(Array.isArray) });

/**
 * True if there are any creation times and all of them equal `CREATED`. In that case, the gateway
 * is probably LiteLLM, which has `/model/info`.
 */
export function mayHaveModelInfo(created: readonly unknown[]): boolean {
  return created.length > 0 && created.every((one) => one === CREATED);
}

/**
 * Returns the limits and capabilities of the gateway's models, keyed by model ID.
 * @throws {ServiceError} `unexpected-answer`
 */
export function readModelInfo(json: unknown): ReadonlyMap<string, ModelInfo> {
  const { data } = check(modelInfo, json);
  const found = new Map<string, ModelInfo>();
  for (const { model_name, model_info } of validEntries(deployment, data, MAX_DEPLOYMENTS)) {
    const info = infoOf(model_info);
    const earlier = found.get(model_name);
    found.set(model_name, earlier ? commonInfo(earlier, info) : info);
  }
  return found;
}

/**
 * `max_tokens` is a legacy name for the input limit or the output limit. It counts as the output
 * limit if only the input limit is specified, and as the context limit if neither limit is
 * specified. Source: https://github.com/BerriAI/litellm/issues/2834
 */
function infoOf(stated: v.InferOutput<typeof deployment>['model_info']): ModelInfo {
  const { max_tokens: either, max_input_tokens: input, max_output_tokens: output } = stated;
  return {
    context: input ?? (output === undefined ? either : undefined),
    output: output ?? (input === undefined ? undefined : either),
    tools: stated.supports_function_calling,
    images: stated.supports_vision,
    isForText: stated.mode === undefined || TEXT_MODES.includes(stated.mode),
  };
}

/**
 * Combines two deployments that share a name. A request can reach either deployment, so the lower
 * limits apply, and a capability counts only if both deployments have it. If only one deployment
 * specifies a value, that value applies to both.
 */
function commonInfo(one: ModelInfo, other: ModelInfo): ModelInfo {
  return {
    context: least(one.context, other.context),
    output: least(one.output, other.output),
    tools: both(one.tools, other.tools),
    images: both(one.images, other.images),
    isForText: one.isForText && other.isForText,
  };
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function both(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one && other;
}
