import { isKind } from '../errors.ts';
import type { TokenUsage } from './responseReader.ts';

/** Matches characters in writing systems that use about one token per character. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

const LETTERS_PER_TOKEN = 4;

export interface RequestUsage extends TokenUsage {
  /** True if the numbers are estimates; false if the service reported them. */
  readonly isEstimate: boolean;
}

/**
 * Returns the usage that the service reported, or an estimate if it reported none. Pure.
 * @param prompt all text that was sent
 * @param received everything that the model generated, including reasoning and tool calls
 */
export function usageOf(usage: TokenUsage, prompt: string, received: string): RequestUsage {
  const isCounted = usage.inputTokens + usage.outputTokens > 0;
  return isCounted ? { ...usage, isEstimate: false } : estimatedUsage(prompt, received);
}

/**
 * Estimates the usage of a request that failed or was canceled. Returns undefined if nothing was
 * received, unless the request was canceled after it was sent, because the service may bill the
 * user for it.
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
 * Estimates the number of tokens: one for each Chinese, Japanese, or Korean character, and one for
 * every four other characters. Four characters per token is a rule of thumb for English. Code often
 * takes twice as many tokens, and so does text in other languages. Some writing systems take even
 * more. Don't reject a prompt based on this estimate: each model counts differently, and only the
 * service has the exact number.
 */
export function estimateTokens(text: string): number {
  const others = text.replace(DENSE, '');
  // `length` counts UTF-16 code units, so some rare characters count as two tokens.
  const dense = text.length - others.length;
  return Math.ceil(dense + others.length / LETTERS_PER_TOKEN);
}
