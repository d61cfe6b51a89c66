import { ServiceError } from '../errors.ts';
import { DEFAULT_NEW_TOKENS, type Parameters } from '../generation/parameters.ts';
import { estimateTokens, leastTokens } from '../generation/tokenEstimate.ts';
import type { Operation } from '../vendors.ts';
import { endOf } from './modelLifecycle.ts';
import type { Model } from './modelList.ts';

/** A request that is about to be made. */
export interface Request {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** All that the model reads: the prompt, and for a continuation the answer so far behind it. */
  readonly text: string;
}

/**
 * What keeps a model from serving a request whose parameters can be sent. Tokens are estimated, and
 * a text is refused only where the least that it can have is too much: a wrong estimate must not
 * refuse what would fit. A number that nobody set is lowered instead. Pure.
 * @returns `model-unknown`, `parameter-refused` or `prompt-too-long`; undefined if nothing does
 */
export function modelProblem(model: Model, request: Request): ServiceError | undefined {
  return (
    withdrawalProblem(model) ??
    newTokensProblem(model, request.parameters) ??
    lengthProblem(model, request)
  );
}

/**
 * The new tokens to ask for where nothing is set: as many as ever, unless the model takes fewer, or
 * the text is likely to leave room for fewer. Not fewer than the fewest that are set. Pure.
 * @param model undefined where nothing is known about it
 */
export function newTokensByDefault(model: Model | undefined, request: Request): number {
  const { operation, parameters, text } = request;
  const most = Math.min(DEFAULT_NEW_TOKENS, model?.maxOutputTokens ?? DEFAULT_NEW_TOKENS);
  if (operation === 'generation')
    return Math.max(most, numberOf(parameters, 'min_new_tokens') ?? 0);
  const room = (model?.contextLength ?? Number.POSITIVE_INFINITY) - estimateTokens(text);
  return room > 0 ? Math.min(most, room) : most;
}

function withdrawalProblem(model: Model): ServiceError | undefined {
  const fate = endOf(model);
  if (fate?.stage !== 'withdrawn') return undefined;
  const { since, successors } = fate;
  return new ServiceError('model-unknown', { since, successors });
}

function newTokensProblem(
  { maxOutputTokens = Number.POSITIVE_INFINITY }: Model,
  parameters: Parameters,
): ServiceError | undefined {
  const asked = numberOf(parameters, 'max_new_tokens');
  return asked !== undefined && asked > maxOutputTokens
    ? new ServiceError('parameter-refused', {
        names: ['max_new_tokens'],
        bound: 'most',
        limit: maxOutputTokens,
        limitOf: 'model',
        actual: asked,
      })
    : undefined;
}

function lengthProblem(
  { contextLength, maxOutputTokens = DEFAULT_NEW_TOKENS }: Model,
  request: Request,
): ServiceError | undefined {
  if (contextLength === undefined) return undefined;
  const { operation, parameters, text } = request;
  const least = tokensRead(request, leastTokens(text));
  const asked = numberOf(parameters, 'max_new_tokens');
  const wanted = asked ?? Math.min(DEFAULT_NEW_TOKENS, maxOutputTokens);
  // Generation ends an answer where the context does, with `token_limit`; chat refuses to begin it.
  if (least + (operation === 'chat' ? wanted : 0) <= contextLength) return undefined;
  const room = contextLength - tokensRead(request, estimateTokens(text));
  if (least > contextLength || room <= 0) {
    return new ServiceError('prompt-too-long', {
      limit: contextLength,
      actual: estimateTokens(text),
      isEstimate: true,
    });
  }
  if (asked === undefined) return undefined;
  return new ServiceError('parameter-refused', {
    names: ['max_new_tokens'],
    bound: 'most',
    limit: room,
    limitOf: 'room',
    actual: asked,
    isEstimate: true,
  });
}

/** Generation can be told to cut the start of a text; 0 means that it does not. */
function tokensRead({ operation, parameters }: Request, tokens: number): number {
  const cut = numberOf(parameters, 'truncate_input_tokens') ?? 0;
  return operation === 'generation' && cut > 0 ? Math.min(cut, tokens) : tokens;
}

function numberOf(parameters: Parameters, name: string): number | undefined {
  const value = parameters[name];
  return typeof value === 'number' ? value : undefined;
}
