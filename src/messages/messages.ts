import {
  type ErrorDetails,
  type ErrorKind,
  isKind,
  type SecretKind,
  ServiceError,
} from '../service/errors.ts';
import type { Retry } from '../service/http/httpTypes.ts';
import { MAX_RETRIES } from '../service/http/retry.ts';
import type { Message } from './actions.ts';
import { commandFailed } from './commandFailure.ts';
import { failureContext, type MessageBuilder, type MessageContext } from './failureContext.ts';
import { NETWORK_MESSAGES } from './networkMessages.ts';
import { formatNumber, REFUSAL_MESSAGES } from './refusalMessages.ts';
import { hasRegions, type LabelContext, listOf, settingLabel } from './settingLabels.ts';

/**
 * The messages for failures: what happened, the most likely cause, and what to do. They contain
 * only our own text, numbers, and validated names, never text from a service. Pure.
 */

const SECRETS: Readonly<Record<SecretKind, string>> = {
  apiKey: 'your own key',
  token: 'a token of yours',
  privateKey: 'a private key',
};

/** Returns the message for any error; undefined if the user canceled. */
export function messageFor(error: unknown, context: MessageContext = {}): Message | undefined {
  if (!(error instanceof ServiceError)) {
    return {
      text: 'Hosted Model failed for a reason it does not know. The log has more.',
      actions: [],
    };
  }
  if (error.kind === 'cancelled') return undefined;
  return MESSAGE_BUILDERS[error.kind](error.details, failureContext(error.details, context));
}

/**
 * Converts a lost connection or timeout to `incomplete`, for a response that was partly shown. The
 * usual message says that the request may have run, which is confusing once part of the response is
 * visible.
 */
export function asIncomplete(error: unknown): unknown {
  return isKind(error, 'connection-lost', 'timeout')
    ? new ServiceError('incomplete', error.details)
    : error;
}

/** Describes the next attempt, such as "attempt 2 of 4 in 3 s (503)". */
export function retryText({ retry, waitMs, error }: Retry): string {
  const why = error.details.status ?? error.details.code ?? 'no answer';
  return `attempt ${retry + 1} of ${MAX_RETRIES + 1} in ${Math.max(1, Math.round(waitMs / 1_000))} s (${why})`;
}

const MESSAGE_BUILDERS: Readonly<Record<Exclude<ErrorKind, 'cancelled'>, MessageBuilder>> = {
  'host-not-approved': ({ host }, { labels }) => ({
    text: `Nothing was sent to ${host ?? 'a host'} that you have not approved for your ${settingLabel('apiKey', labels)}.`,
    actions: ['setUp', 'openSettings'],
  }),
  'certificate-checks-off': () => ({
    text: 'Nothing was sent: certificate checks are off, since NODE_TLS_REJECT_UNAUTHORIZED is 0. Remove it from the environment and restart VS Code.',
    actions: [],
  }),
  'prompt-holds-secret': ({ secretKinds = [] }) => ({
    text: `Nothing was sent: the text or a parameter holds ${secretNames(secretKinds)}. Take ${secretKinds.length > 1 ? 'them' : 'it'} out.`,
    actions: [],
  }),
  'setting-holds-secret': (_, { place, labels }) => ({
    text: `Nothing was sent. The service URL or the ID of a project or model contains your ${settingLabel('apiKey', labels)} or a token. Enter the right value in ${place.name}.`,
    actions: [place.value],
  }),
  'queue-full': ({ limit }) => ({
    text: `${limit} requests are waiting already. Try again when some have finished.`,
    actions: ['retry'],
  }),
  'credentials-changed': () => ({
    text: 'The credentials changed, or could not be read again, during the checks, so that nothing more was sent. Check again.',
    actions: ['retry'],
  }),
  ...REFUSAL_MESSAGES,
  'command-failed': commandFailed,
  'model-unknown': (details, { labels }) => ({
    text: `The service ${noModel(details, labels)} Select another one.`,
    actions: ['selectModel'],
  }),
  'no-model-list': ({ host }) => ({
    text: `${host ?? 'The service'} has no model list at this address. If the address is right, type the ID of the model.`,
    actions: ['openSettings'],
  }),
  'headers-too-large': ({ host }) => ({
    text: `${host ?? 'The service'} refused the headers because they are too large. Shorten those of the service, or the key.`,
    actions: ['setUp'],
  }),
  'operation-unsupported': () => ({
    text: 'The model does not support the operation in the settings. Select a model for it, or change the operation.',
    actions: ['selectModel', 'openSettings'],
  }),
  'prompt-too-long': (details) => ({
    text: `${tooLong(details)} Select less text or another model.`,
    actions: ['selectModel'],
  }),
  'bad-request': ({ status }) => ({
    text: `The service did not accept the request (${status ?? 'no status'}). Most likely a parameter in the settings is out of its range, or the text is too long for the model.`,
    actions: ['openSettings'],
  }),
  'rate-limited': (details, { isIdentity }) =>
    isIdentity
      ? {
          text: `The identity service takes no more requests for now: it refused ${sent(details)}${until(details)}. Try again later.`,
          actions: ['retry'],
        }
      : {
          text: `Too many requests: the service refused ${sent(details)}${until(details)}. To avoid it, lower the number of concurrent requests in the settings.`,
          actions: ['retry', 'openSettings'],
        },
  'capacity-full': (details) => ({
    text: `The model is busy with other users: the service refused ${sent(details)}${until(details)}. Try again later or select another model.`,
    actions: ['retry', 'selectModel'],
  }),
  'server-failed': (details) => ({
    text: `${details.host ?? 'The service'} failed (${details.status ?? 'no status'}) on ${sent(details)}${until(details)}. Most likely it will recover by itself. Try again later.`,
    actions: ['retry'],
  }),
  ...NETWORK_MESSAGES,
  'too-large': ({ actual }, { address }) =>
    actual === undefined
      ? {
          text: 'The answer was larger than any real one and was given up. Check the service URL.',
          actions: [address.value],
        }
      : { text: 'Nothing was sent: the selection is too large. Select less text.', actions: [] },
  'unexpected-answer': ({ host = 'The service', status = 0 }, { address, isOfService }) =>
    status >= 200 && status < 300
      ? {
          text: `${host} answered with a page. Most likely it is a login page of the network: log in with a browser.${isOfService ? '' : ` Otherwise check the address in ${address.name}.`}`,
          actions: ['retry', isOfService ? 'diagnose' : address.value],
        }
      : {
          text: `${host} answered something that the hosted model does not say. Most likely it is a login page of a network, or the address in ${address.name} is wrong.`,
          actions: [address.value, 'diagnose'],
        },
  incomplete: () => ({
    text: 'The answer broke off before its end, and what came is kept. Most likely the connection was lost. Try again.',
    actions: ['retry'],
  }),
};

function noModel({ since, successors = [] }: ErrorDetails, labels: LabelContext): string {
  if (since === undefined && successors.length === 0) {
    const where = hasRegions(labels) ? ', withdrawn, or of another region' : ' or withdrawn';
    return `does not offer the model in the settings: it may be misspelt${where}.`;
  }
  const [successor] = successors;
  const named = successor ? ` and names ${successor} in its place` : '';
  return since === undefined
    ? `no longer offers the model in the settings${named}.`
    : `withdrew the model in the settings on ${since}${named}.`;
}

/** Formats kinds of secrets for use in a sentence, such as "your own key and a private key". */
export function secretNames(kinds: readonly SecretKind[]): string {
  return kinds.length === 0 ? 'a secret' : listOf(kinds.map((kind) => SECRETS[kind]));
}

function tooLong({ limit, actual }: ErrorDetails): string {
  const text = 'The text is too long for the model';
  if (limit === undefined || actual === undefined) return `${text}.`;
  return `${text}: ${formatNumber(actual)} tokens, and it takes ${formatNumber(limit)}.`;
}

function sent({ attempts = 1 }: ErrorDetails): string {
  return attempts === 1 ? 'the request' : `all ${attempts} attempts`;
}

function until({ retryAfterMs }: ErrorDetails): string {
  return retryAfterMs ? ` and asks to wait ${duration(retryAfterMs)}` : '';
}

const DAY_MS = 86_400_000;

function duration(ms: number): string {
  // An exact duration doesn't help the user if the wait is longer than a day.
  if (ms > DAY_MS) return 'for longer than a day';
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
