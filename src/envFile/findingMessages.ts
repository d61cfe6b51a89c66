import type { Finding, Flaw } from '../service/settingSource.ts';
import type { Region } from '../service/vendors.ts';
import { settingLabel, urlProblem } from '../ui/settingMessages.ts';

/**
 * Every sentence about a `.env` file: what is wrong, why it matters, what to do. Names of settings
 * only, never a value. Pure.
 */

/** What is wrong with the file, whatever its lines say. */
export type FileFlaw = 'byte-order-mark' | 'not-ignored';

type Sentence = (finding: Finding) => string;

const FINDINGS: Readonly<Record<Exclude<Flaw['kind'], 'similar-name' | 'bad-url'>, Sentence>> = {
  blanks: ({ name }) =>
    `${name} has blanks around its value or its equals sign. Programs that keep them are refused (401). Take them off.`,
  quotes: ({ name }) =>
    `The value of ${name} has quotes. Programs that keep them are refused (401). Take them off.`,
  bearer: ({ name, setting }) =>
    `The value of ${name} begins with the word Bearer, which is not part of the ${settingLabel(setting)}; the service would refuse it (401). Take it off.`,
  control: ({ name }) =>
    `The value of ${name} holds characters that cannot be seen; the service would refuse it (401). Take them out.`,
  placeholder: ({ name, setting }) =>
    `${name} holds the placeholder of an example, so nothing can be sent. Put the ${settingLabel(setting)} in its place, or set up Hosted Model.`,
  'non-ascii': ({ name, setting }) =>
    `The value of ${name} has letters that no ${settingLabel(setting)} has, such as accented ones or typographic quotes; it would be refused (401). Copy it again.`,
  malformed: ({ name, setting }) =>
    `The value of ${name} has blanks or characters that no ${settingLabel(setting)} has; it would be refused. Copy it again.`,
  comment: ({ name }) =>
    `A comment stands behind the value of ${name}. Programs that take it for a part of the value are refused (401). Remove it or give it a line of its own.`,
  empty: ({ name, setting }) =>
    `${name} has no value, so nothing can be sent. Put the ${settingLabel(setting)} behind it, or set up Hosted Model.`,
  duplicate: ({ name, setting }) =>
    `${name} sets the ${settingLabel(setting)} again. Programs differ in which line they take, so the file is not used. Remove one of them.`,
  'endpoint-url': ({ name }) =>
    `${name} is the address of an endpoint. Paths are added to it, so requests would go nowhere (404). Cut off the path of the endpoint.`,
  'url-path': ({ name }) =>
    `${name} has a path. Requests go below it, which is right for a gateway and wrong for the service itself. Cut it off unless you need it.`,
  'unknown-region': ({ name }) =>
    `${name} leads to a host that is none of the known regions. Your key's token and your text would go there. Make sure that it is the right one.`,
};

const FILE: Readonly<Record<FileFlaw, string>> = {
  'byte-order-mark':
    'The file begins with a byte order mark. Many programs take it for a part of the first name and do not find that setting. Remove it.',
  'not-ignored':
    'Git does not ignore this file, so a commit can publish your API key. Add .env to .gitignore, or move the key to secret storage.',
};

const TITLES: Readonly<Partial<Record<Flaw['kind'], string>>> = {
  comment: 'Remove Comment',
  duplicate: 'Remove Line',
  'bad-url': 'Use https',
  'endpoint-url': 'Cut Off Path of Endpoint',
  'url-path': 'Cut Off Path',
};

export function findingText(finding: Finding): string {
  const { flaw, name, setting } = finding;
  if (flaw.kind === 'bad-url') {
    return `${name} cannot be used: ${urlProblem(flaw.problem)}. Nothing is sent to it. Put the ${settingLabel(setting)} in its place.`;
  }
  if (flaw.kind === 'similar-name') {
    return `${printable(name)} is not read, but ${flaw.expected} is. So the ${settingLabel(setting)} is missing. Rename it if it is meant for Hosted Model.`;
  }
  return FINDINGS[flaw.kind](finding);
}

export function incompleteText(names: readonly string[]): string {
  const list = new Intl.ListFormat('en-GB').format(names);
  const verb = names.length === 1 ? 'is' : 'are';
  return `${list} ${verb} missing. Hosted Model uses the file only if all three settings are in it. Add ${names.length === 1 ? 'it' : 'them'}, or set up Hosted Model instead.`;
}

export function fileText(flaw: FileFlaw): string {
  return FILE[flaw];
}

/** The title of an edit that mends a finding. */
export function mendingTitle({ flaw }: Finding, region: Region | undefined): string {
  if (region) return `Use the Region ${region.place}`;
  if (flaw.kind === 'similar-name') return `Rename to ${flaw.expected}`;
  return TITLES[flaw.kind] ?? 'Clean Up Value';
}

export const FIX_TITLES = {
  setUp: 'Set Up Credentials',
  addLines: 'Add Missing Lines',
  addToGitignore: 'Add .env to .gitignore',
  removeByteOrderMark: 'Remove Byte Order Mark',
  moveKey: 'Move API Key to Secret Storage',
} as const;

export const NOTICES = {
  noFile: 'Hosted Model: open the .env file of a trusted workspace folder first.',
  noKey:
    'Hosted Model: this .env file has no API key that could be moved. Its problems are underlined.',
  keyMoved:
    'Hosted Model: the API key is in secret storage and no longer in .env. If the file was ever shared, create a new key.',
  keyMovedUnsaved:
    'Hosted Model: the API key is in secret storage. Its line is taken out of .env, which has other unsaved changes: save it.',
  keyLineGone:
    'Hosted Model: the API key is in secret storage. Its line in .env was changed meanwhile, so the file was left alone.',
  keyLineStays:
    'Hosted Model: the API key is in secret storage, but .env could not be changed. Remove the line yourself.',
  saveFirst: 'Hosted Model: save the .env file first.',
} as const;

/** A name may be written with characters that cannot be seen. */
function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?');
}
