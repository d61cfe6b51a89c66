import { randomBytes } from 'node:crypto';
import type { EmulatorSettings } from './settings.ts';
import type { IssuedTokens } from './tokens.ts';

/** The settings and state that determine both services' responses. */
export interface Service {
  readonly settings: EmulatorSettings;
  readonly tokens: IssuedTokens;
  readonly url: string;
  /** Returns the time on the services' clock in milliseconds, including `clockOffsetSeconds`. */
  readonly nowMs: () => number;
  /** Returns 32 hexadecimal digits for traces and IDs. */
  readonly identifier: () => string;
  /** Returns the number of concurrent inference requests, including the current one. */
  readonly inFlight: () => number;
  /**
   * Times in milliseconds of recently accepted inference requests. They're used to enforce the rate
   * limit.
   */
  readonly accepted: number[];
  /**
   * The complete texts of earlier responses, keyed by prompt. A request that continues a truncated
   * response gets the rest of its text.
   */
  readonly answers: Map<string, string>;
}

export function randomIdentifier(): string {
  return randomBytes(16).toString('hex');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
