import { parseServiceUrl } from './credentials.ts';
import { DIALECTS, NOTHING_BESIDES, type Vendor, vendors, WAYS } from './services.ts';

/**
 * Services that the user describes in the settings. By hand, since this is read with the window, and
 * what checks the answers of a service loads with the first of them. Pure.
 */

/** The field of an entry that keeps it from being used. */
export interface VendorIssue {
  readonly word: string;
  readonly field:
    | 'word'
    | 'name'
    | 'way'
    | 'tokenUrl'
    | 'grantType'
    | 'dialect'
    | 'prefix'
    | 'defaultModel'
    | 'keyPage';
}

/** Stands in names for whichever service is in use. */
const NEUTRAL = 'vendor';
/** Of which each is looked for in each `.env` file. */
const MOST_VENDORS = 50;

/** The entries that can be used, and the first thing that is wrong with each of the others. */
export function readVendors(entries: readonly unknown[]) {
  const own: Vendor[] = [];
  const issues: VendorIssue[] = [];
  // Words that begin names of other services, those of their aliases among them.
  const taken = new Set([NEUTRAL, ...vendors.flatMap((one) => [one.word, ...wordsOfAliases(one)])]);
  for (const entry of entries.slice(0, MOST_VENDORS)) {
    const read = readVendor(entry, taken);
    if ('field' in read) {
      issues.push(read);
    } else {
      own.push(read);
      taken.add(read.word);
    }
  }
  return { own, issues };
}

function readVendor(entry: unknown, taken: ReadonlySet<string>): Vendor | VendorIssue {
  const text = textsOf(entry);
  const ofWay = textsOf(Object(entry).way);
  const word = text('word').toLowerCase();
  const wrong = (field: VendorIssue['field']) => ({ word, field });
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(word) || taken.has(word)) return wrong('word');
  const name = text('name') || word;
  if (!/^[\p{L}\p{N} .,()&'_-]{1,64}$/u.test(name)) return wrong('name');
  const kind = ofWay('kind');
  if (!isKeyOf(WAYS, kind)) return wrong('way');
  const { hasAddress, required, read } = WAYS[kind];
  // The text, since the parser repairs what leads elsewhere.
  const isStrict = parseServiceUrl(ofWay('tokenUrl')).ok;
  const address = URL.parse(ofWay('tokenUrl'));
  const isPlain = isStrict && address && !address.search && !address.hash;
  if (hasAddress && !isPlain) return wrong('tokenUrl');
  if (required && !ofWay(required)) return wrong(required);
  const dialect = text('dialect');
  if (!isKeyOf(DIALECTS, dialect)) return wrong('dialect');
  if (!/^(\/(?!\.{1,2}(\/|$))[\w.-]+)*$/.test(text('prefix'))) return wrong('prefix');
  const defaultModelId = text('defaultModel');
  if (!defaultModelId) return wrong('defaultModel');
  const keyPage = text('keyPage');
  if (keyPage && !/^https:\/\/[\w./-]+$/.test(keyPage)) return wrong('keyPage');
  return {
    ...NOTHING_BESIDES,
    ...{ word, name, keyPage, defaultModelId, way: read(address?.pathname ?? '', ofWay) },
    authUrl: hasAddress ? (address?.origin ?? '') : '',
    dialect: { kind: dialect, prefix: text('prefix') },
    definition: JSON.stringify(entry),
  };
}

function wordsOfAliases({ aliases }: Vendor): string[] {
  const names = Object.values(aliases).flat();
  return names.map((name) => name.split('_', 1)[0]?.toLowerCase() ?? '');
}

function isKeyOf<Table extends object>(table: Table, key: string): key is keyof Table & string {
  return Object.hasOwn(table, key);
}

/** The fields of a value that may be anything; one that is no text counts as empty. */
function textsOf(value: unknown): (field: string) => string {
  const fields: Readonly<Record<string, unknown>> = Object(value);
  return (field) => {
    const text = fields[field];
    return typeof text === 'string' ? text.trim() : '';
  };
}
