import type { StatedModel } from './statedModels.ts';

/**
 * The built-in services, as data. To add a service whose authentication method and API are already
 * supported, add an entry here. Company and product names belong in this file.
 *
 * This file also lists the input that each authentication method and API needs. The setup prompts
 * for that input before it loads the code of the method and the API.
 */

/** A hosted model service that the extension can call. */
export interface Service {
  /** The service's ID in the settings. Setting names start with it, as in `IBM_API_KEY`. */
  readonly word: string;
  readonly name: string;
  /** Address in the entry of a user-defined service. Empty if the address is a separate setting. */
  readonly url: string;
  /** Address of the separate identity service. Empty if there is none. */
  readonly authUrl: string;
  readonly authentication: Authentication;
  readonly api: ApiConfig;
  /** The web page where users create a key. Empty if it isn't known. */
  readonly keyPage: string;
  readonly regions: readonly Region[];
  /** Prefix of a region's host on the service's private network. */
  readonly privatePrefix: string;
  /** Setting names that other clients for this service use. */
  readonly aliases: NameSet;
  readonly defaultModelId: string;
  /**
   * Models in a user-defined entry. Facts about these models take precedence over the service's
   * list.
   */
  readonly models: readonly StatedModel[];
  /** Sent with every request to the service, but never to an identity service. */
  readonly headers: readonly FixedHeader[];
  /**
   * The entry of a user-defined service, as JSON. An approval is valid only for this exact text.
   */
  readonly definition?: string;
  /** True if the settings name no service, and this is the first service with a stored key. */
  readonly isFirstSetUp?: boolean;
}

/**
 * A header with a fixed value, or with a secret value that the setup prompts for. `secret` is the
 * label of the secret value, not the value itself.
 */
export type FixedHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly secret: string };

/** An authentication method and its parameters. Paths are relative to `authUrl`. */
export type Authentication =
  | { readonly kind: 'apiKeyGrant'; readonly path: string; readonly grantType: string }
  /** OAuth 2.0 client credentials. `scope` and `audience` are sent only if they aren't empty. */
  | {
      readonly kind: 'clientCredentials';
      readonly path: string;
      /** True to send the credentials in the body (`client_secret_post`), not as HTTP Basic. */
      readonly inBody: boolean;
      readonly scope: string;
      readonly audience: string;
    }
  | { readonly kind: 'cloudPak' }
  | { readonly kind: 'zenApiKey' }
  /** The key is sent as a bearer token, or in `header` if that isn't empty. */
  | { readonly kind: 'apiKey'; readonly header: string }
  /** The service accepts requests from anyone who can reach it. */
  | { readonly kind: 'none' }
  /** A program on this machine prints the token. The first item is the program. */
  | { readonly kind: 'command'; readonly command: readonly string[] };

/**
 * The input that each authentication method needs, and the function that reads the method from a
 * user-defined entry.
 */
export const AUTH_INPUTS: Readonly<Record<Authentication['kind'], AuthNeeds>> = {
  apiKeyGrant: {
    secret: 'API_KEY',
    getsToken: true,
    hasAddress: true,
    required: 'grantType',
    read: (path, text) => ({ kind: 'apiKeyGrant', path, grantType: text('grantType') }),
  },
  clientCredentials: {
    account: 'CLIENT_ID',
    secret: 'CLIENT_SECRET',
    getsToken: true,
    hasAddress: true,
    read: (path, text) => ({
      kind: 'clientCredentials',
      path,
      inBody: text('clientAuthentication') === 'client_secret_post',
      scope: text('scope'),
      audience: text('audience'),
    }),
  },
  cloudPak: {
    account: 'USERNAME',
    secret: 'API_KEY',
    getsToken: true,
    read: () => ({ kind: 'cloudPak' }),
  },
  zenApiKey: { secret: 'API_KEY', read: () => ({ kind: 'zenApiKey' }) },
  apiKey: {
    secret: 'API_KEY',
    read: (_, text) => ({ kind: 'apiKey', header: text('header') }),
  },
  none: { read: () => ({ kind: 'none' }) },
  command: {
    getsToken: true,
    required: 'command',
    read: (_path, _text, command) => ({ kind: 'command', command }),
  },
};

export interface AuthNeeds {
  /** Suffix of the setting name for the client ID or user name, if the method needs one. */
  readonly account?: 'CLIENT_ID' | 'USERNAME';
  /** Suffix of the setting name for the secret, if the method needs one. */
  readonly secret?: 'API_KEY' | 'CLIENT_SECRET';
  /** True if the method uses an identity service with its own address. */
  readonly hasAddress?: true;
  /**
   * True if the method gets an access token. Otherwise, requests contain the secret itself, or no
   * secret.
   */
  readonly getsToken?: true;
  /** A field that a user-defined entry must have. */
  readonly required?: 'grantType' | 'command';
  readonly read: (
    path: string,
    text: (field: string) => string,
    command: readonly string[],
  ) => Authentication;
}

/** The display name of each account setting, by suffix. */
export const ACCOUNT_LABELS: Readonly<Record<NonNullable<AuthNeeds['account']>, string>> = {
  CLIENT_ID: 'client ID',
  USERNAME: 'user name',
};

/** The display name of each secret, by suffix, and whether the secret may contain spaces. */
export const SECRETS: Readonly<
  Record<
    NonNullable<AuthNeeds['secret']>,
    { readonly label: string; readonly mayHoldSpaces: boolean }
  >
> = {
  API_KEY: { label: 'API key', mayHoldSpaces: false },
  // A client secret may contain spaces: https://www.rfc-editor.org/rfc/rfc6749#appendix-A.2
  CLIENT_SECRET: { label: 'client secret', mayHoldSpaces: true },
};

/**
 * The capabilities of each API. A request needs the ID of exactly one resource, unless `resources`
 * is empty.
 */
export const APIS = {
  watsonx: {
    operations: ['chat', 'generation'],
    resources: ['project', 'space', 'deployment'],
  },
  openai: { operations: ['chat'], resources: [] },
} as const satisfies Record<
  string,
  { readonly operations: readonly Operation[]; readonly resources: readonly ResourceKind[] }
>;

/** An API. `prefix` is the path between the service address and the API's own paths. */
export interface ApiConfig {
  readonly kind: keyof typeof APIS;
  readonly prefix: string;
}

export type ResourceKind = 'project' | 'space' | 'deployment';

export interface Region {
  readonly place: string;
  readonly url: string;
}

/**
 * The settings that a service can need, in the order in which the setup prompts for them. Their
 * names in a `.env` file depend on the service. `account` is a client ID or user name. `projectId`
 * can also be the ID of a space or deployment.
 */
export const SETTING_NAMES = ['account', 'apiKey', 'projectId', 'url'] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

/**
 * The alternative names of each setting in a `.env` file or the environment. Values from different
 * sets are never combined.
 */
export type NameSet = Readonly<Record<SettingName, readonly string[]>>;

export type Operation = 'chat' | 'generation';

const IBM_GRANT_TYPE = 'urn:ibm:params:oauth:grant-type:apikey';

const ibm: Service = {
  word: 'ibm',
  name: 'IBM watsonx.ai',
  url: '',
  authUrl: 'https://iam.cloud.ibm.com',
  keyPage: 'https://cloud.ibm.com/iam/apikeys',
  regions: [
    { place: 'Dallas', url: 'https://us-south.ml.cloud.ibm.com' },
    { place: 'Frankfurt', url: 'https://eu-de.ml.cloud.ibm.com' },
    { place: 'London', url: 'https://eu-gb.ml.cloud.ibm.com' },
    { place: 'Tokyo', url: 'https://jp-tok.ml.cloud.ibm.com' },
    { place: 'Sydney', url: 'https://au-syd.ml.cloud.ibm.com' },
    { place: 'Toronto', url: 'https://ca-tor.ml.cloud.ibm.com' },
  ],
  privatePrefix: 'private.',
  aliases: {
    account: [],
    apiKey: ['WATSONX_API_KEY', 'WATSONX_APIKEY'],
    projectId: ['WATSONX_PROJECT_ID', 'WATSONX_SPACE_ID', 'WATSONX_DEPLOYMENT_ID'],
    url: ['WATSONX_URL'],
  },
  authentication: { kind: 'apiKeyGrant', path: '/identity/token', grantType: IBM_GRANT_TYPE },
  api: { kind: 'watsonx', prefix: '' },
  defaultModelId: 'ibm/granite-4-h-small',
  models: [],
  headers: [],
};

const NO_NAMES: NameSet = { account: [], apiKey: [], projectId: [], url: [] };

/** Empty values for the optional fields of a service. */
export const EMPTY_DEFAULTS = {
  url: '',
  keyPage: '',
  regions: [],
  privatePrefix: '',
  aliases: NO_NAMES,
  models: [],
  headers: [],
} as const satisfies Partial<Service>;

/** A gateway to models from many providers, in the same cloud as `ibm`. */
const gateway: Service = {
  ...ibm,
  word: 'ibm_gateway',
  name: 'IBM watsonx.ai model gateway',
  api: { kind: 'openai', prefix: '/ml/gateway/v1' },
  aliases: NO_NAMES,
};

/** The same software as `ibm`, on a company's own servers. It has no separate identity service. */
const cloudPak: Service = {
  ...EMPTY_DEFAULTS,
  word: 'cpd',
  name: 'IBM watsonx.ai on premises',
  authUrl: '',
  authentication: { kind: 'cloudPak' },
  api: { kind: 'watsonx', prefix: '' },
  defaultModelId: ibm.defaultModelId,
};

/** The built-in services. The first one is the default. */
export const services: readonly [Service, ...Service[]] = [
  ibm,
  gateway,
  cloudPak,
  {
    ...cloudPak,
    word: 'zen',
    name: `${cloudPak.name}, with a Zen API key`,
    authentication: { kind: 'zenApiKey' },
  },
];

/** Finds the service with this `word`, ignoring case. */
export function serviceFor(word: string, all: readonly Service[] = services): Service | undefined {
  return all.find((service) => service.word === word.trim().toLowerCase());
}

/**
 * True for a built-in service with an identity address, which `hostedModel.authUrl` can override.
 */
export function canOverrideAuthUrl({ authUrl, definition }: Service): boolean {
  return authUrl !== '' && definition === undefined;
}

/** Returns all settings that a service needs, in the order of the prompts. */
export function neededSettings({ authentication, api, url }: Service): SettingName[] {
  const { account, secret } = AUTH_INPUTS[authentication.kind];
  const needs: Readonly<Record<SettingName, boolean>> = {
    account: account !== undefined,
    apiKey: secret !== undefined,
    projectId: APIS[api.kind].resources.length > 0,
    url: url === '',
  };
  return SETTING_NAMES.filter((setting) => needs[setting]);
}

/**
 * True for a deployment. Its model was chosen when the deployment was created, so the model in the
 * settings doesn't apply.
 */
export function hasOwnModel(target: {
  readonly service: Service;
  readonly resource?: ResourceKind | undefined;
}): boolean {
  // The settings can still contain the deployment ID of a service that was in use before.
  return target.resource === 'deployment' && neededSettings(target.service).includes('projectId');
}

/**
 * True if requests to the service contain an access token, which expires, instead of the key
 * itself.
 */
export function getsTokens({ authentication }: Service): boolean {
  return AUTH_INPUTS[authentication.kind].getsToken === true;
}

/** Returns the program that prints the token, with its arguments. Undefined if there is none. */
export function commandOf({ authentication }: Service): readonly string[] | undefined {
  return 'command' in authentication ? authentication.command : undefined;
}

/** Returns the labels of the secrets in the service's headers, without duplicates. */
export function headerSecretsOf({ headers }: Service): readonly string[] {
  return [...new Set(headers.flatMap((one) => ('secret' in one ? [one.secret] : [])))];
}

/**
 * True if the user may approve an unencrypted address for this service. Only a service that the
 * user added can have such an address, and only if no secret is exchanged for a token there.
 */
export function mayBeUnencrypted({ authentication, authUrl, definition }: Service): boolean {
  const { getsToken, secret } = AUTH_INPUTS[authentication.kind];
  return definition !== undefined && (!getsToken || !secret || authUrl !== '');
}

/** Returns all setting names of the service in use, in search order. */
export function allNameSets(service: Service): readonly NameSet[] {
  return [...serviceNameSets(service), neutralNameSet(service)];
}

/** Returns names such as `VENDOR_API_KEY`, which apply to whichever service is in use. */
export function neutralNameSet(service: Service): NameSet {
  return withPrefix('VENDOR', service);
}

/** Returns the setting names that belong only to this service: its own names and its aliases. */
export function serviceNameSets(service: Service): readonly NameSet[] {
  return [withPrefix(service.word.toUpperCase(), service), service.aliases];
}

/**
 * Returns the setting names with this prefix. A service without a secret setting or with secret
 * headers has no such names, so a `.env` file or the environment can't configure it. For example,
 * neither source can provide the approval that a command needs.
 */
function withPrefix(prefix: string, service: Service): NameSet {
  const { authentication, api, url } = service;
  const { account, secret } = AUTH_INPUTS[authentication.kind];
  if (!secret || headerSecretsOf(service).length > 0) return NO_NAMES;
  return {
    account: account ? [`${prefix}_${account}`] : [],
    apiKey: [`${prefix}_${secret}`],
    projectId: APIS[api.kind].resources.map((kind) => `${prefix}_${kind.toUpperCase()}_ID`),
    url: url ? [] : [`${prefix}_URL`],
  };
}

/** Returns the kind of resource that a setting name such as `IBM_SPACE_ID` refers to. */
export function resourceOf(name: string): ResourceKind {
  if (name.endsWith('SPACE_ID')) return 'space';
  return name.endsWith('DEPLOYMENT_ID') ? 'deployment' : 'project';
}
