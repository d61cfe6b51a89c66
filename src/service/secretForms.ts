/** The forms a secret travels in. Pure. */

/** Characters; anything shorter is found in texts that have nothing to do with it. */
export const SHORTEST_SECRET = 6;

/** One of the forms a secret travels in, and the same without the breaks in it. */
export interface Form {
  readonly text: string;
  readonly folded: string;
}

export function formOf(text: string): Form {
  return { text, folded: withoutBreaks(text) };
}

export function isShort(secret: string): boolean {
  return secret.length < SHORTEST_SECRET;
}

/** A secret that several texts are searched for: what it takes for that is made once. */
export class SoughtSecret {
  /** Characters of the shortest text that can hold it: no form of it is shorter, but for its breaks. */
  readonly leastLength: number;
  readonly #secret: string;
  #forms: readonly Form[] | undefined;

  constructor(secret: string) {
    this.#secret = secret;
    this.leastLength = withoutBreaks(secret).length;
  }

  get forms(): readonly Form[] {
    this.#forms ??= isShort(this.#secret) ? [formOf(this.#secret)] : formsOf(this.#secret);
    return this.#forms;
  }
}

/** As it is, in addresses and forms, in JSON, in JSON within JSON, and in Base64. */
export function formsOf(secret: string): Form[] {
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

/** Blanks and line ends, be they written out or escaped. */
export const BREAKS = /(?:\s|\\[nrt])+/g;

export function withoutBreaks(text: string): string {
  return text.replace(BREAKS, '');
}
