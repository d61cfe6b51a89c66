import type { Settings } from '../config/settings.ts';
import { WHY_NOT_USED } from '../connection/sourceMessages.ts';
import type { Lookup } from '../connection/sourceSelection.ts';
import { services } from '../service/builtInServices.ts';
import type { SourceId } from '../service/credentials.ts';
import { isKnownCode } from '../service/errors.ts';
import type { ConcurrencyState } from '../service/http/concurrencyLimit.ts';
import { parseServiceUrl } from '../service/serviceUrl.ts';
import { requestsWords } from '../status/requestsText.ts';
import type { PastFailure, PastGeneration, SessionHistory } from '../status/sessionHistory.ts';
import { amount, renderStatus, type StatusFacts } from '../status/statusView.ts';
import { conclusionOf, fixLabel, type ShownCheck, STATE_WORDS } from './checkMessages.ts';

/** Builds the report that users copy and may share with strangers. Pure. */

export interface Report {
  readonly text: string;
  /**
   * The parts of `text` that come from outside the extension, such as error codes. `copyReport`
   * searches only these parts for short secrets, which could match the extension's own text by
   * chance.
   */
  readonly externalText: string;
}

export interface ReportFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Versions of the extension, the editor, and Node, one per line. */
  readonly versions: readonly string[];
  /** The checks as shown in the list, but without the names of the folder and the program. */
  readonly checks: readonly ShownCheck[];
  readonly settings: Settings;
  /** IDs of all insert modes. Any other insert mode in the settings is reported as `unknown`. */
  readonly insertModes: readonly string[];
  /** The result of looking up the credentials; undefined if the lookup timed out. */
  readonly looked: Lookup | undefined;
  readonly status: StatusFacts;
  /**
   * The states of the concurrency limits, one for each service origin. Empty until a connection is
   * ready.
   */
  readonly loads: readonly Load[];
  readonly history: Pick<SessionHistory, 'failures' | 'generations' | 'tokenWaits'>;
}

/** The state of a concurrency limit. */
export interface Load {
  /** True if the limit applies to the connection that the report describes. */
  readonly isInUse: boolean;
  readonly state: ConcurrencyState;
}

/**
 * Builds the report: the checks with their results, then sections about the settings, credentials,
 * state, and recent events. The sections contain no user input, and name only built-in hosts.
 */
export function buildReport(facts: ReportFacts): Report {
  const { now, versions, checks, status, loads, history } = facts;
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Settings', Object.values(SETTING_LINES).map((line) => line(facts))],
    ['Credentials', credentialLines(facts)],
    [
      'State',
      [
        `Status: ${renderStatus(status, now).words}`,
        `Token: ${tokenWords(status, now)}`,
        ...loads.flatMap(loadLines),
      ],
    ],
    ['Recent failures', newestFirst(history.failures, now, failureWords)],
    ['Recent generations', newestFirst(history.generations, now, generationWords)],
    ['Recent waits for a token', newestFirst(history.tokenWaits, now, ({ ms }) => `${ms} ms`)],
  ];
  const blocks = sections.map(([title, lines]) =>
    [`## ${title}`, '', ...(lines.length > 0 ? lines : ['none']).map((line) => `- ${line}`)].join(
      '\n',
    ),
  );
  const head = [...versions, new Date(now).toISOString()].join('\n');
  const lines = checks.map(checkLine).join('\n');
  const wordsOfChecks = checks.flatMap(({ externalText = [] }) => externalText);
  return {
    text: [head, lines, conclusionLine(checks), ...blocks, ''].join('\n\n'),
    externalText: [...wordsOfChecks, ...history.failures.flatMap(codeOf)].join('\n'),
  };
}

function checkLine({ title, state, text, facts }: ShownCheck): string {
  const found = [text, facts && `[${facts}]`].filter(Boolean).join(' ');
  return `${title}: ${STATE_WORDS[state]}${found && `. ${found}`}`;
}

function conclusionLine(checks: readonly ShownCheck[]): string {
  const { text, fix } = conclusionOf(checks);
  return fix ? `${text} Fix: ${fixLabel(fix)}` : text;
}

/**
 * Fields of `Settings` without a line in the *Settings* section. Either they don't affect
 * generations, or another line covers them.
 */
type FieldWithoutLine = Extract<
  keyof Settings,
  | 'isServiceSet'
  | 'services'
  | 'serviceProblem'
  | 'resource'
  | 'isProjectOverridden'
  | 'credentialSource'
  | 'isModelSet'
  | 'invalidModelId'
  | 'overridingModelId'
  | 'offersTool'
  | 'dailyTokenBudget'
>;

/**
 * The lines of the *Settings* section. A setting needs a line if it changes or stops generations,
 * or requires the user to confirm them. It also needs one if it affects what responses contain or
 * where they go. A line may contain numbers and known values, but never text that the user typed.
 */
const SETTING_LINES: Readonly<
  Record<Exclude<keyof Settings, FieldWithoutLine>, (facts: ReportFacts) => string>
> = {
  service: ({ settings: { service } }) =>
    `Service: ${service.definition === undefined ? service.word : 'user-defined'} (${service.authentication.kind}, ${service.api.kind})`,
  authUrl: ({ settings }) => `Identity service: ${addressWords(settings.authUrl)}`,
  url: ({ settings }) => `Service URL: ${addressWords(settings.url)}`,
  projectId: ({ settings: { projectId, isProjectOverridden } }) =>
    `Project: ${setOrNot(projectId)}${isProjectOverridden ? ', in the workspace or remote settings' : ''}`,
  modelId: ({ settings }) => `Model: ${modelWords(settings)}`,
  operation: ({ settings }) => `Operation: ${settings.operation}`,
  parameters: ({ settings }) => `Parameters: ${Object.keys(settings.parameters).length} set`,
  insertMode: ({ settings: { insertMode }, insertModes }) =>
    `Insert mode: ${insertModes.includes(insertMode) ? insertMode : 'unknown'}`,
  limits: ({ settings: { limits } }) =>
    `Concurrent requests: at most ${limits.limit}, minimum interval ${limits.minIntervalMs} ms`,
  templates: ({ settings }) =>
    `Templates in the settings: ${Object.values(settings.templates).flat().length}`,
};

const SOURCES: Readonly<Record<SourceId, string>> = {
  editor: 'secret storage and user settings',
  envFile: 'the .env file',
  environment: 'the environment',
};

function credentialLines({ looked }: ReportFacts): string[] {
  if (!looked) return ['Not read, because secret storage or the folder didn’t respond'];
  const { found, choice } = looked;
  const inUse =
    choice.kind === 'ready'
      ? SOURCES[choice.connection.source]
      : `none (${WHY_NOT_USED[choice.kind]})`;
  const others = found.external.map(({ id, text, decision }) => {
    const state =
      text.kind === 'unread'
        ? `not read (${text.why})`
        : `${amount(text.reading.named.length, 'setting')}, ${amount(text.reading.issues.length, 'issue')}`;
    return `In ${SOURCES[id]}: ${state}, ${decision ?? 'no decision'}`;
  });
  return [
    `In use: ${inUse}`,
    `Source in the settings: ${found.settings.credentialSource}`,
    `Stored key: ${found.record ? 'yes' : 'no'}`,
    ...others,
  ];
}

function tokenWords({ token }: StatusFacts, now: number): string {
  if (token.kind !== 'valid') return token.kind;
  const { expiresAt, refreshesAt, clockAheadMs, refreshError } = token;
  if (!Number.isFinite(expiresAt)) return 'none needed';
  return [
    expiresAt > now ? `valid, ${seconds(expiresAt - now)} left` : 'expired',
    refreshesAt > now ? `refresh in ${seconds(refreshesAt - now)}` : 'refresh due',
    clockAheadMs &&
      `clock ${seconds(Math.abs(clockAheadMs))} ${clockAheadMs > 0 ? 'ahead' : 'behind'}`,
    refreshError && `refresh failed: ${refreshError.kind}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function loadLines({ isInUse, state }: Load): string[] {
  const words = requestsWords(state);
  if (!isInUse && words.length === 0) return [];
  const whose = isInUse ? 'Requests' : 'Requests to another service';
  return [`${whose}: ${[...words, `limit ${state.limit}`].join(', ')}`];
}

function failureWords(failure: PastFailure): string {
  const { error } = failure;
  const { status, host, attempts } = error?.details ?? {};
  const facts = [
    error?.kind ?? 'unknown',
    status && `status ${status}`,
    ...codeOf(failure),
    attempts && amount(attempts, 'attempt'),
    host && hostWords(host),
  ];
  return facts.filter(Boolean).join(', ');
}

/**
 * Returns the error code of a failure, if any. A code in a response can be any text, so only known
 * codes are reported. Without a response, the code comes from Node and is always reported.
 */
function codeOf({ error }: PastFailure): string[] {
  const { status, code } = error?.details ?? {};
  if (!code) return [];
  return [status === undefined || isKnownCode(code) ? code : 'unrecognized code'];
}

function generationWords({ firstTextMs, wholeMs, end }: PastGeneration): string {
  const first = firstTextMs === undefined ? 'no text' : `first text after ${firstTextMs} ms`;
  return `${first}, ${end === 'cancelled' ? 'canceled' : end} after ${wholeMs} ms`;
}

function newestFirst<Entry extends { readonly at: number }>(
  entries: readonly Entry[],
  now: number,
  words: (entry: Entry) => string,
): string[] {
  return entries.map((one) => `${seconds(now - one.at)} ago: ${words(one)}`).reverse();
}

function addressWords(text: string): string {
  if (text === '') return 'not set';
  const address = parseServiceUrl(text);
  return address.ok ? hostWords(address.host) : 'invalid address';
}

/**
 * Names a model only if it's a built-in default. All other names come from the user, including the
 * default models of user-defined services.
 */
function modelWords({ service, modelId }: Settings): string {
  if (modelId !== service.defaultModelId) return 'not the default';
  return service.definition === undefined
    ? `the default, ${modelId}`
    : 'the default in the service’s entry';
}

/** Names a host only if it's built in. Any other host may reveal the organization that runs it. */
function hostWords(host: string): string {
  const known = services.flatMap(({ authUrl, regions, privatePrefix }) => {
    const urls = [authUrl, ...regions.map(({ url }) => url)];
    const hosts = urls.flatMap((url) => URL.parse(url)?.host ?? []);
    return [...hosts, ...hosts.map((one) => privatePrefix + one)];
  });
  return known.includes(host) ? host : 'not a built-in host';
}

function setOrNot(value: string): string {
  return value === '' ? 'not set' : 'set';
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
