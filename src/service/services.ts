/**
 * The built-in services, as data. A similar service needs only one more entry, with an
 * authentication method and an API. Company and product names belong in this file.
 *
 * It also contains the user input that each authentication method and API needs, because the user
 * is prompted before their code is loaded.
 */

/** One hosted generative-model service. */
export interface Service {
  /** In capitals, the prefix of its setting names: `ibm` for `IBM_API_KEY`. */
  readonly word: string;
  readonly name: string;
  /** Address of the identity service. Empty if the service itself exchanges the secret. */
  readonly authUrl: string;
  readonly authentication: Authentication;
  readonly api: ApiConfig;
  /** The web page where users create a key. Empty if each company has its own page. */
  readonly keyPage: string;
  readonly regions: readonly Region[];
  /** Prefix of a region's host on the service's private network. */
  readonly privatePrefix: string;
  /** Setting names that other clients of this service read. */
  readonly aliases: NameSet;
  readonly defaultModelId: string;
  /** The entry as JSON if the user defined it. An approval is only valid for this exact text. */
  readonly definition?: string;
  /** True if the settings name no service, and this is the first one that is set up. */
  readonly isFirstSetUp?: boolean;
}

/** An authentication method and its parameters. Paths are relative to the identity address. */
export type Authentication =
  | { readonly kind: 'apiKeyGrant'; readonly path: string; readonly grantType: string }
  /** OAuth 2.0 client credentials. `scope` and `audience` are sent if they aren't empty. */
  | {
      readonly kind: 'clientCredentials';
      readonly path: string;
      /** True if credentials are sent in the body (`client_secret_post`), not by HTTP Basic. */
      readonly inBody: boolean;
      readonly scope: string;
      readonly audience: string;
    }
  | { readonly kind: 'cloudPak' }
  | { readonly kind: 'zenApiKey' };

/** The user input for each authentication method, and the reader of a user-defined entry. */
export const AUTH_METHODS: Readonly<Record<Authentication['kind'], AuthNeeds>> = {
  apiKeyGrant: {
    secret: 'API_KEY',
    hasAddress: true,
    required: 'grantType',
    read: (path, text) => ({ kind: 'apiKeyGrant', path, grantType: text('grantType') }),
  },
  clientCredentials: {
    account: 'CLIENT_ID',
    secret: 'CLIENT_SECRET',
    hasAddress: true,
    read: (path, text) => ({
      kind: 'clientCredentials',
      path,
      inBody: text('clientAuthentication') === 'client_secret_post',
      scope: text('scope'),
      audience: text('audience'),
    }),
  },
  cloudPak: { account: 'USERNAME', secret: 'API_KEY', read: () => ({ kind: 'cloudPak' }) },
  zenApiKey: { secret: 'API_KEY', sendsKey: true, read: () => ({ kind: 'zenApiKey' }) },
};

export interface AuthNeeds {
  /** The suffix of the setting name for the owner of the secret, if the method needs one. */
  readonly account?: 'CLIENT_ID' | 'USERNAME';
  readonly secret: 'API_KEY' | 'CLIENT_SECRET';
  /** True if the identity service has its own address. */
  readonly hasAddress?: true;
  /** True if the key itself is the access token, so there is no exchange. */
  readonly sendsKey?: true;
  /** A field that a user-defined entry must have. */
  readonly required?: 'grantType';
  readonly read: (path: string, text: (field: string) => string) => Authentication;
}

/**
 * The capabilities of each API. A request needs an ID of exactly one of `resources`, or none if the
 * list is empty.
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

/** An API. `prefix` is the path between the service address and the paths of the API. */
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
 * The settings that a service can need, in the order of the prompts. Their names in a file depend
 * on the service. `account` is the owner of `apiKey`. `projectId` is the ID of a project, a space,
 * or a deployment.
 */
export const SETTING_NAMES = ['account', 'apiKey', 'projectId', 'url'] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

/**
 * The names of the settings in a `.env` file or the environment. The names of one setting are
 * alternatives. Values under names of different sets are never combined.
 */
export type NameSet = Readonly<Record<SettingName, readonly string[]>>;

export type Operation = 'chat' | 'generation';

const IBM_GRANT_TYPE = 'urn:ibm:params:oauth:grant-type:apikey';

const ibm: Service = {
  word: 'ibm',
  name: 'IBM watsonx.ai',
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
};

const NO_NAMES: NameSet = { account: [], apiKey: [], projectId: [], url: [] };

/** Empty values for the optional parts of a service. */
export const EMPTY_DEFAULTS = {
  keyPage: '',
  regions: [],
  privatePrefix: '',
  aliases: NO_NAMES,
} as const satisfies Partial<Service>;

/** The gateway to models from many providers, in the same cloud. */
const gateway: Service = {
  ...ibm,
  word: 'ibm_gateway',
  name: 'IBM watsonx.ai model gateway',
  api: { kind: 'openai', prefix: '/ml/gateway/v1' },
  aliases: NO_NAMES,
};

/** The same software on a company's own servers. It is its own identity service. */
const cloudPak: Service = {
  word: 'cpd',
  name: 'IBM watsonx.ai on premises',
  authUrl: '',
  authentication: { kind: 'cloudPak' },
  api: { kind: 'watsonx', prefix: '' },
  defaultModelId: ibm.defaultModelId,
  ...EMPTY_DEFAULTS,
};

/** The built-in services. The first one is the default. */
export const services: readonly [Service, ...Service[]] = [
  ibm,
  gateway,
  cloudPak,
  {
    ...cloudPak,
    word: 'zen',
    name: `${cloudPak.name}, by a Zen API key`,
    authentication: { kind: 'zenApiKey' },
  },
];

/** Returns the service with this word, in any case. */
export function serviceFor(word: string, all: readonly Service[] = services): Service | undefined {
  return all.find((service) => service.word === word.trim().toLowerCase());
}

/** True for a built-in service with an identity address, which a setting can replace. */
export function hasMovableIdentity({ authUrl, definition }: Service): boolean {
  return authUrl !== '' && definition === undefined;
}

/** Returns all settings that a service needs, in the order of the prompts. */
export function neededSettings(service: Service): SettingName[] {
  const names = withPrefix('', service);
  return SETTING_NAMES.filter((setting) => names[setting].length > 0);
}

/** Returns all setting names of the service in use, in the order of the search. */
export function allNameSets(service: Service): readonly NameSet[] {
  return [...serviceNameSets(service), neutralNameSet(service)];
}

/** Returns names such as `VENDOR_API_KEY`, which apply to the service in use. */
export function neutralNameSet(service: Service): NameSet {
  return withPrefix('VENDOR', service);
}

/** Returns the setting names that belong to one service: its own and its aliases. */
export function serviceNameSets(service: Service): readonly NameSet[] {
  return [withPrefix(service.word.toUpperCase(), service), service.aliases];
}

function withPrefix(prefix: string, { authentication, api }: Service): NameSet {
  const { account, secret } = AUTH_METHODS[authentication.kind];
  return {
    account: account ? [`${prefix}_${account}`] : [],
    apiKey: [`${prefix}_${secret}`],
    projectId: APIS[api.kind].resources.map((kind) => `${prefix}_${kind.toUpperCase()}_ID`),
    url: [`${prefix}_URL`],
  };
}

/** Returns the kind of resource that a setting name stands for. */
export function resourceOf(name: string): ResourceKind {
  if (name.endsWith('SPACE_ID')) return 'space';
  return name.endsWith('DEPLOYMENT_ID') ? 'deployment' : 'project';
}
