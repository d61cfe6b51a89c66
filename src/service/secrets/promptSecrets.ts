import { privateKeysIn } from './privateKeys.ts';
import { findWholeSecrets, masked } from './secretSearch.ts';

/** Secrets within a text that is about to be sent: which kinds it holds, and the text without them. Pure. */

export type SecretKind = 'apiKey' | 'token' | 'privateKey';

/** True where a text holds a private key, or a part of one with its first or last line. */
export function holdsPrivateKey(text: string): boolean {
  return privateKeysIn(text).length > 0;
}

/** Masks every private key, and nothing else. */
export function maskPrivateKeys(text: string): string {
  return masked(text, privateKeysIn(text));
}

/** The kinds of secrets of which one of the texts holds one, in whichever form it travels in. */
export function kindsIn(
  texts: readonly string[],
  secrets: Readonly<Partial<Record<SecretKind, readonly string[]>>>,
): SecretKind[] {
  const kinds = Object.entries(secrets) as [SecretKind, readonly string[]][];
  const held = kinds.filter(([, sought]) =>
    texts.some((text) => findWholeSecrets(text, sought).length > 0),
  );
  return held.map(([kind]) => kind);
}

/** Masks each of these secrets in every such form, and nothing else. */
export function maskWhole(text: string, secrets: readonly string[]): string {
  return masked(text, findWholeSecrets(text, secrets));
}
