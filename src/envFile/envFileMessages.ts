import { ISSUE_PHRASES, URL_PROBLEMS } from '../connection/connectionMessages.ts';
import type { GitRisk } from '../connection/gitRisk.ts';
import type { EnvFix } from '../dotenv/envFix.ts';
import type { Issue, IssueKind } from '../dotenv/settingValue.ts';
import { listOf, settingLabel } from '../messages/settingLabels.ts';
import { resourceOf, type Service } from '../service/services.ts';

/**
 * The messages about `.env` files: the problem, why it matters, and what to do. They contain names
 * of settings, never a value. Pure.
 */

/** The second part of a message: why the problem matters, and what to do. */
const ADVICE: Readonly<Record<Exclude<IssueKind, 'bad-url'>, (label: string) => string>> = {
  whitespace: () =>
    'Programs that keep them, also those at the equals sign, are refused (401). Take them off.',
  quotes: () => 'Programs that keep them are refused (401). Take them off.',
  bearer: (label) =>
    `It is no part of the ${label}, and the service would refuse it (401). Take it off.`,
  control: () => 'The service would refuse them (401). Take them out.',
  placeholder: (label) =>
    `It is that of an example, so nothing can be sent. Put the ${label} in its place, or set up Hosted Model.`,
  'non-ascii': (label) =>
    `No ${label} has any, such as accented ones or typographic quotes, so it would be refused (401). Copy it again.`,
  malformed: (label) =>
    `No ${label} has this length or these characters, so it would be refused. Copy it again.`,
  comment: () =>
    'Programs that take it for a part of the value are refused (401). Remove it or give it a line of its own.',
  empty: (label) => `So nothing can be sent. Put the ${label} behind it, or set up Hosted Model.`,
  duplicate: () =>
    'Programs differ in which line they take, so the file is not used. Remove one of the lines.',
  'endpoint-url': () =>
    'Paths are added to it, so requests would go nowhere (404). Cut off the path of the endpoint.',
  'url-path': () =>
    'Requests go below it, which is right for a gateway and wrong for the service itself. Cut it off unless you need it.',
  'unknown-region': () =>
    "Your key's token and your text would go there. Make sure that it is the right host.",
};

export const RISK_TEXTS: Readonly<Record<GitRisk, string>> = {
  'not-ignored':
    'No .gitignore of this repository ignores this file, so a commit can publish your key. Add .env to .gitignore, or import the key in Show Status and Actions and delete its line.',
  tracked:
    'Git tracks this file, so commits publish your key, whatever .gitignore says. Run git rm --cached on it, and create a new key if it was pushed.',
};

const TITLES: Readonly<Partial<Record<IssueKind, string>>> = {
  comment: 'Remove Comment',
  'bad-url': 'Use https',
  'endpoint-url': 'Cut Off Path of Endpoint',
  'url-path': 'Cut Off Path',
};

export function issueText(issue: Issue, service: Service): string {
  const { kind, name, setting } = issue;
  const label = settingLabel(setting, { service, resource: resourceOf(name) });
  const what = `${name} ${ISSUE_PHRASES[kind]}`;
  if (issue.kind === 'bad-url') {
    return `${what}: ${URL_PROBLEMS[issue.problem]}. Nothing is sent to it. Put the ${label} in its place.`;
  }
  return `${what}. ${ADVICE[issue.kind](label)}`;
}

export function incompleteText(names: readonly string[]): string {
  const list = listOf(names);
  const verb = names.length === 1 ? 'is' : 'are';
  return `${list} ${verb} missing. Hosted Model uses the file only if nothing is missing in it. Add ${names.length === 1 ? 'it' : 'them'}, or set up Hosted Model instead.`;
}

/** The title of a quick fix that edits the file. */
export function fixTitle(issue: Issue, fix: EnvFix): string {
  if (fix.kind === 'remove-line') {
    return fix.line === issue.place?.line
      ? 'Remove This Line'
      : `Remove the Other Line (Line ${fix.line + 1})`;
  }
  if (fix.region) return `Use the Region ${fix.region.place}`;
  return TITLES[issue.kind] ?? 'Clean Up Value';
}

export const ADD_LINES = 'Add Missing Lines';
export const ADD_TO_GITIGNORE = 'Add .env to .gitignore';

/** The titles of quick fixes that run a command, by command name. */
export const COMMAND_TITLES = {
  setUp: 'Set Up...',
} as const;
