import {
  BREAKS,
  type Form,
  formOf,
  formsOf,
  isShort,
  SHORTEST_SECRET,
  type SoughtSecret,
  withoutBreaks,
} from './secretForms.ts';

/** Finds secrets in a text. Pure. */

/** A stretch of a text, its end not included. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** A beginning of this length gives a secret away, if it is not most of it (studies: security T3). */
const PREFIX_LENGTH = 12;
const LONGEST_WITHOUT_PREFIX = 23;

/** Characters of a form that the words of a person do not make when the blanks between them go. */
const SHORTEST_ACROSS_BLANKS = 12;

/**
 * Where these secrets stand in a text that is shown or written down, in order; stretches that
 * overlap are one. The beginning of a secret counts, too: one word too many that is masked does no
 * harm there.
 */
export function findSecrets(text: string, secrets: readonly string[]): Found[] {
  const long = secrets.filter((secret) => !isShort(secret));
  const forms = long.flatMap((secret) => [...formsOf(secret), ...beginningOf(secret).map(formOf)]);
  return search(new SearchedText(text), forms, SHORTEST_SECRET);
}

/** True if a text holds one of these secrets, or its beginning, in any form. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  return findSecrets(text, secrets).length > 0;
}

/**
 * Where these secrets stand as a whole in a text of a person, in the same forms. What is found
 * stops that person, so that nothing counts that stands there by chance: no beginning, which all
 * tokens of a service share, and of a short secret neither a code nor one with blanks within it.
 */
export function findWholeSecrets(
  searched: SearchedText,
  secrets: readonly SoughtSecret[],
): Found[] {
  const possible = secrets.filter(({ leastLength }) => searched.text.length >= leastLength);
  const forms = possible.flatMap((secret) => secret.forms);
  return search(searched, forms, SHORTEST_ACROSS_BLANKS);
}

/** A text with something else in place of these stretches of it. */
export function masked(text: string, stretches: readonly Found[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of stretches) {
    parts.push(text.slice(from, start), MASK);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

export const MASK = '[redacted]';

/** @param shortestBroken characters of the shortest form that is found with blanks within it */
function search(searched: SearchedText, forms: readonly Form[], shortestBroken: number): Found[] {
  if (forms.length === 0) return [];
  const hasBreaks = searched.folded.length < searched.text.length;
  const all = forms.flatMap(({ text, folded }) => [
    ...occurrences(searched.text, text),
    // A secret that is broken into lines, as mails and certificates do it.
    ...(hasBreaks && folded.length >= shortestBroken ? foundAcrossBreaks(searched, folded) : []),
  ]);
  return merged(all);
}

function beginningOf(secret: string): string[] {
  return secret.length > LONGEST_WITHOUT_PREFIX ? [secret.slice(0, PREFIX_LENGTH)] : [];
}

function occurrences(text: string, form: string): Found[] {
  const found: Found[] = [];
  if (form === '') return found;
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
    found.push({ start: at, end: at + form.length });
  }
  return found;
}

/**
 * A text that is searched for several secrets: what they have in common is done once. Where the
 * characters of the folded text stood is reckoned only when something was found in it.
 */
export class SearchedText {
  readonly text: string;
  #folded: string | undefined;
  #places: Uint32Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The text without its breaks. */
  get folded(): string {
    this.#folded ??= withoutBreaks(this.text);
    return this.#folded;
  }

  /** Where a character of the folded text stands in the text. */
  placeOf(character: number): number {
    this.#places ??= this.#reckonPlaces();
    return this.#places[character] ?? 0;
  }

  #reckonPlaces(): Uint32Array {
    const places = new Uint32Array(this.folded.length);
    let count = 0;
    let from = 0;
    const keep = (to: number) => {
      for (let place = from; place < to; place += 1, count += 1) places[count] = place;
    };
    for (const { index, 0: cut } of this.text.matchAll(BREAKS)) {
      keep(index);
      from = index + cut.length;
    }
    keep(this.text.length);
    return places;
  }
}

function foundAcrossBreaks(searched: SearchedText, folded: string): Found[] {
  return occurrences(searched.folded, folded).map(({ start, end }) => ({
    start: searched.placeOf(start),
    end: searched.placeOf(end - 1) + 1,
  }));
}

function merged(all: readonly Found[]): Found[] {
  const apart: Found[] = [];
  for (const found of all.toSorted((one, other) => one.start - other.start)) {
    const last = apart.at(-1);
    if (last && found.start < last.end) {
      apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, found.end) };
    } else apart.push(found);
  }
  return apart;
}
