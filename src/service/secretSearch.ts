/** Finds secrets in a text, in the forms they travel in. Pure. */

/** A stretch of a text, its end not included. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** Characters; anything shorter is found in texts that have nothing to do with it. */
export const SHORTEST_SECRET = 6;

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
export function findWholeSecrets(searched: SearchedText, secrets: readonly string[]): Found[] {
  const possible = secrets.filter((secret) => hasRoomFor(searched.text, secret));
  const forms = possible.flatMap((secret) =>
    isShort(secret) ? [formOf(secret)] : formsOf(secret),
  );
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

/** One of the forms a secret travels in, and the same without the breaks in it. */
interface Form {
  readonly text: string;
  readonly folded: string;
}

function formOf(text: string): Form {
  return { text, folded: withoutBreaks(text) };
}

function isShort(secret: string): boolean {
  return secret.length < SHORTEST_SECRET;
}

/** False only where a text cannot hold a secret: no form of one is shorter, but for its breaks. */
function hasRoomFor(text: string, secret: string): boolean {
  return text.length >= secret.length || secret.search(BREAKS) >= 0;
}

function beginningOf(secret: string): string[] {
  return secret.length > LONGEST_WITHOUT_PREFIX ? [secret.slice(0, PREFIX_LENGTH)] : [];
}

/** As it is, in addresses and forms, in JSON, in JSON within JSON, and in Base64. */
function formsOf(secret: string): Form[] {
  const unbroken = (text: string): Form => ({ text, folded: text });
  const encoded = inBase64(secret).map(unbroken);
  // Keys and tokens as services make them are written alike everywhere else.
  const isPlain = /^[\w.-]*$/.test(secret);
  const written = isPlain ? [unbroken(secret)] : escapedForms(secret).map(formOf);
  return [...written, ...encoded].filter(({ text }) => text.length >= SHORTEST_SECRET);
}

function escapedForms(secret: string): string[] {
  const inAddress = encodeURIComponent(secret);
  const inForm = new URLSearchParams({ x: secret }).toString().slice(2);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const all = [
    secret,
    ...[inAddress, inForm].flatMap((form) => [form, withLowerCaseEscapes(form)]),
    inJson,
    JSON.stringify(inJson).slice(1, -1),
  ];
  return [...new Set(all)];
}

function withLowerCaseEscapes(form: string): string {
  return form.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase());
}

/**
 * Three bytes make four characters, so that a secret within a longer text looks different at each
 * of three places: the characters that are made of it alone, in both alphabets.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inner = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    const ofOthers = Math.ceil((before * 8) / 6);
    return encoded.slice(ofOthers, Math.floor(((before + bytes.length) * 8) / 6));
  });
  const all = [bytes.toString('base64url'), ...inner].flatMap((form) => [
    form,
    form.replaceAll('-', '+').replaceAll('_', '/'),
  ]);
  return [...new Set(all)];
}

function occurrences(text: string, form: string): Found[] {
  const found: Found[] = [];
  if (form === '') return found;
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
    found.push({ start: at, end: at + form.length });
  }
  return found;
}

/** Blanks and line ends, be they written out or escaped. */
const BREAKS = /(?:\s|\\[nrt])+/g;

function withoutBreaks(text: string): string {
  return text.replace(BREAKS, '');
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
