import { privateKeysIn } from './privateKeys.ts';
import { findWholeSecrets, masked, SearchedText } from './secretSearch.ts';

/** Secrets within a text that is about to be sent: which kinds it holds, and the text without them. Pure. */

export type SecretKind = 'apiKey' | 'token' | 'privateKey';

/** True where a text holds a private key, or a part of one with its first or last line. */
export function holdsPrivateKey(text: string): boolean {
  return privateKeysIn(text).length > 0;
}

/** Masks every private key, and nothing else. */
export function maskPrivateKeys(text: string): string {
  const stretches = privateKeysIn(text).map(({ at, end }) => ({ start: at, end }));
  return masked(text, stretches);
}

/** True where a text holds one of these secrets, in whichever form it travels in. */
export function holdsWhole(text: string | SearchedText, secrets: readonly string[]): boolean {
  const searched = typeof text === 'string' ? new SearchedText(text) : text;
  return findWholeSecrets(searched, secrets).length > 0;
}

/** Masks each of these secrets in every such form, and nothing else. */
export function maskWhole(text: string, secrets: readonly string[]): string {
  return masked(text, findWholeSecrets(new SearchedText(text), secrets));
}
