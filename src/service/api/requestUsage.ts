import { isKind } from '../errors.ts';
import type { TokenUsage } from './responseReader.ts';

/** Scripts with about one token per character. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

const LETTERS_PER_TOKEN = 4;

/** The tokens used by one request. */
export interface RequestUsage extends TokenUsage {
  /** True if the service didn't count them. */
  readonly isEstimate: boolean;
}

/**
 * Returns the usage as counted by the service, or an estimate if it didn't count. Pure.
 * @param prompt all text that was sent
 * @param received all text that the model generated, reasoning included
 */
export function usageOf(usage: TokenUsage, prompt: string, received: string): RequestUsage {
  const isCounted = usage.inputTokens + usage.outputTokens > 0;
  return isCounted ? { ...usage, isEstimate: false } : estimatedUsage(prompt, received);
}

/**
 * Estimates the usage of a request that failed or was canceled. Returns undefined for a request
 * that was refused or never sent.
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
 * Estimates the number of tokens: one per Chinese, Japanese, or Korean character, and one per 4
 * other characters. Four is the usual rule of thumb for English. Other languages and code can have
 * up to twice as many tokens. Each model counts differently, and only the service has the exact
 * number. So the estimate can be used to prompt the user, but not to refuse a request.
 */
export function estimateTokens(text: string): number {
  const others = text.replace(DENSE, '');
  // Counts UTF-16 code units, as `length` does.
  const dense = text.length - others.length;
  return Math.ceil(dense + others.length / LETTERS_PER_TOKEN);
}
