/**
 * The services that this client knows. Data only: another service of the same kind is one more
 * entry, which names a way to a token and a dialect. Everything that names a maker stands in this
 * file, and so does what each way and each dialect needs of the user: it is asked for before their
 * code has loaded.
 */

/** One hosted generative-model service. */
export interface Service {
  /** The word that, in capitals, stands for it in setting names. */
  readonly word: string;
  readonly name: string;
  /** The identity service that trades a secret for a token; empty where the service itself does. */
  readonly authUrl: string;
  readonly authentication: Authentication;
  readonly api: ApiConfig;
  /** Where a person creates the secret; empty where each company has its own place. */
  readonly keyPage: string;
  readonly regions: readonly Region[];
  /** What stands before the host of a region on the maker's private network. */
  readonly privatePrefix: string;
  /** Names of the three settings that other clients of this maker's service read. */
  readonly aliases: NameSet;
  readonly defaultModelId: string;
  /** The whole entry, where it is the user's own: what was approved was approved for exactly that. */
  readonly definition?: string;
  /** True if this is the first service that is set up, and the settings name none. */
  readonly isFirstSetUp?: boolean;
}

/** How a token is got, with what differs from service to service. Paths are behind the identity address. */
export type Authentication =
  | { readonly kind: 'apiKeyGrant'; readonly path: string; readonly grantType: string }
  /** OAuth 2.0 client credentials; `scope` and `audience` are sent where they are not empty. */
  | {
      readonly kind: 'clientCredentials';
      readonly path: string;
      /** Whether the client names itself in the body (`client_secret_post`), or by HTTP's `Basic`. */
      readonly inBody: boolean;
      readonly scope: string;
      readonly audience: string;
    }
  | { readonly kind: 'cloudPak' }
  | { readonly kind: 'zenApiKey' };

/** What each way asks of the user besides the address, and what of an entry of the user's own it reads. */
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
  /** Whose secret it is, where the way asks; as the end of a name in a `.env` file. */
  readonly account?: 'CLIENT_ID' | 'USERNAME';
  readonly secret: 'API_KEY' | 'CLIENT_SECRET';
  /** Whether the identity service has an address of its own. */
  readonly hasAddress?: true;
  /** The secret itself opens the service: nothing is traded. */
  readonly sendsKey?: true;
  /** What an entry of the user's own must say besides. */
  readonly required?: 'grantType';
  readonly read: (path: string, text: (field: string) => string) => Authentication;
}

/**
 * What each dialect can do. `resources` is what its requests can name, of which exactly one is
 * needed; empty where they name none.
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

/** How text is asked for. `prefix` is what stands between the service address and the dialect's own paths. */
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
 * What a service can need, by what it is for; what it is called differs. `account` is whose secret
 * `apiKey` is, and `projectId` what requests name: a project, a space or a deployment. In the order
 * people are asked.
 */
export const SETTING_NAMES = ['account', 'apiKey', 'projectId', 'url'] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

/**
 * The names of the settings in a `.env` file or the environment. A set of values is complete only
 * within one of these; names for the same setting are alternatives.
 */
export type NameSet = Readonly<Record<SettingName, readonly string[]>>;

/** The two ways the service offers to generate text. */
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

/** What is known of a service beside the way to its answers: nothing. */
export const NOTHING_BESIDES = {
  keyPage: '',
  regions: [],
  privatePrefix: '',
  aliases: NO_NAMES,
} as const satisfies Partial<Service>;

/** That maker's gateway to models of all makers, in the same cloud. */
const gateway: Service = {
  ...ibm,
  word: 'ibm_gateway',
  name: 'IBM watsonx.ai model gateway',
  api: { kind: 'openai', prefix: '/ml/gateway/v1' },
  aliases: NO_NAMES,
};

/** The same maker's software on a company's own machines, which is its own identity service. */
const cloudPak: Service = {
  word: 'cpd',
  name: 'IBM watsonx.ai on premises',
  authUrl: '',
  authentication: { kind: 'cloudPak' },
  api: { kind: 'watsonx', prefix: '' },
  defaultModelId: ibm.defaultModelId,
  ...NOTHING_BESIDES,
};

/** The built-in ones; the first one is in use unless a setting says otherwise. */
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

/** The service with that word, or undefined. */
export function serviceFor(word: string, all: readonly Service[] = services): Service | undefined {
  return all.find((service) => service.word === word.trim().toLowerCase());
}

/** Whether an address of the user's own takes the place of the entry's: of a built-in one, and of no other. */
export function hasMovableIdentity({ authUrl, definition }: Service): boolean {
  return authUrl !== '' && definition === undefined;
}

/** The settings that a service needs, all of them; in the order people are asked. */
export function neededSettings(service: Service): SettingName[] {
  const names = withPrefix('', service);
  return SETTING_NAMES.filter((setting) => names[setting].length > 0);
}

/** The names that the settings of the service in use go by, in the order they are looked for. */
export function allNameSets(service: Service): readonly NameSet[] {
  return [...serviceNameSets(service), neutralNameSet(service)];
}

/** The last of them, which means whichever service is in use. */
export function neutralNameSet(service: Service): NameSet {
  return withPrefix('VENDOR', service);
}

/** Those of them that are the service’s own. */
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

/** What the ID under one of these names is of. */
export function resourceOf(name: string): ResourceKind {
  if (name.endsWith('SPACE_ID')) return 'space';
  return name.endsWith('DEPLOYMENT_ID') ? 'deployment' : 'project';
}
