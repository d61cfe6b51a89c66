import { randomBytes } from 'node:crypto';
import type { EmulatorSettings } from './settings.ts';
import type { IssuedTokens } from './tokens.ts';

/** What the answers of both services depend on. */
export interface Service {
  readonly settings: EmulatorSettings;
  readonly tokens: IssuedTokens;
  readonly url: string;
  /** The services' own clock in milliseconds, offset included. */
  readonly nowMs: () => number;
  /** 32 hexadecimal digits for traces and ids. */
  readonly identifier: () => string;
  /** Inference requests in flight, the one being answered included. */
  readonly inFlight: () => number;
  /** Times of the accepted inference requests of the last second, for the rate limit. */
  readonly accepted: number[];
  /** Whole answers so far by their prompt, to go on with one that was cut. */
  readonly answers: Map<string, string>;
}

export function randomIdentifier(): string {
  return randomBytes(16).toString('hex');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
