import {
  type ErrorDetails,
  type ErrorKind,
  isKind,
  type SecretKind,
  ServiceError,
} from '../service/errors.ts';
import type { Retry } from '../service/http/httpTypes.ts';
import { MAX_PAUSE_MS } from '../service/http/requestPace.ts';
import { MAX_RETRIES } from '../service/http/retryRules.ts';
import type { Message } from './actions.ts';
import {
  type FailureContext,
  failureContext,
  type MessageBuilder,
  type MessageContext,
} from './failureContext.ts';
import { NETWORK_MESSAGES } from './networkMessages.ts';
import { formatNumber, parenthesized, REJECTION_MESSAGES } from './rejectionMessages.ts';
import {
  capitalized,
  hasRegions,
  type LabelContext,
  listOf,
  needsSetting,
  settingLabel,
} from './settingLabels.ts';
import { commandFailed } from './tokenCommandFailure.ts';

/**
 * The messages for failures: what happened, the most likely cause, and what to do. They contain
 * only the extension's own text, numbers, and validated names, never text from a service. Pure.
 */

const SECRETS: Readonly<Record<SecretKind, string>> = {
  apiKey: 'your key',
  token: 'one of your tokens',
  privateKey: 'a private key',
};

/** Returns the message for any error; undefined if the user canceled. */
export function messageFor(error: unknown, context: MessageContext = {}): Message | undefined {
  if (!(error instanceof ServiceError)) {
    return {
      text: 'An unexpected error occurred. Check the log for details.',
      actions: [],
    };
  }
  if (error.kind === 'cancelled') return undefined;
  return MESSAGE_BUILDERS[error.kind](error.details, failureContext(error.details, context));
}

/**
 * Converts a `connection-lost` or `timeout` error to `incomplete` if part of the response was
 * already shown. The original message would be confusing next to a partial response, because it
 * says that the service may have processed the request.
 */
export function asIncomplete(error: unknown): unknown {
  return isKind(error, 'connection-lost', 'timeout')
    ? new ServiceError('incomplete', error.details)
    : error;
}

/** Describes the next attempt and the last failure, as in "attempt 2 of 4, 503". */
export function attemptText({ retry, error }: Retry): string {
  const why = error.details.status ?? error.details.code ?? 'no connection';
  return `attempt ${retry + 1} of ${MAX_RETRIES + 1}, ${why}`;
}

/**
 * The messages, keyed by error kind. Put a message about keys, accounts, or projects in
 * `rejectionMessages.ts`, and a message about the network in `networkMessages.ts`.
 */
const MESSAGE_BUILDERS: Readonly<Record<Exclude<ErrorKind, 'cancelled'>, MessageBuilder>> = {
  'host-not-approved': ({ host }, { labels }) => ({
    text: `Nothing was sent, because you haven’t approved ${host ?? 'the host'}${needsSetting('apiKey', labels) ? ` for your ${settingLabel('apiKey', labels)}` : ''}.`,
    actions: ['setUp', 'openSettings'],
  }),
  'certificate-checks-off': () => ({
    text: 'Nothing was sent, because NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks. Remove this variable from the environment and restart VS Code.',
    actions: [],
  }),
  'prompt-holds-secret': ({ secretKinds = [] }) => ({
    text: `Nothing was sent, because the text or a parameter contains ${secretNames(secretKinds)}. Remove ${secretKinds.length > 1 ? 'them' : 'it'}.`,
    actions: [],
  }),
  'setting-holds-secret': (_, { place }) => ({
    text: 'Nothing was sent, because the service URL or an ID, such as the project ID, contains one of your keys or tokens. Correct that value.',
    actions: [place.value],
  }),
  'queue-full': ({ limit }) => ({
    text: `${limit} requests are already waiting. Try again when fewer are waiting.`,
    actions: ['retry'],
  }),
  'settings-not-written': () => ({
    text: 'Couldn’t write your settings. A settings file may have unsaved changes or errors. Save or correct the file, then try again.',
    actions: ['retry'],
  }),
  'credentials-changed': () => ({
    text: 'The credentials changed or couldn’t be read during the checks, so no further requests were sent. Check again.',
    actions: ['retry'],
  }),
  ...REJECTION_MESSAGES,
  'command-failed': commandFailed,
  'model-unknown': (details, { labels, model }) => ({
    text: `The service ${noModel(model.name, details, labels)} ${capitalized(model.change)}.`,
    actions: model.actions,
  }),
  'no-model-list': ({ host }) => ({
    text: `${host ?? 'The service'} has no model list. If the address is correct, enter the model ID in the settings.`,
    actions: ['openSettings'],
    setting: 'hostedModel.modelId',
  }),
  'headers-too-large': ({ host }) => ({
    text: `${host ?? 'The service'} rejected the request because the headers are too large. Shorten any headers that you added, or use a shorter key or token.`,
    actions: ['setUp'],
  }),
  'operation-unsupported': (_, { model }) => ({
    text: `The model doesn’t support the selected operation. ${capitalized(model.change)}, or change the operation in the settings.`,
    actions: [...model.actions, 'openSettings'],
    setting: 'hostedModel.operation',
  }),
  'prompt-too-long': (details, { model }) => ({
    text: `${tooLong(details)} Send less text, or ${model.change}.`,
    actions: model.actions,
  }),
  'bad-request': requestRejected,
  'rate-limited': (details, { isIdentity }) => {
    if (isIdentity) {
      return {
        text: `Too many token requests. The identity service rejected ${sent(details)}. ${tryAgain(details, isIdentity)}.`,
        actions: ['retry'],
      };
    }
    const text = `Too many requests. The service rejected ${sent(details)}.`;
    // If the service requested a pause, lowering the number of concurrent requests might not help.
    return details.retryAfterMs
      ? { text: `${text} ${tryAgain(details)}.`, actions: ['retry'] }
      : {
          text: `${text} Try again later. If this happens often, lower the limit on concurrent requests, or increase the minimum interval between requests.`,
          actions: ['retry', 'openSettings'],
          setting: 'hostedModel.maxConcurrentRequests',
        };
  },
  'capacity-full': (details, { model }) => ({
    text: `The model is busy. The service rejected ${sent(details)}. ${tryAgain(details)}. You can also ${model.change}.`,
    actions: ['retry', ...model.actions],
  }),
  'server-failed': (details, { isIdentity }) => ({
    text: `${details.host ?? 'The service'} failed${parenthesized(details.status)}${onAllAttempts(details)}. ${tryAgain(details, isIdentity)}.`,
    actions: ['retry'],
  }),
  ...NETWORK_MESSAGES,
  'too-large': ({ actual }, { address }) =>
    actual === undefined
      ? {
          text: `The response was too large, so it was discarded. Check the address in ${address.name}.`,
          actions: [address.value],
        }
      : {
          text: 'Nothing was sent, because the selection is too large. Select less text.',
          actions: [],
        },
  'unexpected-answer': ({ host = 'The service', status = 0 }, { address, isBuiltInHost }) =>
    status >= 200 && status < 300
      ? {
          text: `${host} sent an unexpected response, possibly a web page. If your network requires a login, log in through a browser.${isBuiltInHost ? '' : ` Otherwise, check the address in ${address.name}.`}`,
          actions: ['retry', isBuiltInHost ? 'diagnose' : address.value],
        }
      : {
          text: `${host} sent an unexpected response. If your network requires a login, log in through a browser. Otherwise, check the address in ${address.name}.`,
          actions: [address.value, 'diagnose'],
        },
  incomplete: (details) => ({
    text: `${endedEarlyText(details)} Any text received so far was kept.`,
    actions: ['retry'],
  }),
};

/** Explains why a response is incomplete. */
export function endedEarlyText({ phase }: ErrorDetails): string {
  const what = phase === 'idle' ? 'The service stopped sending data' : 'The connection ended';
  return `${what} before the response was complete.`;
}

function noModel(
  model: string,
  { since, successors = [] }: ErrorDetails,
  labels: LabelContext,
): string {
  if (since === undefined && successors.length === 0) {
    const cause = hasRegions(labels)
      ? 'have been withdrawn or may not be available in this region'
      : 'have been withdrawn';
    return `doesn’t offer ${model}. The model ID may be misspelled, or the model may ${cause}.`;
  }
  const [successor] = successors;
  const named = successor ? ` and suggests ${successor} instead` : '';
  return since === undefined
    ? `no longer offers ${model}${named}.`
    : `withdrew ${model} on ${since}${named}.`;
}

/** Lists kinds of secrets for use in a sentence, as in "your key and a private key". */
export function secretNames(kinds: readonly SecretKind[]): string {
  return kinds.length === 0 ? 'a secret' : listOf(kinds.map((kind) => SECRETS[kind]));
}

function requestRejected(
  { status, names: [name] = [] }: ErrorDetails,
  { model, setsParameters }: FailureContext,
): Message {
  const setting = 'hostedModel.parameters';
  const actions = ['openSettings', ...model.actions] as const;
  if (status === 413) {
    const text = `The request is too large for the service (413). Send less text, lower max_new_tokens, or ${model.change}.`;
    return { text, actions, setting };
  }
  const what = `The service rejected the request${parenthesized(status)}.`;
  if (name !== undefined) {
    const text = `${what} Its response mentions ${name}. It may help to change this parameter or to ${model.change}.`;
    return { text, actions, setting };
  }
  if (setsParameters) {
    const text = `${what} A parameter may be out of range, or the text may be too long for the model. Check the settings.`;
    return { text, actions: ['openSettings', 'retry'], setting };
  }
  const text = `${what} If the text is long, send less of it. Otherwise, check the settings, or ${model.change}.`;
  return { text, actions, setting };
}

function tooLong({ limit, actual }: ErrorDetails): string {
  const text = 'The text is too long for the model';
  if (limit === undefined || actual === undefined) return `${text}.`;
  return `${text}: ${formatNumber(actual)} tokens, but the limit is ${formatNumber(limit)}.`;
}

function sent({ attempts = 1 }: ErrorDetails): string {
  return attempts === 1 ? 'the request' : `all ${attempts} attempts`;
}

function onAllAttempts({ attempts = 1 }: ErrorDetails): string {
  return attempts === 1 ? '' : ` on all ${attempts} attempts`;
}

/**
 * Returns a clause that gives the length of the requested pause or advises the user to try again
 * later. Inference requests are paused for at most `MAX_PAUSE_MS`. If the service requested a
 * longer pause, the text explains why the countdown is shorter. Token requests have no countdown.
 * The status item's tooltip keeps showing the text, so the text must still be true after the pause.
 */
function tryAgain({ retryAfterMs }: ErrorDetails, isIdentity = false): string {
  if (!retryAfterMs) return 'Try again later';
  const asked = `It requested a pause of ${duration(retryAfterMs)}`;
  return retryAfterMs > MAX_PAUSE_MS && !isIdentity
    ? `${asked}, but requests are paused for at most ${duration(MAX_PAUSE_MS)}`
    : `${asked} before the next attempt`;
}

const DAY_MS = 86_400_000;
/**
 * Durations below this threshold are shown in seconds so that they can be compared with a
 * countdown.
 */
const MINUTES_THRESHOLD_MS = 600_000;

function duration(ms: number): string {
  // Beyond a day, an exact duration doesn't help the user.
  if (ms > DAY_MS) return 'more than a day';
  const seconds = Math.ceil(ms / 1_000);
  if (seconds === 1) return '1 second';
  return ms < MINUTES_THRESHOLD_MS ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
