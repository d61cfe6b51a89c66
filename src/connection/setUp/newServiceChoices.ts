import type { ApiConfig } from '../../service/apiCapabilities.ts';
import type { Authentication } from '../../service/authentication.ts';

/**
 * The choices in the setup of a new service: authentication methods, headers for a key, and APIs.
 * Pure data.
 */

/**
 * A value that an authentication method needs in addition to its secrets. The prompt for it is in
 * `NEW_SERVICE`, and the message for an invalid value is in `notAllowedText`. If you add a field,
 * test it in `managedServices.test.ts`.
 */
export type AuthMethodField = 'header' | 'command' | 'tokenUrl';

export interface AuthMethodChoice {
  readonly label: string;
  readonly description: string;
  /** The values that setup prompts for in addition to the secrets. */
  readonly fields: readonly AuthMethodField[];
  /** The fixed fields of `authentication` in the service's entry. */
  readonly authentication: Readonly<Record<string, string>> & {
    readonly kind: Authentication['kind'];
  };
  /** The token URL to suggest, if any. */
  readonly tokenUrl?: string;
}

/**
 * The authentication methods that _Add a Service..._ offers, most common first. A method that isn't
 * listed works only in entries that users write as JSON.
 */
export const AUTH_METHOD_CHOICES: readonly [AuthMethodChoice, ...AuthMethodChoice[]] = [
  {
    label: 'API Key',
    description: 'sent as a bearer token',
    fields: [],
    authentication: { kind: 'apiKey' },
  },
  {
    label: 'API Key in a Header',
    description: 'such as api-key or x-api-key',
    fields: ['header'],
    authentication: { kind: 'apiKey' },
  },
  {
    label: 'No Key',
    description: 'a local server, or a gateway that needs no key',
    fields: [],
    authentication: { kind: 'none' },
  },
  {
    label: 'Command',
    description: 'a program that prints a token, such as az, gcloud, or databricks',
    fields: ['command'],
    authentication: { kind: 'command' },
  },
  {
    label: 'OAuth Client Credentials',
    description: 'client ID and client secret',
    fields: ['tokenUrl'],
    authentication: { kind: 'clientCredentials' },
  },
  {
    label: 'IBM API Key',
    description: 'exchanged for a token',
    fields: ['tokenUrl'],
    authentication: {
      kind: 'apiKeyGrant',
      grantType: 'urn:ibm:params:oauth:grant-type:apikey',
    },
    tokenUrl: 'https://iam.cloud.ibm.com/identity/token',
  },
  {
    label: 'Cloud Pak for Data',
    description: 'user name and API key',
    fields: [],
    authentication: { kind: 'cloudPak' },
  },
];

/** Suggested names for the header that contains the key. */
export const KEY_HEADERS: readonly string[] = ['api-key', 'x-api-key', 'Ocp-Apim-Subscription-Key'];

export interface ApiChoice {
  readonly api: ApiConfig['kind'];
  readonly label: string;
  readonly description: string;
  readonly addressPrompt: string;
}

/** The APIs that setup offers, most common first. */
export const API_CHOICES: readonly [ApiChoice, ...ApiChoice[]] = [
  {
    api: 'openai',
    label: 'OpenAI-Compatible',
    description: 'LiteLLM, vLLM, Ollama, and most company gateways',
    addressPrompt: 'Address of the service. You can also paste the address of an endpoint.',
  },
  {
    api: 'watsonx',
    label: 'watsonx',
    description: 'IBM watsonx.ai, in the cloud or on premises',
    addressPrompt: 'Address of the service. In the cloud, it depends on the region.',
  },
];
