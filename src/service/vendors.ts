/**
 * The makers whose hosted models this client knows. Data only: another maker of the same kind of
 * service is one more entry. Everything that names a maker stands in this file.
 */

/** One maker of a hosted generative-model service. */
export interface Vendor {
  /** The word that stands for the maker in the grant type and, in capitals, in setting names. */
  readonly word: string;
  readonly name: string;
  /** The identity service that trades API keys for tokens. */
  readonly authUrl: string;
  /** Where a person creates an API key. */
  readonly keyPage: string;
  readonly regions: readonly Region[];
  /** What stands before the host of a region on the maker's private network. */
  readonly privatePrefix: string;
  /** Names of the three settings that other clients of this maker's service read. */
  readonly aliases: NameSet;
  /** What still other clients call the three settings. Not read here, but known for what they mean. */
  readonly otherNames: NameSet;
  /** First words of names that are near to ours and belong to another service of the maker. */
  readonly otherServices: readonly string[];
  readonly grantType: string;
  readonly tokenPath: string;
  /** The `version` query of every inference request: a date, pinned so that answers keep their shape. */
  readonly apiVersion: string;
  readonly paths: Readonly<Record<InferencePath, string>>;
  readonly defaultModelId: string;
  readonly skill: SkillFormat;
}

/** What an orchestration product of the maker reads in an OpenAPI document beside what all read. */
export interface SkillFormat {
  /** Further fields of `info`: the product groups skills by the id, which is unique there. */
  readonly info: Readonly<Record<string, string>>;
  /**
   * The OAuth 2.0 flow, by its name and fields, that trades an API key for tokens whenever one has
   * ended. The address comes from the settings.
   */
  readonly keyExchange: {
    readonly flow: string;
    readonly fields: Readonly<Record<string, unknown>>;
  };
}

export interface Region {
  readonly place: string;
  readonly url: string;
}

/**
 * The names of the three settings in a `.env` file or the environment. A set of values is complete
 * only within one of these; names for the same setting are alternatives.
 */
export type NameSet = Readonly<Record<'apiKey' | 'projectId' | 'url', readonly string[]>>;

/** The two ways the service offers to generate text. */
export type Operation = 'chat' | 'generation';

export type InferencePath = Operation | `${Operation}Stream` | 'models' | 'tokenization';

const IBM_GRANT_TYPE = 'urn:ibm:params:oauth:grant-type:apikey';

const ibm: Vendor = {
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
    apiKey: ['WATSONX_API_KEY', 'WATSONX_APIKEY'],
    projectId: ['WATSONX_PROJECT_ID'],
    url: ['WATSONX_URL'],
  },
  otherNames: {
    apiKey: ['WATSONX_AI_APIKEY', 'WX_API_KEY'],
    projectId: ['WATSONX_AI_PROJECT_ID', 'WX_PROJECT_ID'],
    url: ['WATSONX_AI_SERVICE_URL', 'WATSONX_AI_URL', 'WATSONX_API_BASE', 'WX_URL', 'WML_URL'],
  },
  otherServices: ['WATSON'],
  grantType: IBM_GRANT_TYPE,
  tokenPath: '/identity/token',
  apiVersion: '2025-02-11',
  paths: {
    chat: '/ml/v1/text/chat',
    chatStream: '/ml/v1/text/chat_stream',
    generation: '/ml/v1/text/generation',
    generationStream: '/ml/v1/text/generation_stream',
    models: '/ml/v1/foundation_model_specs',
    tokenization: '/ml/v1/text/tokenization',
  },
  defaultModelId: 'ibm/granite-4-h-small',
  skill: {
    info: {
      'x-ibm-application-id': 'hosted-model',
      'x-ibm-application-name': 'Hosted Model',
      'x-ibm-skill-type': 'imported',
      'x-ibm-skill-subtype': 'public',
    },
    keyExchange: {
      flow: 'x-apikey',
      fields: { grantType: IBM_GRANT_TYPE, secretKeys: ['apikey'], paramKeys: [] },
    },
  },
};

export const vendors: readonly Vendor[] = [ibm];

/** The vendor entry for a vendor word; undefined for a word that no entry has. */
export function vendorFor(word: string): Vendor | undefined {
  return vendors.find((vendor) => vendor.word === word.trim().toLowerCase());
}

/** The names a vendor's settings go by, in the order they are looked for. */
export function nameSets({ word, aliases }: Vendor): readonly NameSet[] {
  const ofPrefix = (prefix: string): NameSet => ({
    apiKey: [`${prefix}_API_KEY`],
    projectId: [`${prefix}_PROJECT_ID`],
    url: [`${prefix}_URL`],
  });
  return [ofPrefix(word.toUpperCase()), aliases, ofPrefix('VENDOR')];
}
