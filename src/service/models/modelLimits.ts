import type { Model } from '../api/modelList.ts';
import { DEFAULT_NEW_TOKENS, type Parameters } from '../api/parameters.ts';
import { estimateTokens } from '../api/requestUsage.ts';
import { ServiceError } from '../errors.ts';
import type { Operation } from '../services.ts';
import { lifecycleOf, withLifecycle } from './modelLifecycle.ts';

/** A request that is about to be made. */
export interface ModelRequest {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** All that the model reads: the prompt, and for a continuation the answer so far behind it. */
  readonly text: string;
  /** The new tokens to ask for where nothing is set; `DEFAULT_NEW_TOKENS` without it. */
  readonly newTokens?: number;
}

/**
 * What is known to keep a model from serving a request whose parameters can be sent: its end, or
 * its own limit. Whether a text is too long only the service can count, and says itself. Pure.
 * @returns `model-unknown` or `parameter-refused`; undefined if nothing does
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
  return new ServiceError('parameter-refused', details);
}

/**
 * The new tokens to ask for where nothing is set: as many as ever, unless the model takes fewer, or
 * the text is likely to leave room for fewer. Not fewer than the fewest that are set. Pure.
 * @param model undefined where nothing is known about it
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
