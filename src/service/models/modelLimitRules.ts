import type { Model } from '../api/modelTypes.ts';
import { DEFAULT_NEW_TOKENS, type Parameters } from '../api/parameters.ts';
import { estimateTokens } from '../api/usageEstimate.ts';
import type { Operation } from '../apiCapabilities.ts';
import { ServiceError } from '../errors.ts';
import { lifecycleOf, withLifecycle } from './modelLifecycle.ts';

export interface ModelRequest {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** All text that the model reads: the prompt or conversation, and any response so far. */
  readonly text: string;
  /** The default for `max_new_tokens`. If undefined, `DEFAULT_NEW_TOKENS` is used. */
  readonly newTokens?: number;
}

/**
 * Checks that the model isn't withdrawn and that `max_new_tokens` doesn't exceed its output limit.
 * Doesn't check the prompt length, because only the service can count tokens exactly. Pure.
 * @returns `model-unknown` or `parameter-rejected`; undefined if there is no problem
 */
export function modelProblem(model: Model, parameters: Parameters): ServiceError | undefined {
  const lifecycle = lifecycleOf(model);
  if (lifecycle.stage === 'withdrawn') {
    return withLifecycle(new ServiceError('model-unknown'), lifecycle);
  }
  const { maxOutputTokens: limit = Number.POSITIVE_INFINITY } = model;
  const actual = numberOf(parameters, 'max_new_tokens') ?? 0;
  if (actual <= limit) return undefined;
  const names = ['max_new_tokens'];
  const details = { names, bound: 'most', limit, limitOf: 'model', actual } as const;
  return new ServiceError('parameter-rejected', details);
}

/**
 * Returns the `max_new_tokens` for a request that doesn't set it: the default, or the model's
 * output limit if that limit is lower. For chat, the value is also limited to the estimated number
 * of tokens left in the context, if any are left. For generation, the value is at least
 * `min_new_tokens`. Pure.
 * @param model undefined if nothing is known about the model
 */
export function newTokensByDefault(model: Model | undefined, request: ModelRequest): number {
  const { operation, parameters, text, newTokens = DEFAULT_NEW_TOKENS } = request;
  const most = Math.min(newTokens, model?.maxOutputTokens ?? newTokens);
  if (operation === 'generation')
    return Math.max(most, numberOf(parameters, 'min_new_tokens') ?? 0);
  const room = (model?.contextLength ?? Number.POSITIVE_INFINITY) - estimateTokens(text);
  return room > 0 ? Math.min(most, room) : most;
}

function numberOf(parameters: Parameters, name: string): number | undefined {
  const value = parameters[name];
  return typeof value === 'number' ? value : undefined;
}
