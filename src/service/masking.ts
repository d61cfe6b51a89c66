import { ServiceError } from './errors.ts';

/** Finds secrets in text and masks them. Pure. */

/**
 * Minimum length, in characters, of the secrets to search for in displayed or logged text. A
 * shorter secret could match unrelated text by chance.
 */
const MIN_MASKED_LENGTH = 6;

/**
 * Minimum length, in characters, of the secrets to search for in requests. It's greater than
 * `MIN_MASKED_LENGTH`, because a chance match would block the request.
 */
export const MIN_BLOCKED_LENGTH = 8;

const MASK = '[redacted]';

/** Patterns that find keys and tokens whose values aren't known. */
export const SECRET_SHAPES: readonly RegExp[] = [
  /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}/g,
  /(?<=\bbearer\s{1,4})[^\s"',]{8,}/gi,
  /(?<=\bapi_?key\b["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"'&,]{4,}/gi,
];

/**
 * Matches a private key in PEM format or PGP armor. If the last line of the key is missing, the
 * match extends to the end of the text.
 */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----|.*)/gs;

/** True if the text contains the first line of a private key. */
export function holdsPrivateKey(text: string): boolean {
  return text.search(PRIVATE_KEY) >= 0;
}

export function maskPrivateKeys(text: string): string {
  return text.replace(PRIVATE_KEY, MASK);
}

/**
 * True if the text contains one of these secrets, either raw or encoded.
 * @param shortest minimum length, in characters; shorter secrets are ignored
 */
export function holdsSecret(
  text: string,
  secrets: readonly string[],
  shortest = MIN_MASKED_LENGTH,
): boolean {
  return formsOf(secrets, shortest).some((form) => text.includes(form));
}

/**
 * Masks all occurrences of these secrets in the text, both raw and encoded.
 * @param shortest minimum length, in characters; shorter secrets are ignored
 */
export function maskSecrets(
  text: string,
  secrets: readonly string[],
  shortest = MIN_MASKED_LENGTH,
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
  /** The index after the last character of the range. */
  end: number;
}

/** Returns the ranges where these forms occur, sorted and without overlaps. */
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

/**
 * True if a URL or an ID contains a secret. Ignores case, because the host of a parsed URL is
 * lowercase.
 */
export function addressHolds(address: string, secrets: readonly string[]): boolean {
  const lower = secrets.map((secret) => secret.toLowerCase());
  return (
    holdsSecret(address, secrets, MIN_BLOCKED_LENGTH) ||
    holdsSecret(address.toLowerCase(), lower, MIN_BLOCKED_LENGTH)
  );
}

/**
 * Masks the given secrets, and any text that looks like a key or token. This is only a second line
 * of defense: secrets must not be passed to a log or message in the first place.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  return SECRET_SHAPES.reduce(
    (rest, shape) => rest.replace(shape, MASK),
    maskSecrets(text, secrets),
  );
}

/** Returns the error without any details that contain a secret or are part of one. */
export function withoutSecrets(error: ServiceError, secrets: readonly string[]): ServiceError {
  const entries = Object.entries(error.details);
  const kept = entries.filter(([, value]) => !repeats(value, secrets));
  return kept.length < entries.length
    ? new ServiceError(error.kind, Object.fromEntries(kept))
    : error;
}

/**
 * True if the value is a string that contains a secret or is part of one. Also true for a list that
 * contains such a string. Strings shorter than `MIN_MASKED_LENGTH` don't count.
 */
export function repeats(value: unknown, secrets: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((each) => repeats(each, secrets));
  if (typeof value !== 'string' || isShort(value)) return false;
  if (holdsSecret(value, secrets)) return true;
  return secrets.some((secret) => isAlike(value, secret, schemeIn(secret, secrets)));
}

/**
 * True if the value contains the secret or is part of it. Secrets shorter than `MIN_MASKED_LENGTH`
 * don't count, nor do values that match all or part of the authentication scheme, such as `Bearer`.
 * Ignores case, because the value can be the host of a parsed URL, which is lowercase.
 */
function isAlike(value: string, secret: string, scheme: string): boolean {
  const [word, lower] = [value.toLowerCase(), secret.toLowerCase()];
  const isPart = lower.includes(word) && !scheme.toLowerCase().includes(word);
  return isPart || (!isShort(secret) && word.includes(lower));
}

/**
 * Returns the authentication scheme, such as `Basic `, if the secret is a header value that ends
 * with another secret. Otherwise, returns an empty string.
 */
function schemeIn(secret: string, secrets: readonly string[]): string {
  const credential = secrets.find((other) => other !== '' && secret.endsWith(` ${other}`));
  return credential === undefined ? '' : secret.slice(0, -credential.length);
}

function isShort(text: string): boolean {
  return text.length < MIN_MASKED_LENGTH;
}

/**
 * Returns the secrets in all forms to search for: raw, JSON-escaped, URL-encoded, and Base64.
 * Leaves out secrets with fewer than `shortest` characters.
 */
function formsOf(secrets: readonly string[], shortest: number): string[] {
  const forms = secrets
    .filter(({ length }) => length >= shortest)
    .flatMap((secret) => {
      // Base64 padding is optional, so search for the form without padding.
      const base64 = Buffer.from(secret).toString('base64url');
      const inUrls = [
        encodeURIComponent(secret),
        new URLSearchParams({ '': secret }).toString().slice(1),
      ];
      return [
        secret,
        JSON.stringify(secret).slice(1, -1),
        ...inUrls,
        // Hex digits in URLs can be uppercase or lowercase:
        // https://www.rfc-editor.org/rfc/rfc3986#section-2.1
        ...inUrls.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
        base64,
        base64.replaceAll('-', '+').replaceAll('_', '/'),
      ];
    });
  return [...new Set(forms)];
}

/** Returns all strings in a JSON value, including property names, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(stringsIn)];
}
