import { services } from '../service/builtInServices.ts';
import { type ErrorDetails, type ErrorKind, TOKEN_EXPIRED } from '../service/errors.ts';
import { neededSettings } from '../service/service.ts';
import type { Message } from './actions.ts';
import type { FailureContext, MessageBuilder, SettingsLocation } from './failureContext.ts';
import {
  allOf,
  allSettings,
  hasRegions,
  identityAddress,
  type LabelContext,
  needsSetting,
  resourceName,
  sendsSecret,
  settingLabel,
} from './settingLabels.ts';

/**
 * The messages for failures that involve parameters, keys, tokens, permissions, projects, or
 * quotas. They contain only the extension's own text, numbers, and validated names. Pure.
 */

const BOUNDS: Readonly<Record<NonNullable<ErrorDetails['bound']>, string>> = {
  least: 'at least',
  above: 'more than',
  most: 'at most',
};

const UNKNOWN_TARGET =
  'The identity service doesn’t recognize the requested resource. Check “audience” and “scope” in the service’s entry in hostedModel.services.';

/**
 * Messages for rejected token requests, keyed by error code. The codes are defined by OAuth 2.0
 * (https://www.rfc-editor.org/rfc/rfc6749#section-5.2), by its extensions, or by a single provider.
 *
 * Each message must be true for every authentication method that reports its code. If it isn't,
 * remove it. The general message is then shown instead.
 */
const OAUTH_REJECTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    invalid_request:
      'The identity service rejected the token request as invalid. It may expect the client ID and secret in a different place. Change “clientAuthentication” in the service’s entry in hostedModel.services.',
    invalid_grant:
      'The identity service no longer accepts the client’s grant. Ask the identity service’s administrator to renew the grant.',
    unauthorized_client:
      'The client isn’t allowed to get this token. Check “audience” in the service’s entry in hostedModel.services, or contact the identity service’s administrator.',
    unsupported_grant_type:
      'The identity service doesn’t support client credentials. Check “tokenUrl” in the service’s entry in hostedModel.services.',
    invalid_scope:
      'The identity service doesn’t grant the requested scope. Check “scope” in the service’s entry in hostedModel.services.',
    invalid_target: UNKNOWN_TARGET,
    invalid_resource: UNKNOWN_TARGET,
    access_denied:
      'The client isn’t allowed to get this token. Check “audience” and “scope” in the service’s entry in hostedModel.services, or contact the identity service’s administrator.',
  }),
);

export const REJECTION_MESSAGES = {
  'parameter-rejected': parameterRejected,
  'key-rejected': ({ code = '' }, { place, labels }) => ({
    text: keyRejection(code, labels, place) + reenabledAdvice(labels, place),
    // If requests contain the key itself, there's no token to refresh.
    actions: [place.all, sendsSecret(labels) ? 'retry' : 'refreshToken'],
  }),
  'token-request-rejected': ({ code = '' }, { labels }) => ({
    text:
      OAUTH_REJECTIONS.get(code) ??
      `The identity service rejected the token request. Check ${identityAddress(labels)}.`,
    actions: ['openSettings'],
  }),
  'token-unusable': ({ host }, { labels }) => ({
    text: `${host ?? 'The identity service'} returned no usable token. Check ${identityAddress(labels)}.`,
    actions: ['openSettings', 'retry'],
  }),
  unauthorized,
  'rejected-once': () => ({
    text: 'The service rejected the request, but all checks pass now. The cause was probably something temporary, such as an expired token. Try again.',
    actions: ['retry', 'diagnose'],
  }),
  forbidden: ({ isUnchecked }, { place, labels, model }) => ({
    text: `The service doesn’t allow this request. Your account may not have permission to use ${resourceAdvice(labels, model.change)}.${unchecked(isUnchecked)}`,
    actions: [place.value],
  }),
  intercepted: ({ status }, { address, isBuiltInHost }) => ({
    text: `A firewall or gateway probably blocked the request${parenthesized(status)} before it reached the service. Contact your network administrator${isBuiltInHost ? '' : `, or check the address in ${address.name}`}.`,
    actions: ['retry', 'diagnose'],
  }),
  'project-missing': (_, { place, labels }) => ({
    text: `The service reported that the request has no ${settingLabel('projectId', labels)}. Check this value in ${place.name}.`,
    actions: [place.project, 'diagnose'],
  }),
  'project-unknown': (_, { place, labels }) => ({
    text: `The ${resourceName(labels)} doesn’t exist ${hasRegions(labels) ? 'in this region' : 'at this address'}${resourceName(labels) === 'deployment' ? '' : ', or you aren’t a member of it'}. Check the ${settingLabel('projectId', labels)} and the service URL in ${place.name}.`,
    actions: [place.project, 'diagnose'],
  }),
  'project-without-runtime': (_, { labels }) => ({
    text:
      resourceName(labels) === 'project'
        ? 'The project has no runtime service. In the project, open Manage > Services & integrations, and associate a runtime service.'
        : 'The deployment space has no runtime service. Ask its owner to associate one with the space.',
    actions: ['retry'],
  }),
  'quota-used-up': () => ({
    text: 'Your plan’s quota is used up. Wait until your quota resets, or change your plan.',
    actions: [],
  }),
} satisfies Partial<Record<ErrorKind, MessageBuilder>>;

/**
 * Returns advice on what to do if the key was re-enabled. Empty if requests contain the key itself
 * or if the key isn't stored yet. In either case, even a rejected key is sent again.
 */
function reenabledAdvice(labels: LabelContext, { isStored }: SettingsLocation): string {
  if (sendsSecret(labels) || !isStored) return '';
  return ` If you re-enabled the ${settingLabel('apiKey', labels)}, run “Refresh Token”.`;
}

/**
 * Returns sentences that explain why authentication may have failed and what to do. They must be
 * true for every authentication method.
 *
 * - To vary the text, use `needsSetting` and `sendsSecret`. If they can't distinguish two methods,
 *   choose words that fit both, such as “check” instead of “copy”.
 * - “Key” may stand for a client secret, but not for a password. Use `settingLabel` for that. In
 *   messages about other failures, “key” can mean any secret.
 * - Branch on `code` if it calls for different advice, for example if the account is locked.
 * - If a field of the service's entry can cause the rejection, name it. Offer `setUp` instead of
 *   `changeKey`, which prompts only for credentials.
 * - UI tests contain these messages, so search `test` for each text that you change.
 */
function keyRejection(code: string, labels: LabelContext, { newKey }: SettingsLocation): string {
  if (code === 'invalid_client') {
    return `The identity service rejected the client. The ID or secret is unknown, expired, or disabled. Copy both again, then ${newKey('them')}.`;
  }
  if (!needsSetting('apiKey', labels)) {
    return 'The service requires authentication, but was set up without it. Select an authentication method during setup.';
  }
  if (sendsSecret(labels)) {
    return `The service rejected the key. The key is unknown, expired, or the wrong kind. Copy it again, then ${newKey('it')}.`;
  }
  return needsSetting('account', labels)
    ? `The identity service rejected the ${settingLabel('account', labels)} and ${settingLabel('apiKey', labels)}. Either may be unknown, expired, or disabled. Copy both, then ${newKey('them')}.`
    : `The identity service rejected the ${settingLabel('apiKey', labels)}. The key is unknown, expired, or disabled. Copy it again or create a new one, then ${newKey('it')}.`;
}

/**
 * Names the resource or model that the account may lack access to, and adds advice on what to do.
 */
function resourceAdvice(labels: LabelContext, changeModel: string): string {
  return needsSetting('projectId', labels)
    ? `the ${resourceName(labels)}. Ask its owner for access, or check the ${settingLabel('projectId', labels)}`
    : `the model. Ask your administrator for access, or ${changeModel}`;
}

function unauthorized(
  { code, isUnchecked }: ErrorDetails,
  { place, labels }: FailureContext,
): Message {
  switch (code) {
    case TOKEN_EXPIRED:
      return {
        text: `The service reported that the new token has already expired. The service’s clock or a gateway may be at fault. Try again in a minute.${unchecked(isUnchecked)}`,
        actions: ['retry', 'diagnose'],
      };
    case 'authentication_no_token':
      return {
        text: `The service didn’t receive a token. A proxy or gateway may have removed it from the request. Contact your network administrator.${unchecked(isUnchecked)}`,
        actions: ['retry', 'diagnose'],
      };
    default:
      return {
        text: `The service rejected the ${sendsSecret(labels) ? 'key' : 'new token'}. ${accountAdvice(labels, place.keyName)}${unchecked(isUnchecked)}`,
        actions: [place.all, isUnchecked ? 'diagnose' : 'retry'],
      };
  }
}

/**
 * Returns advice on what to check if the service rejected a new token or the key itself. The rules
 * in the comment on `keyRejection` apply here, too.
 */
function accountAdvice(labels: LabelContext, place: string): string {
  const names = neededSettings(labels.service ?? services[0]);
  if (names.length > 1) {
    const accounts = hasRegions(labels) ? 'accounts or regions' : 'accounts';
    return `The ${allSettings(labels)} may belong to different ${accounts}. Check ${allOf(labels).toLowerCase()} in ${place}.`;
  }
  return names.includes('apiKey')
    ? `Check the ${settingLabel('apiKey', labels)} in ${place}.`
    : 'Check that the token command uses the right account.';
}

function unchecked(isUnchecked: true | undefined): string {
  return isUnchecked ? ' The exact cause couldn’t be determined.' : '';
}

function parameterRejected(details: ErrorDetails, { template }: FailureContext): Message {
  const start =
    details.status === undefined ? 'Nothing was sent' : 'The service rejected the request';
  const what = `${start}: ${parameterFlawText(details)}.`;
  // The name can include a field, as in `length_penalty.decay_factor`.
  const name = details.names?.[0]?.split('.')[0];
  return name !== undefined && template?.parameters?.[name] !== undefined
    ? { text: `${what} Change it in the template “${template.name}”.`, actions: [] }
    : {
        text: `${what} Change it in the settings.`,
        actions: ['openSettings'],
        setting: 'hostedModel.parameters',
      };
}

/**
 * Formats a number, as in "1,024" or "0.5". Numbers of 1e15 or more have no separators. Numbers of
 * 1e21 or more have an exponent.
 */
export function formatNumber(value: number): string {
  return Math.abs(value) < 1e15
    ? value.toLocaleString('en', { maximumFractionDigits: 20 })
    : String(value);
}

/**
 * Formats a status or code to append to a phrase, as in " (503)". Returns an empty string if the
 * status or code is unknown.
 */
export function parenthesized(fact: number | string | undefined): string {
  return fact ? ` (${fact})` : '';
}

const EXPECTED: Readonly<
  Record<NonNullable<ErrorDetails['expected']>, (choices: readonly string[]) => string>
> = {
  integer: () => 'a whole number',
  number: () => 'a number',
  boolean: () => 'true or false',
  choice: (choices) => choices.join(' or '),
  texts: () => 'a list of unique strings',
  object: (choices) => `an object with no fields other than ${choices.join(' and ')}`,
};

/** Returns a clause that describes what's wrong with a parameter. */
export function parameterFlawText(details: ErrorDetails): string {
  const { names: [name] = [], expected, choices = [], actual, limit } = details;
  if (name === undefined) return 'a parameter is out of range';
  const isCounted = name === 'stop_sequences';
  const given =
    actual === undefined
      ? name
      : `${name} ${isCounted ? 'has' : 'is'} ${formatNumber(actual)}${isCounted ? ' entries' : ''}, but`;
  if (expected) return `${given} must be ${EXPECTED[expected](choices)}`;
  return limit === undefined ? `${name} is out of range` : `${given} ${limitText(details, limit)}`;
}

function limitText(
  { names: [name, other] = [], bound = 'most', limitOf }: ErrorDetails,
  limit: number,
): string {
  const range = `${BOUNDS[bound]} ${formatNumber(limit)}`;
  const allows = bound === 'most' ? 'allows' : 'requires';
  if (limitOf === 'model') return `the model ${allows} ${range}`;
  if (limitOf) return `the ${limitOf} operation ${allows} ${range}`;
  const verb = name === 'stop_sequences' ? 'can have' : 'must be';
  return `${verb} ${range}${other === undefined ? '' : `, the value of ${other}`}`;
}
