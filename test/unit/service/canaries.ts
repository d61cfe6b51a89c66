import { inspect } from 'node:util';

/**
 * Finds secrets that a test plants, in all forms that the extension masks and in some other forms.
 */

const base64 = (bytes: string) => Buffer.from(bytes).toString('base64');
const form = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
const json = (text: string) => JSON.stringify(text).slice(1, -1);

export const writtenDown: Readonly<Record<string, (secret: string) => string>> = {
  'in plain text': (secret) => secret,
  'in an address': encodeURIComponent,
  'in an address, in lowercase': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (sign) => sign.toLowerCase()),
  'in a form': form,
  'in JSON': json,
  'in Base64': base64,
  'in Base64url': (secret) => Buffer.from(secret).toString('base64url'),
};

/** Returns the forms of a secret that `text` contains, ignoring case. */
export function formsIn(text: string, secret: string): string[] {
  const lower = text.toLowerCase();
  return formsOf(secret).filter((each) => lower.includes(each.toLowerCase()));
}

/**
 * Returns the forms of a secret, including some that the extension doesn't mask, such as JSON
 * nested in JSON, or part of the Base64 form of a longer string.
 */
function formsOf(secret: string): string[] {
  const whole = [
    secret,
    encodeURIComponent(secret),
    form(secret),
    json(secret),
    json(json(secret)),
  ];
  const inner = ['', ':', 'a:'].flatMap((before) => {
    const isPart = Math.ceil((before.length * 4) / 3);
    const length = Math.floor(((before.length + Buffer.byteLength(secret)) * 4) / 3);
    const own = base64(before + secret).slice(isPart, length);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...whole, ...inner];
}

/** Returns all text in an error and its causes. */
export function textsOfError(error: unknown): string {
  const texts: string[] = [];
  for (let each = error; each !== undefined; ) {
    texts.push(JSON.stringify(each), inspect(each, { depth: 10, showHidden: true }), String(each));
    if (!(each instanceof Error)) break;
    texts.push(each.stack ?? '', each.message);
    each = each.cause;
  }
  return texts.join('\n');
}
