import { type ModelSpecification, recordedModels } from './models.ts';
import { answerFor } from './text.ts';

/** The reason the model stopped, in the terms that the generation operations use. */
export type StopReason =
  | 'eos_token'
  | 'stop_sequence'
  | 'max_tokens'
  | 'token_limit'
  | 'time_limit'
  | 'cancelled'
  | 'error';

/** The format of server-sent events. The standard allows all of these variants. */
export interface EventFormat {
  newline: '\n' | '\r\n' | '\r';
  spaceAfterColon: boolean;
}

/** A model's output for one chat request. It can include tool calls. */
export interface ModelStep {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
}

/**
 * The settings of the emulated services. A test can change them at any time. A change takes effect
 * with the next response.
 */
export interface EmulatorSettings extends EventFormat {
  apiKeys: readonly string[];
  /**
   * The account that the API keys belong to: a client ID for OAuth, or a user name for the
   * platform.
   */
  account: string;
  /** The path and grant type of the request that exchanges an API key for a token. */
  apiKeyGrant: { readonly path: string; readonly grantType: string };
  /**
   * The path of the OAuth token request, and the scope and audience that the request must contain.
   */
  oauth: { readonly path?: string; readonly scope?: string; readonly audience?: string };
  /** Returns true if the inference service accepts a token that the emulator didn't issue. */
  acceptsToken: (token: string) => boolean;
  /**
   * The lowercase name of a header that may contain an API key. If the name is empty, API keys are
   * accepted only in the form `Authorization: ZenApiKey <key>`.
   */
  keyHeader: string;
  /** True if the inference service accepts all requests, even without a key or token. */
  isOpen: boolean;
  /**
   * Headers that a gateway in front of the inference service requires. Their names are lowercase.
   */
  demandedHeaders: Readonly<Record<string, string>>;
  /** True if the OAuth server and the platform report a token's lifetime. */
  reportsTokenLifetime: boolean;
  projectIds: readonly string[];
  spaceIds: readonly string[];
  deploymentIds: readonly string[];
  /**
   * Maximum length of the prompt in an OpenAI API request, in characters. If undefined, there's no
   * limit.
   */
  longestPrompt: number | undefined;
  /** IDs of existing projects without an associated runtime. */
  projectIdsWithoutRuntime: readonly string[];
  models: readonly ModelSpecification[];
  /**
   * The only supported prefix of the OpenAI API's paths, such as `/v1` in `/v1/chat/completions`.
   * If undefined, several prefixes are supported.
   */
  openaiPrefix: string | undefined;
  /**
   * The product whose model list the emulated OpenAI API imitates. OpenAI's own list doesn't
   * contain the models' limits.
   */
  gateway: 'openai' | 'vllm' | 'litellm';
  /** IDs of existing models that aren't in the model list and don't support chat. */
  unlistedModelIdsWithoutChat: readonly string[];
  /** Lifetime of access tokens issued from now on, in seconds. */
  tokenLifeSeconds: number;
  /** How many seconds the services' clock is ahead of this machine's clock. */
  clockOffsetSeconds: number;
  /** Returns the generated text for a prompt, as one string or as the chunks of a stream. */
  answer: (prompt: string) => string | readonly string[];
  /** Returns the model's next step in a chat, or undefined to use `answer`. */
  step: (request: Record<string, unknown>) => ModelStep | undefined;
  /**
   * The stop reason of every response that doesn't come from `step`. If undefined, responses
   * truncated by the request's token limit get `max_tokens`, and all others get `eos_token`.
   */
  stopReason: StopReason | undefined;
  /**
   * True if the content of a chat message is a list of parts that includes the reasoning, as it is
   * for reasoning models on Databricks.
   */
  sendsParts: boolean;
  /** Pause between events in a stream, in milliseconds. */
  tokenDelayMs: number;
  /** True if responses from the generation operations warn that these operations are legacy. */
  legacyWarning: boolean;
  /**
   * Maximum number of inference requests per second. Further requests get a 429. If undefined,
   * there's no limit.
   */
  requestsPerSecond: number | undefined;
  /**
   * True if responses report how many requests per second are allowed, as the live service's
   * responses do.
   */
  namesRequestLimit: boolean;
  /**
   * Maximum number of concurrent inference requests. Further requests get a 429. If undefined,
   * there's no limit.
   */
  concurrentRequests: number | undefined;
  /** True if the monthly token quota is used up. */
  quotaReached: boolean;
}

export const defaultApiKey = 'key-of-the-emulator';
export const defaultAccount = 'account-of-the-emulator';
export const defaultProjectId = 'emulator-project';

export function settingsFrom(chosen: Partial<EmulatorSettings>): EmulatorSettings {
  return {
    apiKeys: [defaultApiKey],
    account: defaultAccount,
    apiKeyGrant: {
      path: '/identity/token',
      grantType: 'urn:ibm:params:oauth:grant-type:apikey',
    },
    oauth: {},
    acceptsToken: () => false,
    keyHeader: '',
    isOpen: false,
    demandedHeaders: {},
    reportsTokenLifetime: true,
    projectIds: [defaultProjectId],
    spaceIds: ['emulator-space'],
    deploymentIds: ['emulator/deployment'],
    longestPrompt: undefined,
    projectIdsWithoutRuntime: [],
    models: recordedModels,
    openaiPrefix: undefined,
    gateway: 'openai',
    unlistedModelIdsWithoutChat: ['ibm/granite-13b'],
    tokenLifeSeconds: 3600,
    clockOffsetSeconds: 0,
    answer: answerFor,
    step: () => undefined,
    stopReason: undefined,
    sendsParts: false,
    tokenDelayMs: 0,
    legacyWarning: true,
    requestsPerSecond: undefined,
    namesRequestLimit: true,
    concurrentRequests: undefined,
    quotaReached: false,
    newline: '\n',
    spaceAfterColon: true,
    ...chosen,
  };
}
