import { type ErrorDetails, type ErrorKind, TOKEN_EXPIRED } from '../service/errors.ts';
import type { Message } from './actions.ts';
import type { FailureContext, MessageBuilder } from './failureContext.ts';
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
 * The messages for refused parameters, keys, tokens, accounts, and projects. They contain only our
 * own text, numbers, and validated names. Pure.
 */

const BOUNDS: Readonly<Record<NonNullable<ErrorDetails['bound']>, string>> = {
  least: 'at least',
  above: 'more than',
  most: 'at most',
};

/** Messages by OAuth 2.0 error code: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const OAUTH_REFUSALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    invalid_request:
      'The identity service did not understand the token request. Most likely it wants client ID and secret in another place: change “clientAuthentication” of the entry in hostedModel.services.',
    invalid_grant:
      'The identity service takes this grant of the client no more. Ask who runs it to renew it.',
    unauthorized_client:
      'The client may not get this token. Check “audience” of the entry in hostedModel.services, or ask who runs the identity service to allow it.',
    unsupported_grant_type:
      'The identity service gives no tokens for client credentials. Most likely “tokenUrl” of the entry in hostedModel.services is that of another one.',
    invalid_scope:
      'The identity service does not give the client this scope. Check “scope” of the entry in hostedModel.services.',
  }),
);

export const REFUSAL_MESSAGES = {
  'parameter-refused': parameterRefused,
  'key-refused': ({ code = '' }, { place, labels }) => ({
    text: `${keyRefusal(code, labels)}, and ${place.newKey}.${sendsSecret(labels) ? '' : ' It isn’t sent again until you change it or try it again.'}`,
    actions: [place.all, 'refreshToken'],
  }),
  'token-request-refused': ({ code = '' }, { labels }) => ({
    text:
      OAUTH_REFUSALS.get(code) ??
      `The identity service refused the form of the token request. Most likely ${identityAddress(labels)} is not the one of your account.`,
    actions: ['openSettings'],
  }),
  'token-unusable': ({ host }, { labels }) => ({
    text: `${host ?? 'The identity service'} answered without a usable token. Most likely ${identityAddress(labels)} is not that of an identity service.`,
    actions: ['openSettings', 'retry'],
  }),
  unauthorized,
  'refused-once': () => ({
    text: 'The service refused the token, yet all checks pass now. Most likely the token had just ended. Try again.',
    actions: ['retry', 'diagnose'],
  }),
  forbidden: ({ isUnchecked }, { place, labels }) => ({
    text: `The service knows you but does not allow this. Most likely your account has no rights ${rights(labels)}.${unchecked(isUnchecked)}`,
    actions: [place.value],
  }),
  intercepted: ({ status }, { address, isOfService }) => ({
    text: `Something in between, such as a firewall or a gateway, refused the request (${status ?? 'no status'}); the answer is not the service's own. Ask who runs the network${isOfService ? '' : `, or check the address in ${address.name}`}.`,
    actions: ['retry', 'diagnose'],
  }),
  'project-missing': (_, { place, labels }) => ({
    text: `The service found no ${resourceName(labels)} in the request. Check the ${settingLabel('projectId', labels)} in ${place.name}.`,
    actions: [place.value],
  }),
  'project-unknown': (_, { place, labels }) => ({
    text: `The ${resourceName(labels)} was not found ${hasRegions(labels) ? 'in this region' : 'at this address'}, or you are not a member of it. Check the ${settingLabel('projectId', labels)} and the service URL in ${place.name}.`,
    actions: [place.value],
  }),
  'project-without-runtime': (_, { labels }) => ({
    text: `The ${resourceName(labels)} has no runtime to generate with. Associate one with it: in the ${resourceName(labels)}, under Manage, Services & integrations.`,
    actions: ['retry'],
  }),
  'quota-used-up': () => ({
    text: 'The quota of the plan is used up. It was not tried again. Wait for the next period or change the plan.',
    actions: [],
  }),
} satisfies Partial<Record<ErrorKind, MessageBuilder>>;

/** Describes the refusal of a secret, and what to do. The caller adds where to put the new one. */
function keyRefusal(code: string, labels: LabelContext): string {
  if (code === 'invalid_client') {
    return 'The identity service refused the client: its ID or secret is unknown, expired or disabled. Copy both again';
  }
  if (!needsSetting('apiKey', labels)) {
    return 'The service demands a key or a login, which it is set up without. Pick a login';
  }
  if (sendsSecret(labels)) {
    return 'The service refused the key: it is unknown, expired or of another form, such as a plain API key in place of a Zen one. Copy it again';
  }
  return needsSetting('account', labels)
    ? `The identity service refused ${settingLabel('account', labels)} and ${settingLabel('apiKey', labels)}: one of them is unknown, expired or disabled. Copy both again`
    : `The identity service refused the ${settingLabel('apiKey', labels)}: it is unknown, expired or disabled. Create a key or copy it again`;
}

function rights(labels: LabelContext): string {
  return needsSetting('projectId', labels)
    ? `in the ${resourceName(labels)}. Ask its owner, or check the ${settingLabel('projectId', labels)}`
    : 'to use the model. Ask who runs the service, or select another one';
}

function unauthorized(
  { code, isUnchecked }: ErrorDetails,
  { place, labels }: FailureContext,
): Message {
  switch (code) {
    case TOKEN_EXPIRED:
      return {
        text: `The service called a new token expired. Most likely its clock or a gateway is at fault. Try again in a minute.${unchecked(isUnchecked)}`,
        actions: ['retry', 'diagnose'],
      };
    case 'authentication_no_token':
      return {
        text: `The service received no token. Most likely a proxy or gateway in between takes it out of the request. Ask who runs the network.${unchecked(isUnchecked)}`,
        actions: ['retry', 'diagnose'],
      };
    default:
      return {
        text: `The service refused a new token. Most likely ${allSettings(labels)} are not of one account${hasRegions(labels) ? ' and region' : ''}. Check ${allOf(labels).toLowerCase()} in ${place.name}.${unchecked(isUnchecked)}`,
        actions: [place.all, isUnchecked ? 'diagnose' : 'retry'],
      };
  }
}

function unchecked(isUnchecked: true | undefined): string {
  return isUnchecked ? ' Its cause could not be checked now.' : '';
}

function parameterRefused(details: ErrorDetails): Message {
  const start =
    details.status === undefined ? 'Nothing was sent' : 'The service refused the request';
  return {
    text: `${start}: ${parameterFlawText(details)}. Change it in the settings.`,
    actions: ['openSettings'],
  };
}

/**
 * Formats a number, such as "1,024" or "0.5". Numbers from 1e15 have no separators, and numbers
 * from 1e21 have an exponent.
 */
export function formatNumber(value: number): string {
  return Math.abs(value) < 1e15
    ? value.toLocaleString('en', { maximumFractionDigits: 20 })
    : String(value);
}

const EXPECTED: Readonly<
  Record<NonNullable<ErrorDetails['expected']>, (choices: readonly string[]) => string>
> = {
  integer: () => 'a whole number',
  number: () => 'a number',
  boolean: () => 'true or false',
  choice: (choices) => choices.join(' or '),
  texts: () => 'a list of texts, none of them twice',
  object: (choices) => `an object that holds nothing but ${choices.join(' and ')}`,
};

/** Describes what's wrong with a parameter, as part of a sentence. */
export function parameterFlawText(details: ErrorDetails): string {
  const { names: [name] = [], expected, choices = [], actual, limit } = details;
  if (name === undefined) return 'a parameter is out of its range';
  const isCounted = name === 'stop_sequences';
  const given =
    actual === undefined
      ? name
      : `${name} ${isCounted ? 'has' : 'is'} ${formatNumber(actual)}${isCounted ? ' entries' : ''}, and`;
  if (expected) return `${given} must be ${EXPECTED[expected](choices)}`;
  return limit === undefined
    ? `${name} is out of its range`
    : `${given} ${limitText(details, limit)}`;
}

function limitText(
  { names: [name, other] = [], bound = 'most', limitOf }: ErrorDetails,
  limit: number,
): string {
  const range = `${BOUNDS[bound]} ${formatNumber(limit)}`;
  if (limitOf === 'model') return `the model takes ${range}`;
  if (limitOf) return `the ${limitOf} operation takes ${range}`;
  const verb = name === 'stop_sequences' ? 'may have' : 'must be';
  return `${verb} ${range}${other === undefined ? '' : `, which is ${other}`}`;
}
