import { privateKeysIn } from './privateKeys.ts';

/** Secrets within a text that is about to be sent: which kinds it holds, and the text without them. Pure. */

export type SecretKind = 'apiKey' | 'token' | 'privateKey';

const MASK = '[redacted]';

/** True where a text holds a private key, or a part of one with its first or last line. */
export function holdsPrivateKey(text: string): boolean {
  return privateKeysIn(text).length > 0;
}

/** Masks every private key, and nothing else. */
export function maskPrivateKeys(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, end } of privateKeysIn(text)) {
    parts.push(text.slice(from, at), MASK);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

/** Masks each of these texts wherever it stands, and nothing else. */
export function maskAll(text: string, secrets: readonly string[]): string {
  // The longest first: one that begins like another must not leave its end behind.
  const longestFirst = secrets
    .filter((secret) => secret !== '')
    .toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}
