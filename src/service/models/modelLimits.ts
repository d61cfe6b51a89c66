import { ServiceError } from '../errors.ts';
import { DEFAULT_NEW_TOKENS, type Parameters } from '../generation/parameters.ts';
import type { Operation } from '../vendors.ts';
import { sunsetOf } from './modelLifecycle.ts';
import type { Model } from './modelList.ts';

/** Scripts that need no blanks: a token is about one character of them. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Blanks, or one sign again and again as below a heading: some models make one token of them. */
const RUN = /\s{2,}|(.)\1{3,}/gsu;

const LETTERS_PER_TOKEN = 4;
const MOST_LETTERS_PER_TOKEN = 8;
const MOST_DENSE_PER_TOKEN = 4;

/** A request that is about to be made. */
export interface ModelRequest {
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
export function modelProblem(model: Model, request: ModelRequest): ServiceError | undefined {
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
export function newTokensByDefault(model: Model | undefined, request: ModelRequest): number {
  const { operation, parameters, text } = request;
  const most = Math.min(DEFAULT_NEW_TOKENS, model?.maxOutputTokens ?? DEFAULT_NEW_TOKENS);
  if (operation === 'generation')
    return Math.max(most, numberOf(parameters, 'min_new_tokens') ?? 0);
  const room = (model?.contextLength ?? Number.POSITIVE_INFINITY) - estimateTokens(text);
  return room > 0 ? Math.min(most, room) : most;
}

function withdrawalProblem(model: Model): ServiceError | undefined {
  const end = sunsetOf(model);
  if (end?.stage !== 'withdrawn') return undefined;
  const { since, successors } = end;
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
  request: ModelRequest,
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
function tokensRead({ operation, parameters }: ModelRequest, tokens: number): number {
  const cut = numberOf(parameters, 'truncate_input_tokens') ?? 0;
  return operation === 'generation' && cut > 0 ? Math.min(cut, tokens) : tokens;
}

function numberOf(parameters: Parameters, name: string): number | undefined {
  const value = parameters[name];
  return typeof value === 'number' ? value : undefined;
}

// How many tokens a text may have: only the service knows, and each model counts in its own way. What
// is said here is good for a question to a person and for a refusal beyond doubt.

/**
 * The likely number of tokens: one for 4 characters of Latin text, the rule of thumb of most makers
 * of models for English, and one for each Chinese, Japanese or Korean character. Other languages
 * and code have up to twice as many.
 */
export function estimateTokens(text: string): number {
  const dense = denseLength(text);
  return Math.ceil(dense + (text.length - dense) / LETTERS_PER_TOKEN);
}

/**
 * A number of tokens that no text of a person falls below: one for 8 characters, twice what English
 * prose has, or for 4 Chinese, Japanese or Korean ones; a run of blanks or of one sign counts as a
 * single character.
 */
export function leastTokens(text: string): number {
  const short = text.replace(RUN, ' ');
  const dense = denseLength(short);
  const letters = (short.length - dense) / MOST_LETTERS_PER_TOKEN;
  return Math.ceil(dense / MOST_DENSE_PER_TOKEN + letters);
}

/** In UTF-16 units, as the length of a text is. */
function denseLength(text: string): number {
  return text.length - text.replace(DENSE, '').length;
}
