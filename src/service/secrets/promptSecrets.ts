import { findWholeSecrets, masked, type SecretMatch } from './secretSearch.ts';

/** Secrets within a text that is about to be sent: which kinds it holds, and the text without them. Pure. */

export type SecretKind = 'apiKey' | 'token' | 'privateKey';

interface Marker extends SecretMatch {
  readonly kind: 'begin' | 'end' | 'whole';
}

/**
 * RFC 7468, PGP, with four hyphens and blanks SSH2 (RFC 4716), the last part of a PuTTY file, and
 * the one word of an age key. A blank may be one that does not break. Bounded, so that it is linear.
 */
const MARKER =
  /-{4,5}[^\S\r\n]?(?<word>BEGIN|END)[^\S\r\n][\w \u00A0]{0,64}PRIVATE[ \u00A0]KEY(?:[ \u00A0]BLOCK)?[^\S\r\n]?-{4,5}|(?<putty>Private-Lines: \d{1,6})|AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{8,}/gi;

/** The ends of lines, also as they are written within a string. */
const LINE_END = /\r?\n|\\r\\n|\\n/g;

/** A line that is nothing but one run of base64, in the dress of a quote, a comment or a string. */
const MATERIAL = /^[\s"'`#>|,;*(\\-]*(?:\/\/[\s"'`]*)?[A-Za-z0-9+/=_]+[\s"'`,;)\\]*(?:\+\s*)?$/;

/** No text of a person has a word this long. */
const LONG_RUN = /[A-Za-z0-9+/=_]{40}/;

/** Between the lines of a key, or before them: says nothing by itself. */
const NEUTRAL =
  /^[\s"'`#>|,;*(\\)+-]*$|^[\s"'`#>|*-]*(?:Proc-Type|DEK-Info|Version|Comment|MessageID|Hash|Charset|Subject): [^[]*$/;

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

/**
 * Every private key in a text, in order: from its first marker up to the line that ends it, or to
 * the first line that is no key. One whose beginning was not selected goes back as far as its lines.
 */
export function privateKeysIn(text: string): SecretMatch[] {
  const spans: { start: number; end: number }[] = [];
  const markers = markersOf(text);
  let floor = 0;
  let isOpen = false;
  for (const [index, { kind, start, end }] of markers.entries()) {
    const span = { start, end };
    if (kind === 'begin') {
      const next = markers[index + 1];
      const { length, isAll } = keyAtStart(text.slice(end, next?.start));
      isOpen = isAll && next?.kind === 'end';
      span.end = isOpen ? (next?.start ?? end) : end + length;
    } else if (kind === 'end') {
      span.start = isOpen
        ? (spans.pop()?.start ?? start)
        : start - keyAtEnd(text.slice(floor, start));
      isOpen = false;
    }
    floor = span.end;
    // The last marker alone is no key.
    if (kind !== 'end' || span.start < start) spans.push(span);
  }
  return spans;
}

function markersOf(text: string): Marker[] {
  return Array.from(text.matchAll(MARKER), ({ 0: found, index, groups }) => {
    const { word = '', putty } = groups ?? {};
    const isBegin = word.toUpperCase() === 'BEGIN' || putty !== undefined;
    const kind = isBegin ? 'begin' : word === '' ? 'whole' : 'end';
    return { kind, start: index, end: index + found.length };
  });
}

/** How much of what follows a first marker is key, and whether nothing in it is anything else. */
function keyAtStart(text: string): { readonly length: number; readonly isAll: boolean } {
  let length = 0;
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    if (MATERIAL.test(line) || LONG_RUN.test(line)) length = end;
    else if (!NEUTRAL.test(line)) return { length, isAll: false };
  }
  return { length, isAll: true };
}

/** How much of what stands before a last marker is key. */
function keyAtEnd(text: string): number {
  let from = text.length;
  for (const { start, end } of linesOf(text).toReversed()) {
    const line = text.slice(start, end);
    if (MATERIAL.test(line)) from = start;
    else if (!NEUTRAL.test(line)) break;
  }
  return text.length - from;
}

function linesOf(text: string): SecretMatch[] {
  const lines: SecretMatch[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(LINE_END)) {
    lines.push({ start, end: index });
    start = index + mark.length;
  }
  return [...lines, { start, end: text.length }];
}
