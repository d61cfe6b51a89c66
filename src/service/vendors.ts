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
  readonly grantType: string;
  readonly tokenPath: string;
  /** The `version` query of every inference request: a date, pinned so that answers keep their shape. */
  readonly apiVersion: string;
  readonly paths: Readonly<Record<InferencePath, string>>;
  readonly defaultModelId: string;
}

export interface Region {
  readonly place: string;
  readonly url: string;
}

/** The two ways the service offers to generate text. */
export type Operation = 'chat' | 'generation';

export type InferencePath = Operation | `${Operation}Stream` | 'models' | 'tokenization';

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
  grantType: 'urn:ibm:params:oauth:grant-type:apikey',
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
};

export const vendors: readonly Vendor[] = [ibm];

/** The vendor entry for a vendor word; undefined for a word that no entry has. */
export function vendorFor(word: string): Vendor | undefined {
  return vendors.find((vendor) => vendor.word === word.trim().toLowerCase());
}
