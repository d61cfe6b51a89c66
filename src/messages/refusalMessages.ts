import type { ErrorDetails, ErrorKind } from '../service/errors.ts';
import type { Message } from './actions.ts';
import type { FixLocation, Sentence, SettingsHome } from './fixLocation.ts';

/** Every sentence about a key, a token, an account or a project that was refused. Pure. */

type RefusalKind = Extract<
  ErrorKind,
  | 'key-refused'
  | 'token-request-refused'
  | 'token-unusable'
  | 'unauthorized'
  | 'refused-once'
  | 'forbidden'
  | 'intercepted'
  | 'project-missing'
  | 'project-unknown'
  | 'project-without-runtime'
  | 'quota-used-up'
>;

export const REFUSAL_SENTENCES: Readonly<Record<RefusalKind, Sentence>> = {
  'key-refused': (_, { place }) => ({
    text: `The identity service refused the API key: it is unknown, expired or disabled. Create a key or copy it again, and ${howToSetKey(place)}. It is not tried again until then.`,
    actions: [place.key, 'refreshToken'],
  }),
  'token-request-refused': () => ({
    text: 'The identity service refused the form of the token request. Most likely the vendor or identity address in the settings is not the one of your account.',
    actions: ['openSettings'],
  }),
  'token-unusable': ({ host }) => ({
    text: `${host ?? 'The identity service'} answered without a usable token. Most likely the identity address in the settings is not an identity service.`,
    actions: ['openSettings', 'retry'],
  }),
  unauthorized: (details, where) => unauthorized(details, where),
  'refused-once': () => ({
    text: 'The service refused the token, yet all checks pass now. Most likely the token had just ended. Try again.',
    actions: ['retry', 'diagnose'],
  }),
  forbidden: ({ isUnchecked }, { place }) => ({
    text: `The service knows you but does not allow this. Most likely your account has no rights in the project. Ask its owner, or check the project ID.${unchecked(isUnchecked)}`,
    actions: [place.value],
  }),
  intercepted: ({ status }, { address, isOfVendor }) => ({
    text: `Something in between, such as a firewall or a gateway, refused the request (${status ?? 'no status'}); the answer is not the service's own. Ask who runs the network${isOfVendor ? '' : `, or check the address in ${address.name}`}.`,
    actions: ['retry', 'diagnose'],
  }),
  'project-missing': (_, { place }) => ({
    text: `The service found no project in the request. Check the project ID in ${place.name}.`,
    actions: [place.value],
  }),
  'project-unknown': (_, { place }) => ({
    text: `The project was not found in this region, or you are not a member of it. Check the project ID and the service URL in ${place.name}.`,
    actions: [place.value],
  }),
  'project-without-runtime': () => ({
    text: 'The project has no runtime to generate with. Associate one with it: in the project, under Manage, Services & integrations.',
    actions: ['retry'],
  }),
  'quota-used-up': () => ({
    text: 'The quota of the plan is used up. It was not tried again. Wait for the next period or change the plan.',
    actions: [],
  }),
};

function unauthorized({ code, isUnchecked }: ErrorDetails, { place }: FixLocation): Message {
  switch (code) {
    case 'authentication_token_expired':
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
        text: `The service refused a new token. Most likely API key, project ID and service URL are not of one account and region. Check all three in ${place.name}.${unchecked(isUnchecked)}`,
        actions: [place.all, isUnchecked ? 'diagnose' : 'retry'],
      };
  }
}

function unchecked(isUnchecked: true | undefined): string {
  return isUnchecked ? ' Its cause could not be checked now.' : '';
}

function howToSetKey({ key, name }: SettingsHome): string {
  if (key === 'setApiKey') return 'set it here';
  return key === 'openEnvFile' ? `put it into ${name}` : `set it in ${name} and restart VS Code`;
}
