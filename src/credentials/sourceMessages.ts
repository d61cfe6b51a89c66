import type { Issue } from '../dotenv/envFile.ts';
import { firstOf, flawPhrase, shownName } from './flawPhrases.ts';
import type { ExternalSource, SourceId, SourceSnapshot, UnreadReason } from './sourceSelection.ts';

/** Every phrase about where the three settings come from. Names and lines, never a value. Pure. */

const UNREAD: Readonly<Record<UnreadReason, string>> = {
  'no-folder': 'no folder to look in',
  untrusted: 'not read, since the folder is not trusted',
  virtual: 'not read in a virtual workspace',
  'no-file': 'not there',
  'symbolic-link': 'a link, which is not followed',
  'not-a-file': 'not a file',
  'too-large': 'larger than 64 KB, so not read',
  'not-text': 'not UTF-8 text',
  unreadable: 'cannot be read',
};

export function sourceName(id: SourceId, { folder }: Pick<SourceSnapshot, 'folder'>): string {
  if (id === 'editor') return 'secret storage and user settings';
  if (id === 'environment') return 'the environment';
  return folder.name ? `the .env file of ${folder.name}` : 'a .env file';
}

/** A name at the start of a sentence. */
export function capitalized(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}

/** Why a source outside the editor is not used: `line 2: VENDOR_API_KEY has quotes …`. */
export function sourceProblem({ text, answer }: ExternalSource): string | undefined {
  if (text.kind === 'unread') return UNREAD[text.why];
  const { values, missing, named, issues } = text.reading;
  if (named.length === 0 && issues.length === 0) return 'names none of them';
  const errors = issues.filter(({ isError, kind }) => isError || kind === 'similar-name');
  const faults = firstOf(values ? [] : errors.map(faultText));
  const faulty = new Set(errors.map(({ name }) => name));
  const lacking = missing.filter((name) => !faulty.has(name));
  if (lacking.length > 0) faults.push(`lacks ${lacking.join(' and ')}`);
  if (faults.length > 0) return faults.join('; ');
  return answer === 'refused' ? 'not used, as you decided' : undefined;
}

/** Where the settings were looked for, and why they were not taken from there. */
export function lookedText(found: SourceSnapshot): string {
  const places = found.outside.map((source) => {
    const problem = sourceProblem(source) ?? 'not approved';
    return `${sourceName(source.id, found)} (${problem})`;
  });
  return `Looked in secret storage and user settings, ${places.join(' and ')}.`;
}

/** `line 2: VENDOR_URL cannot be used as an address`. */
function faultText({ place, name, kind }: Issue): string {
  const phrase = `${shownName(name)} ${flawPhrase(kind)}`;
  return place ? `line ${place.line + 1}: ${phrase}` : phrase;
}
