import { isKind } from '../errors.ts';
import type { TokenUsage } from './responseReader.ts';

/** Scripts that need no blanks: a token is about one character of them. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

const LETTERS_PER_TOKEN = 4;

/** The tokens that a request has used. Pure. */
export interface RequestUsage extends TokenUsage {
  /** True if the service didn't count them. */
  readonly isEstimate: boolean;
}

/**
 * Returns the usage as the service counts it, or an estimate if it doesn't.
 * @param prompt all text that was sent
 * @param received all text that the model generated, reasoning included
 */
export function usageOf(usage: TokenUsage, prompt: string, received: string): RequestUsage {
  const isCounted = usage.inputTokens + usage.outputTokens > 0;
  return isCounted ? { ...usage, isEstimate: false } : estimatedUsage(prompt, received);
}

/**
 * Estimates the usage of a request that failed or was canceled. Returns undefined for a request that
 * was refused or never sent.
 */
export function usageOfFailed(
  error: unknown,
  prompt: string,
  received: string,
): RequestUsage | undefined {
  const wasSent = isKind(error, 'cancelled') && (error.details.attempts ?? 0) > 0;
  return wasSent || received !== '' ? estimatedUsage(prompt, received) : undefined;
}

function estimatedUsage(prompt: string, received: string): RequestUsage {
  const [inputTokens, outputTokens] = [estimateTokens(prompt), estimateTokens(received)];
  return { inputTokens, outputTokens, isEstimate: true };
}

/**
 * The likely number of tokens: one for 4 characters of Latin text, the rule of thumb of most makers
 * of models for English, and one for each Chinese, Japanese or Korean character. Other languages
 * and code have up to twice as many. Only the service knows, and each model counts in its own way:
 * good for a question to a person, and for no refusal.
 */
export function estimateTokens(text: string): number {
  const others = text.replace(DENSE, '');
  // In UTF-16 units, as the length of a text is.
  const dense = text.length - others.length;
  return Math.ceil(dense + others.length / LETTERS_PER_TOKEN);
}
