import type { Destination } from '../connection/approvedDestination.ts';
import {
  addressText,
  BAD_SOURCE,
  issuesText,
  projectPlace,
  projectText,
  serviceText,
  unusableText,
} from '../connection/connectionMessages.ts';
import { contextOf } from '../connection/messageContext.ts';
import { problemOfStoredKey } from '../connection/setUp/answerChecks.ts';
import {
  checkedSourcesText,
  declinedSources,
  HOW_TO_BE_ASKED,
  sourceFaultText,
  sourceName,
  sourceProblem,
} from '../connection/sourceMessages.ts';
import {
  type Choice,
  editorSourceProject,
  externalSource,
  faultySource,
  hasOnlyErrors,
} from '../connection/sourceSelection.ts';
import type { SourceSnapshot } from '../connection/sourceTypes.ts';
import { reasonText } from '../connection/sourceView.ts';
import type { Fix } from '../messages/actions.ts';
import type { MessageContext } from '../messages/failureContext.ts';
import {
  allSettings,
  capitalized,
  listOf,
  missingText,
  needsSetting,
  resourceName,
  settingLabel,
} from '../messages/settingLabels.ts';
import type { Connection } from '../service/connection.ts';
import type { SourceId } from '../service/credentials.ts';
import { cleanValue } from '../service/pastedValue.ts';
import { withoutCommand } from '../service/service.ts';
import { type ShownCheck, TITLES } from './checkMessages.ts';

/**
 * The *Diagnose Connection* checks that send nothing. Their messages contain names, hosts, and
 * program paths, but never credentials. Pure.
 */

/** Shown as the first check while secret storage and the folder are being read. */
export const READING: ShownCheck = { title: TITLES.settings, state: 'running', text: '' };

/** The result of the first check if reading secret storage or the folder takes too long. */
export const UNANSWERED = failed(
  'settings',
  'Couldn’t read VS Code’s secret storage or your workspace folder within 10 seconds. Nothing was sent. If your keyring asks for a password, enter it.',
  'retry',
);

const WELL_FORMED = 'All values are well-formed.';

/** The results of the checks that send nothing, and the values that the network checks need. */
interface Diagnosed {
  /** The results as shown in the list. */
  readonly preliminary: readonly ShownCheck[];
  /**
   * The results for the report, which users may share publicly. They don't name the folder or the
   * program.
   */
  readonly anonymous: readonly ShownCheck[];
  /** Undefined if the credentials are missing, malformed, or not approved. */
  readonly connection: Connection | undefined;
  readonly context: MessageContext;
  /** Like `context`, but without the token command, whose arguments the report must not contain. */
  readonly anonymousContext: MessageContext;
}

/** Checks the credentials that a generation would use now, without sending anything. */
export function prepareDiagnosis(found: SourceSnapshot, choice: Choice): Diagnosed {
  const preliminary = preliminaryChecks(found, choice);
  const nameless = { ...found, folder: { ...found.folder, name: '' } };
  const connection = choice.kind === 'ready' ? choice.connection : undefined;
  const mayBeUsed = preliminary.every(({ state }) => state !== 'failed');
  const context = contextOf(connection);
  const { service } = context;
  return {
    preliminary,
    anonymous: preliminaryChecks(nameless, choice, 'a program'),
    connection: mayBeUsed ? connection : undefined,
    context,
    anonymousContext: { ...context, ...(service && { service: withoutCommand(service) }) },
  };
}

/**
 * Runs the checks that send nothing: the source of the settings, their syntax, and their hosts.
 * @param programName the name to show instead of the path to the program that prints the token
 */
export function preliminaryChecks(
  found: SourceSnapshot,
  choice: Choice,
  programName?: string,
): readonly ShownCheck[] {
  const source = sourceOf(found, choice);
  if (!source) return [settingsIssue(found, choice), notRun('syntax'), notRun('hosts')];
  const settings = passed('settings', originText(source, found, choice));
  const syntax = source === 'editor' ? editorSyntax(found, choice) : externalSyntax(source, found);
  const hosts =
    syntax.state === 'failed' ? notRun('hosts') : hostsCheck(found, choice, programName);
  return [settings, syntax, hosts];
}

/**
 * Returns the source in use, or the source that would be used after an approval or a fix. Undefined
 * if there is no such source.
 */
function sourceOf(found: SourceSnapshot, choice: Choice): SourceId | undefined {
  if (choice.kind === 'ready') return choice.connection.source;
  if (choice.kind === 'ask-source') return choice.source.id;
  // If the source or service in the settings can't be used, no other source is tried.
  if (['source-unusable', 'bad-service', 'bad-source'].includes(choice.kind)) return undefined;
  if (choice.kind !== 'missing') return 'editor';
  // If a source would be usable without its errors, report those errors, not the values that the
  // editor lacks.
  const faulty = faultySource(found);
  return faulty && hasOnlyErrors(faulty) ? faulty.id : undefined;
}

/** Names the source of the checked values, and explains why that source is used. */
function originText(source: SourceId, found: SourceSnapshot, choice: Choice): string {
  const { settings } = found;
  // The identity address may have been checked for a source other than the editor, so don't name a
  // source.
  const isIdentity = choice.kind === 'bad-address' && choice.setting === 'authUrl';
  if (isIdentity) return `The ${allSettings(settings)} are set.`;
  const { projectId, resource } = editorSourceProject(settings);
  const isOfFolder = source === 'editor' && projectId !== '' && settings.isProjectOverridden;
  const project = `The ${resourceName({ resource })} comes from the ${projectPlace(settings)}.`;
  // Don't use `connection.reason`, which contains the folder name even if `found` doesn't.
  const reason = reasonText(source, found);
  return isOfFolder ? `${reason} ${project}` : reason;
}

/** Returns a failed settings check that explains why no source is usable. */
function settingsIssue(found: SourceSnapshot, choice: Choice): ShownCheck {
  if (choice.kind === 'source-unusable') {
    const { id, text } = choice.source;
    const problem = sourceProblem(choice.source) ?? 'incomplete';
    const what = `hostedModel.credentialSource selects ${sourceName(id, found)}, which can’t be used (${problem}).`;
    const isOpenable = id === 'envFile' && text.kind === 'read';
    return failed(
      'settings',
      `${what} Nothing was sent.`,
      isOpenable ? 'openEnvFile' : 'useOtherSources',
    );
  }
  const partial = choice.kind === 'missing' ? faultySource(found) : undefined;
  if (partial) return failed('settings', sourceFaultText(partial, found), fixOf(partial.id));
  if (choice.kind === 'bad-service') {
    return failed('settings', serviceText(choice.problem), 'openSettings');
  }
  if (choice.kind === 'bad-source') return failed('settings', BAD_SOURCE, 'openSettings');
  const names = choice.kind === 'missing' ? choice.names : [];
  const texts = [
    missingText(names, found.settings),
    checkedSourcesText(found),
    ...(declinedSources(found).length > 0 ? [HOW_TO_BE_ASKED] : []),
  ];
  return failed('settings', texts.join(' '), 'setUp');
}

function editorSyntax(found: SourceSnapshot, choice: Choice): ShownCheck {
  if (choice.kind === 'bad-address') {
    return failed('syntax', addressText(choice), 'openSettings');
  }
  const badKey = problemOfStoredKey(found);
  if (badKey) return failed('syntax', unusableText('apiKey', badKey, found.settings), 'setUp');
  if (choice.kind === 'bad-project') {
    return failed('syntax', projectText(found.settings), 'openSettings');
  }
  const { projectId } = editorSourceProject(found.settings);
  const issuesOf = (name: 'projectId' | 'url', value: string) =>
    issuesText(name, cleanValue(value).flaws, found.settings);
  const text = [issuesOf('projectId', projectId), issuesOf('url', found.settings.url)]
    .filter(Boolean)
    .join(' ');
  if (!text) return passed('syntax', WELL_FORMED);
  return { title: TITLES.syntax, state: 'warning', text, fix: 'openSettings' };
}

function externalSyntax(id: SourceId, found: SourceSnapshot): ShownCheck {
  const source = externalSource(found, id);
  if (!source || source.values) return passed('syntax', WELL_FORMED);
  return failed('syntax', sourceFaultText(source, found), fixOf(id));
}

function hostsCheck(found: SourceSnapshot, choice: Choice, programName?: string): ShownCheck {
  const unapproved = (what: string, { authHost, serviceHost }: Destination) => {
    // Without a separate identity service, both hosts are the same.
    const hosts = listOf([...new Set([authHost, serviceHost])]);
    return failed(
      'hosts',
      `${what} to ${hosts}, and can’t be used without your approval. Nothing was sent.`,
      'approve',
    );
  };
  switch (choice.kind) {
    case 'ready': {
      const { approved, program } = choice.connection;
      const [authHost, serviceHost] = [new URL(approved.auth).host, new URL(approved.service).host];
      const label = settingLabel('apiKey', choice.connection);
      const keyAndText =
        authHost === serviceHost ? `${label} and text` : `${label} to ${authHost}, text`;
      const sent = needsSetting('apiKey', choice.connection) ? keyAndText : 'text';
      const ran = program ? ` The token comes from ${programName ?? program}.` : '';
      return passed('hosts', `Approved: ${sent} to ${serviceHost}.${ran}`);
    }
    case 'unapproved': {
      const { program, isEntryChanged, wanted } = choice;
      if (!program || isEntryChanged) return unapproved('The settings point', wanted);
      const text = `The token command would run ${programName ?? program.wanted}. You haven’t approved this program, and it hasn’t run yet.`;
      return failed('hosts', text, 'approve');
    }
    case 'ask-source': {
      const { id, destination } = choice.source;
      return unapproved(`${capitalized(sourceName(id, found))} points`, destination);
    }
    default:
      return notRun('hosts');
  }
}

/**
 * Returns the fix for a problem with an external source. The extension can't change VS Code's
 * environment, so the fix for a problem there is to run setup.
 */
function fixOf(id: SourceId): Fix {
  return id === 'envFile' ? 'openEnvFile' : 'setUp';
}

function passed(check: keyof typeof TITLES, text: string): ShownCheck {
  return { title: TITLES[check], state: 'passed', text };
}

function failed(check: keyof typeof TITLES, text: string, fix: Fix): ShownCheck {
  return { title: TITLES[check], state: 'failed', text, fix };
}

function notRun(check: keyof typeof TITLES): ShownCheck {
  return { title: TITLES[check], state: 'not-run', text: '' };
}
