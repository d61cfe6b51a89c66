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

/** Where these secrets stand in a text, in order; stretches that overlap are one. */
export function findSecrets(text: string, secrets: readonly string[]): Found[] {
  const forms = [
    ...new Set(secrets.filter((one) => one.length >= SHORTEST_SECRET).flatMap(formsOf)),
  ];
  if (forms.length === 0) return [];
  const folded = withoutBreaks(text);
  const all = forms.flatMap((form) => [
    ...occurrences(text, form),
    // A secret that is broken into lines, as mails and certificates do it.
    ...(folded.text === text ? [] : foundAcrossBreaks(folded, form)),
  ]);
  return merged(all);
}

/** True if a text holds one of these secrets in any form. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  return findSecrets(text, secrets).length > 0;
}

/** As it is, in addresses and forms, in JSON, in JSON within JSON, and in Base64. */
function formsOf(secret: string): string[] {
  const inAddress = encodeURIComponent(secret);
  const inForm = new URLSearchParams({ x: secret }).toString().slice(2);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = [
    secret,
    ...[inAddress, inForm].flatMap((form) => [form, withLowerCaseEscapes(form)]),
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    ...inBase64(secret),
    ...(secret.length > LONGEST_WITHOUT_PREFIX ? [secret.slice(0, PREFIX_LENGTH)] : []),
  ];
  return forms.filter((form) => form.length >= SHORTEST_SECRET);
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
  return [bytes.toString('base64url'), ...inner].flatMap((form) => [
    form,
    form.replaceAll('-', '+').replaceAll('_', '/'),
  ]);
}

function occurrences(text: string, form: string): Found[] {
  const found: Found[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
    found.push({ start: at, end: at + form.length });
  }
  return found;
}

interface Folded {
  readonly text: string;
  /** Where each of its characters stands in the text that it was made of. */
  readonly places: readonly number[];
}

/** A text without blanks and line ends, be they written out or escaped. */
function withoutBreaks(text: string): Folded {
  const kept: string[] = [];
  const places: number[] = [];
  let from = 0;
  const keep = (to: number) => {
    kept.push(text.slice(from, to));
    for (let place = from; place < to; place += 1) places.push(place);
  };
  for (const { index, 0: cut } of text.matchAll(/(?:\s|\\[nrt])+/g)) {
    keep(index);
    from = index + cut.length;
  }
  keep(text.length);
  return { text: kept.join(''), places };
}

function foundAcrossBreaks({ text, places }: Folded, form: string): Found[] {
  const folded = withoutBreaks(form).text;
  if (folded.length < SHORTEST_SECRET) return [];
  return occurrences(text, folded).map(({ start, end }) => ({
    start: places[start] ?? 0,
    end: (places[end - 1] ?? 0) + 1,
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
