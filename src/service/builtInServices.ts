import { NO_NAMES } from './envNames.ts';
import type { Service } from './service.ts';

/**
 * The definitions of the built-in services. To add a service whose authentication method and API
 * are already supported, add an entry here.
 */

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

/** Empty values for the fields that only some services need. */
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

/**
 * The software behind `ibm`, installed on a company's own servers. It has no separate identity
 * service.
 */
const cloudPak: Service = {
  ...EMPTY_DEFAULTS,
  word: 'cpd',
  name: 'IBM watsonx.ai on premises',
  authUrl: '',
  authentication: { kind: 'cloudPak' },
  api: { kind: 'watsonx', prefix: '' },
  defaultModelId: ibm.defaultModelId,
};

/**
 * The built-in services. The first service is the default. If a `.env` file has values for several
 * services, earlier services take precedence, so add new ones at the end.
 */
export const services: readonly [Service, ...Service[]] = [
  ibm,
  gateway,
  cloudPak,
  {
    ...cloudPak,
    word: 'zen',
    name: `${cloudPak.name} (Zen API key)`,
    authentication: { kind: 'zenApiKey' },
  },
];

/** Finds the service with this `word`. Ignores case and surrounding whitespace. */
export function serviceFor(word: string, all: readonly Service[] = services): Service | undefined {
  return all.find((service) => service.word === word.trim().toLowerCase());
}
