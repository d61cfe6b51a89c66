import { ServiceError } from '../errors.ts';
import { findSecrets, holdsSecret, isShort, MASK, masked } from './secretSearch.ts';

/** Takes secrets out of what is to be shown or written down. Pure. */

/** What keys and tokens look like to somebody who does not know them. */
export const SECRET_SHAPES: readonly RegExp[] = [
  /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}/g,
  /(?<=\bbearer\s{1,4})[^\s"',]{8,}/gi,
  /(?<=\bapi_?key\b["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"'&,]{4,}/gi,
];

/**
 * Masks what looks like a key or token, and the given secrets in the encodings they travel in.
 * A second defence: the first is that nothing secret is handed to a log or a message.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = masked(text, findSecrets(text, secrets));
  for (const shape of SECRET_SHAPES) clean = clean.replace(shape, MASK);
  return clean;
}

/** The same failure without the words of a service that repeats a secret, or a part of one. */
export function withoutSecrets(error: ServiceError, secrets: readonly string[]): ServiceError {
  const entries = Object.entries(error.details);
  const kept = entries.filter(([, value]) => !repeats(value, secrets));
  return kept.length < entries.length
    ? new ServiceError(error.kind, Object.fromEntries(kept))
    : error;
}

/** True if a word of a service, or one of several, holds a secret or a part of one. */
export function repeats(value: unknown, secrets: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((each) => repeats(each, secrets));
  if (typeof value !== 'string' || isShort(value)) return false;
  return holdsSecret(value, secrets) || secrets.some((secret) => isAlike(value, secret));
}

/** Whether one is a part of the other. Hosts come in lower case. */
function isAlike(value: string, secret: string): boolean {
  const [word, lower] = [value.toLowerCase(), secret.toLowerCase()];
  return lower.includes(word) || (!isShort(secret) && word.includes(lower));
}
