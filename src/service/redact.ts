import { findSecrets } from './secretSearch.ts';

const MASK = '[redacted]';

const SECRET_SHAPES: readonly RegExp[] = [
  /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}/g,
  /(?<=\bbearer\s{1,4})[^\s"',]{8,}/gi,
  /(?<=\bapi_?key\b["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"'&,]{4,}/gi,
];

/**
 * Masks what looks like a key or token, and the given secrets in the encodings they travel in.
 * A second defence: the first is that nothing secret is handed to a log or a message.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of findSecrets(text, secrets)) {
    parts.push(text.slice(from, start), MASK);
    from = end;
  }
  let clean = parts.join('') + text.slice(from);
  for (const shape of SECRET_SHAPES) clean = clean.replace(shape, MASK);
  return clean;
}
