import { ISSUE_PHRASES, URL_PROBLEMS } from '../connection/connectionMessages.ts';
import type { GitRisk } from '../connection/gitRisk.ts';
import type { EnvFix } from '../dotenv/envFix.ts';
import type { Issue, IssueKind } from '../dotenv/settingValue.ts';
import { listOf, settingLabel } from '../messages/settingLabels.ts';
import { resourceOf } from '../service/envNames.ts';
import type { Service } from '../service/service.ts';

/**
 * Messages about problems in `.env` files, and the titles of quick fixes. Each message explains
 * what the problem is, why it matters, and what to do. Neither the messages nor the titles contain
 * values from the file. Pure.
 */

/** The second part of a message: why the problem matters and what to do. */
const ADVICE: Readonly<Record<Exclude<IssueKind, 'bad-url'>, (label: string) => string>> = {
  whitespace: () =>
    'Programs that don’t trim the spaces get errors, such as a 401. Remove the spaces, including any around the equals sign.',
  quotes: () => 'Programs that keep the quotes get errors, such as a 401. Remove the quotes.',
  bearer: (label) =>
    `The word isn’t part of the ${label}. Requests that include it fail, for example with a 401. Remove the word.`,
  control: () =>
    'Programs that don’t remove these characters get errors, such as a 401. Remove them.',
  placeholder: (label) =>
    `The file is used only if it’s complete. Enter the ${label} here, or set up Hosted Model.`,
  'non-ascii': (label) =>
    `The service would reject characters such as accented letters or curly quotes. Copy the ${label} again.`,
  malformed: (label) =>
    `The ${label} is too long or contains invalid characters, so the service would reject it. Copy it again.`,
  comment: () =>
    'Programs that read the comment as part of the value get errors, such as a 401. Put the comment on its own line.',
  empty: (label) =>
    `The file is used only if it’s complete. Add the ${label}, or set up Hosted Model.`,
  duplicate: () =>
    'Some programs use the first line and others the last, so Hosted Model doesn’t use the file. Remove one of the lines.',
  'endpoint-url': () =>
    'Programs that append a path get errors, such as a 404. Remove the endpoint path.',
  'url-path': () => 'Some services and gateways need a path. If yours doesn’t, remove the path.',
  'unknown-region': () =>
    'Your text and your token or key would go to this host. Check that it’s the right host.',
  'similar-name': () =>
    'The file is used only if it’s complete. If this line is meant for Hosted Model, rename it.',
};

export const RISK_TEXTS: Readonly<Record<GitRisk, string>> = {
  'not-ignored':
    'Git doesn’t ignore this file, so a commit could publish your key. Add .env to .gitignore, or import the key in “Show Status and Actions” and delete its line.',
  tracked:
    'Git tracks this file, so commits include your key, even if .gitignore lists the file. Run “git rm --cached .env”. If the key was pushed, create a new one.',
};

const TITLES: Readonly<Partial<Record<IssueKind, string>>> = {
  comment: 'Move Comment to Its Own Line',
  'bad-url': 'Use HTTPS',
  'endpoint-url': 'Remove Endpoint Path',
  'url-path': 'Remove Path',
};

export function issueText(issue: Issue, service: Service): string {
  const { kind, name, setting } = issue;
  const label = settingLabel(setting, { service, resource: resourceOf(name) });
  const what = `${name} ${ISSUE_PHRASES[kind]}`;
  if (issue.kind === 'bad-url') {
    return `${what}: ${URL_PROBLEMS[issue.problem]}. Correct the ${label}.`;
  }
  return `${what}. ${ADVICE[issue.kind](label)}`;
}

export function incompleteText(names: readonly string[]): string {
  const [verb, lines] = names.length === 1 ? ['is', 'line'] : ['are', 'lines'];
  return `${listOf(names)} ${verb} missing, so the file isn’t used. Add the missing ${lines}, correct any misspelled names, or set up Hosted Model instead.`;
}

/** Returns the title of a quick fix that edits the file. */
export function fixTitle(issue: Issue, fix: EnvFix): string {
  if (fix.kind === 'remove-line') {
    return fix.line === issue.place?.line ? 'Remove This Line' : `Remove Line ${fix.line + 1}`;
  }
  if (fix.region) return `Use ${fix.region.place} Region`;
  if (issue.kind === 'similar-name') return `Rename to ${issue.name}`;
  return TITLES[issue.kind] ?? 'Clean Up Value';
}

export const ADD_LINES = 'Add Missing Lines';
export const FIX_ALL = 'Fix All Problems';
export const ADD_TO_GITIGNORE = 'Add .env to .gitignore';

/** The titles of quick fixes that run a command, keyed by command name. */
export const COMMAND_TITLES = {
  setUp: 'Set Up...',
} as const;
