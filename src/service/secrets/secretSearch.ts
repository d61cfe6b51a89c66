/** Finds secrets in a text, in the forms that they travel in. Pure. */

/** A stretch of a text, its end not included. */
export interface SecretMatch {
  readonly start: number;
  readonly end: number;
}

/** Characters; anything shorter is found in texts that have nothing to do with it. */
const SHORTEST_SECRET = 6;

/**
 * Characters of a secret that the texts of people are searched for. A shorter one stands in them by
 * chance, and each text that it stands in would be stopped.
 */
const SHORTEST_SOUGHT = 16;

/** A beginning of this length gives a secret away, if it is not most of it. */
const PREFIX_LENGTH = 12;
const LONGEST_WITHOUT_PREFIX = 23;

/**
 * Where these secrets stand in a text that is shown or written down, in order; stretches that
 * overlap are one. The beginning of a secret counts, too: one word too many that is masked does no
 * harm there.
 */
export function findSecrets(text: string, secrets: readonly string[]): SecretMatch[] {
  const long = secrets.filter((secret) => !isShort(secret));
  const forms = long.flatMap((secret) => [...formsOf(secret), ...beginningOf(secret)]);
  return search(text, forms);
}

/** True if a text holds one of these secrets, or its beginning, in any form. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  return findSecrets(text, secrets).length > 0;
}

/**
 * Where these secrets stand as a whole in a text of a person, in the same forms. What is found
 * stops that person, so that nothing counts that stands there by chance: no beginning, which all
 * tokens of a service share, and no short secret.
 */
export function findWholeSecrets(text: string, secrets: readonly string[]): SecretMatch[] {
  // No form is shorter than the secret: most prompts need no forms of a token.
  const sought = secrets.filter(({ length }) => length >= SHORTEST_SOUGHT && length <= text.length);
  return search(text, sought.flatMap(formsOf));
}

/** True if a URL or an ID contains a whole secret. Ignores case, since hosts are lowercase. */
export function addressHolds(address: string, secrets: readonly string[]): boolean {
  const lower = secrets.map((secret) => secret.toLowerCase());
  const found = [
    ...findWholeSecrets(address, secrets),
    ...findWholeSecrets(address.toLowerCase(), lower),
  ];
  return found.length > 0;
}

/** A text with something else in place of these stretches of it. */
export function masked(text: string, stretches: readonly SecretMatch[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of stretches) {
    parts.push(text.slice(from, start), MASK);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

export const MASK = '[redacted]';

/** Stretches that overlap are one. */
function search(text: string, forms: readonly string[]): SecretMatch[] {
  return merged(forms.flatMap((form) => occurrences(text, form)));
}

function beginningOf(secret: string): string[] {
  return secret.length > LONGEST_WITHOUT_PREFIX ? [secret.slice(0, PREFIX_LENGTH)] : [];
}

function occurrences(text: string, form: string): SecretMatch[] {
  const found: SecretMatch[] = [];
  if (form === '') return found;
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
    found.push({ start: at, end: at + form.length });
  }
  return found;
}

function merged(all: readonly SecretMatch[]): SecretMatch[] {
  const apart: SecretMatch[] = [];
  for (const found of all.toSorted((one, other) => one.start - other.start)) {
    const last = apart.at(-1);
    if (last && found.start < last.end) {
      apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, found.end) };
    } else apart.push(found);
  }
  return apart;
}

export function isShort(secret: string): boolean {
  return secret.length < SHORTEST_SECRET;
}

/** As it is, in addresses and forms, in JSON, in JSON within JSON, and in Base64. */
function formsOf(secret: string): string[] {
  // Keys and tokens as services make them are written alike everywhere but in Base64.
  const isPlain = /^[\w.-]*$/.test(secret);
  if (isPlain) return [secret, ...inBase64(secret)];
  const inAddress = encodeURIComponent(secret);
  const inForm = new URLSearchParams({ x: secret }).toString().slice(2);
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    ...[inAddress, inForm].flatMap((form) => [form, withLowerCaseEscapes(form)]),
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    ...inBase64(secret),
    // HTTP's `Basic` has a client's secret as forms have it.
    ...inBase64(inForm),
  ];
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
