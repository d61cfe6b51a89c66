import { isKind } from '../errors.ts';
import { estimateTokens } from '../models/modelLimits.ts';
import type { TokenUsage } from './answerReader.ts';

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
