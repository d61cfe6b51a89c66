import { type ModelSpecification, recordedModels } from './models.ts';
import { answerFor } from './text.ts';

/** Why the model stopped, as the generation operations report it. */
export type StopReason =
  | 'eos_token'
  | 'stop_sequence'
  | 'max_tokens'
  | 'token_limit'
  | 'time_limit'
  | 'cancelled'
  | 'error';

/** How server-sent events are written. The format allows all variants. */
export interface EventFormat {
  newline: '\n' | '\r\n' | '\r';
  spaceAfterColon: boolean;
}

/** What a model can return besides text. */
export interface ModelStep {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
}

/**
 * The state of the emulated services. It can be changed at any time, and applies to the next
 * response.
 */
export interface EmulatorSettings extends EventFormat {
  apiKeys: readonly string[];
  /** The account of the keys, for authentication methods with one: a client ID or a user name. */
  account: string;
  /** The path of the token request, and the scope and audience that it must contain. */
  oauth: { readonly path?: string; readonly scope?: string; readonly audience?: string };
  /** True if inference accepts this token, which another identity provider issued. */
  acceptsToken: (token: string) => boolean;
  /** The header in which inference accepts an API key. None if empty. */
  keyHeader: string;
  /** True if inference accepts all requests, without a key or token. */
  isOpen: boolean;
  /** Headers that a gateway in front of inference requires. Names in lowercase. */
  demandedHeaders: Readonly<Record<string, string>>;
  /** True if a response states the lifetime of a token. */
  saysLife: boolean;
  projectIds: readonly string[];
  spaceIds: readonly string[];
  deploymentIds: readonly string[];
  /** Maximum number of characters in a prompt of chat completions. Undefined for no limit. */
  longestPrompt: number | undefined;
  /** Existing projects without an associated runtime. */
  projectIdsWithoutRuntime: readonly string[];
  models: readonly ModelSpecification[];
  /** The product whose model list chat completions return. The list of OpenAI contains only IDs. */
  gateway: 'openai' | 'vllm' | 'litellm';
  /** Models that exist, but aren't listed and don't support chat. */
  modelIdsWithoutChat: readonly string[];
  /** Lifetime in seconds of the tokens issued from now on. */
  tokenLifeSeconds: number;
  /** How far the clock of both services is ahead of this machine, in seconds. */
  clockOffsetSeconds: number;
  /** Returns the generated text for a prompt, as one string or as the chunks of a stream. */
  answer: (prompt: string) => string | readonly string[];
  /** Returns the next step of the model in a chat, or undefined to use `answer`. */
  step: (request: Record<string, unknown>) => ModelStep | undefined;
  /**
   * Undefined for `max_tokens` if the limit of the request truncated the text, else `eos_token`.
   */
  stopReason: StopReason | undefined;
  /** Pause between two events of a stream, in milliseconds. */
  tokenDelayMs: number;
  /** True if responses of the generation operations contain the warning that these are legacy. */
  legacyWarning: boolean;
  /**
   * Number of inference requests per second beyond which the status is 429. Undefined for no limit.
   */
  requestsPerSecond: number | undefined;
  /** True if responses state the limit of requests per second, as the live service does. */
  namesRequestLimit: boolean;
  /**
   * Number of concurrent inference requests beyond which the status is 429. Undefined for no limit.
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
    oauth: {},
    acceptsToken: () => false,
    keyHeader: '',
    isOpen: false,
    demandedHeaders: {},
    saysLife: true,
    projectIds: [defaultProjectId],
    spaceIds: ['emulator-space'],
    deploymentIds: ['emulator/deployment'],
    longestPrompt: undefined,
    projectIdsWithoutRuntime: [],
    models: recordedModels,
    gateway: 'openai',
    modelIdsWithoutChat: ['ibm/granite-13b'],
    tokenLifeSeconds: 3600,
    clockOffsetSeconds: 0,
    answer: answerFor,
    step: () => undefined,
    stopReason: undefined,
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
