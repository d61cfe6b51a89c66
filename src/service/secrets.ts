import { ServiceError } from './errors.ts';

/** Finds secrets in text, and masks them. Pure. */

/** Characters. A shorter secret could match by chance in text that is shown or logged. */
const SHORTEST_SHOWN = 6;

/** Characters. Prompts aren't searched for a shorter secret, since each match stops the user. */
export const SHORTEST_SOUGHT = 8;

const MASK = '[redacted]';

/** Patterns that match unknown keys and tokens. */
export const SECRET_SHAPES: readonly RegExp[] = [
  /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}/g,
  /(?<=\bbearer\s{1,4})[^\s"',]{8,}/gi,
  /(?<=\bapi_?key\b["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"'&,]{4,}/gi,
];

/** A private key in PEM or PGP armor, up to the end of the text if its last line is missing. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----|.*)/gs;

/** True if a text contains the first line of a private key. */
export function holdsPrivateKey(text: string): boolean {
  return text.search(PRIVATE_KEY) >= 0;
}

export function maskPrivateKeys(text: string): string {
  return text.replace(PRIVATE_KEY, MASK);
}

/**
 * True if a text contains one of these secrets in any form.
 * @param shortest minimum length of a secret, in characters
 */
export function holdsSecret(
  text: string,
  secrets: readonly string[],
  shortest = SHORTEST_SHOWN,
): boolean {
  return formsOf(secrets, shortest).some((form) => text.includes(form));
}

/**
 * Masks these secrets in every form.
 * @param shortest minimum length of a secret, in characters
 */
export function maskSecrets(
  text: string,
  secrets: readonly string[],
  shortest = SHORTEST_SHOWN,
): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of rangesOf(text, formsOf(secrets, shortest))) {
    parts.push(text.slice(from, start), MASK);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

interface Range {
  readonly start: number;
  /** Exclusive. */
  end: number;
}

/** Returns the ranges where these forms occur in a text, in order. Overlapping ranges are merged. */
function rangesOf(text: string, forms: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const form of forms) {
    for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
      found.push({ start, end: start + form.length });
    }
  }
  const merged: Range[] = [];
  for (const range of found.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push(range);
  }
  return merged;
}

/** True if a URL or an ID contains a secret. Ignores case, since hosts are lowercase. */
export function addressHolds(address: string, secrets: readonly string[]): boolean {
  const lower = secrets.map((secret) => secret.toLowerCase());
  return (
    holdsSecret(address, secrets, SHORTEST_SOUGHT) ||
    holdsSecret(address.toLowerCase(), lower, SHORTEST_SOUGHT)
  );
}

/**
 * Masks the given secrets, and text that looks like a key or token. This is the second line of
 * defense. The first is never to pass a secret to a log or a message.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  return SECRET_SHAPES.reduce(
    (rest, shape) => rest.replace(shape, MASK),
    maskSecrets(text, secrets),
  );
}

/** Returns the error without details that repeat a secret or a part of one. */
export function withoutSecrets(error: ServiceError, secrets: readonly string[]): ServiceError {
  const entries = Object.entries(error.details);
  const kept = entries.filter(([, value]) => !repeats(value, secrets));
  return kept.length < entries.length
    ? new ServiceError(error.kind, Object.fromEntries(kept))
    : error;
}

/** True if a string, or any string in a list, contains a secret or is part of one. */
export function repeats(value: unknown, secrets: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((each) => repeats(each, secrets));
  if (typeof value !== 'string' || isShort(value)) return false;
  if (holdsSecret(value, secrets)) return true;
  return secrets.some((secret) => isAlike(value, secret, schemeIn(secret, secrets)));
}

/**
 * True if one of them contains the other. Ignores the scheme. Also ignores case, because hosts are
 * lowercase.
 */
function isAlike(value: string, secret: string, scheme: string): boolean {
  const [word, lower] = [value.toLowerCase(), secret.toLowerCase()];
  const isPart = lower.includes(word) && !scheme.toLowerCase().includes(word);
  return isPart || (!isShort(secret) && word.includes(lower));
}

/** Returns the public part of a header value, such as `Basic `. Empty for other secrets. */
function schemeIn(secret: string, secrets: readonly string[]): string {
  const credential = secrets.find((other) => other !== '' && secret.endsWith(` ${other}`));
  return credential === undefined ? '' : secret.slice(0, -credential.length);
}

function isShort(text: string): boolean {
  return text.length < SHORTEST_SHOWN;
}

/** Returns the forms of each secret to look for: raw, JSON-escaped, URL-encoded, and Base64. */
function formsOf(secrets: readonly string[], shortest: number): string[] {
  const forms = secrets
    .filter(({ length }) => length >= shortest)
    .flatMap((secret) => {
      // Padding is optional, so search without it.
      const base64 = Buffer.from(secret).toString('base64url');
      const inUrls = [
        encodeURIComponent(secret),
        new URLSearchParams({ '': secret }).toString().slice(1),
      ];
      return [
        secret,
        JSON.stringify(secret).slice(1, -1),
        ...inUrls,
        // Both cases are valid: https://www.rfc-editor.org/rfc/rfc3986#section-2.1
        ...inUrls.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
        base64,
        base64.replaceAll('-', '+').replaceAll('_', '/'),
      ];
    });
  return [...new Set(forms)];
}
