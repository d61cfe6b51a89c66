/** The forms a secret travels in. Pure. */

/** Characters; anything shorter is found in texts that have nothing to do with it. */
const SHORTEST_SECRET = 6;

/**
 * Characters of a secret that the texts of people are searched for. A shorter one stands in them by
 * chance, and each text that it stands in would be stopped.
 */
export const SHORTEST_SOUGHT = 16;

export function isShort(secret: string): boolean {
  return secret.length < SHORTEST_SECRET;
}

/** As it is, in addresses and forms, in JSON, in JSON within JSON, and in Base64. */
export function formsOf(secret: string): string[] {
  // Keys and tokens as services make them are written alike everywhere but in Base64.
  const isPlain = /^[\w.-]*$/.test(secret);
  const written = isPlain ? [secret] : escapedForms(secret);
  return [...written, ...inBase64(secret)];
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
