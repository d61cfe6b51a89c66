/** Cleans pasted keys, IDs, and addresses, and finds their flaws. Pure. */

/** A flaw that `cleanValue` finds in a pasted value. */
export type ValueFlaw =
  | 'whitespace'
  | 'quotes'
  | 'bearer'
  | 'control'
  | 'placeholder'
  | 'non-ascii';

export interface CleanValue {
  /**
   * The value without control characters, surrounding whitespace, surrounding quotes, or a `Bearer`
   * prefix.
   */
  readonly value: string;
  /** All flaws found, including any that couldn't be removed. */
  readonly flaws: readonly ValueFlaw[];
}

/**
 * Maximum length, in characters, of a key, ID, or URL. Longer values are rejected to keep the
 * checks fast enough to run while the user types. Real values are usually much shorter.
 */
export const MAX_VALUE_LENGTH = 4096;

const PLACEHOLDERS: readonly RegExp[] = [
  /^<.*>$|^\[.*\]$|^\{.*\}$|^\$\{.*\}$/,
  // Also matches placeholders that contain a service name of up to two words, as in
  // `your_ibm_cloud_api_key`.
  /^((your|my|the)[-_ ]?([a-z]{2,12}[-_ ]){0,2})?(api|project|service)[-_ ]?(key|id|url)([-_ ]?here)?$/i,
  /^(x{3,}|\*{3,}|change[-_ ]?me|replace[-_ ]?(me|this)|todo)$/i,
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060\ufeff]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything outside ASCII
const NON_ASCII = /[^\u0000-\u007f]/;

// The next two patterns also match unpaired quotes, because no key, ID, or URL starts or ends with
// a quote. Quotes, whitespace, and `Bearer ` can appear before the value in any order.
const BEFORE_VALUE = /^(?:[\s"'`]|bearer\s)+/i;

const BEHIND_VALUE = /(?<![\s"'`])[\s"'`]+$/;

/**
 * Removes flaws, such as surrounding quotes or whitespace, from a pasted key, ID, or URL. Also
 * lists all flaws that were found. A placeholder becomes an empty value.
 */
export function cleanValue(text: string): CleanValue {
  const bare = strippedValue(text);
  const isShort = bare.value.length <= MAX_VALUE_LENGTH;
  const isPlaceholder = isShort && PLACEHOLDERS.some((one) => one.test(bare.value));
  return isPlaceholder ? { value: '', flaws: [...bare.flaws, 'placeholder'] } : bare;
}

/** Like `cleanValue`, but keeps placeholders. */
export function strippedValue(text: string): CleanValue {
  const trimmed = text.trim();
  const flaws = new Set<ValueFlaw>(trimmed === text ? [] : ['whitespace']);
  if (trimmed.length > MAX_VALUE_LENGTH) return { value: trimmed, flaws: [...flaws] };
  const visible = trimmed.replace(CONTROL, '');
  if (visible !== trimmed) flaws.add('control');
  const withoutSuffix = visible.replace(BEHIND_VALUE, '');
  const value = withoutSuffix.replace(BEFORE_VALUE, '');
  const before = withoutSuffix.slice(0, withoutSuffix.length - value.length);
  if (/["'`]/.test(before + visible.slice(withoutSuffix.length))) flaws.add('quotes');
  if (/bearer/i.test(before)) flaws.add('bearer');
  if (NON_ASCII.test(value)) flaws.add('non-ascii');
  return { value, flaws: [...flaws] };
}
