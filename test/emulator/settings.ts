import { type ModelSpecification, recordedModels } from './models.ts';
import { answerFor } from './text.ts';

/** Why the model stopped, in the words of the generation operations. */
export type StopReason =
  | 'eos_token'
  | 'stop_sequence'
  | 'max_tokens'
  | 'token_limit'
  | 'time_limit'
  | 'cancelled'
  | 'error';

/** How server-sent events are written. All of it is allowed by the format. */
export interface EventFormat {
  newline: '\n' | '\r\n' | '\r';
  spaceAfterColon: boolean;
}

/** What a model can say besides text. */
export interface ModelStep {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
}

/** What the emulated services know and do. May be changed at any time; the next answer obeys. */
export interface EmulatorSettings extends EventFormat {
  apiKeys: readonly string[];
  /** Whose keys they are, where a way asks: a client ID or a user name. */
  account: string;
  /** What a client has to ask for, and whom the token is to be for. */
  oauth: { readonly path?: string; readonly scope?: string; readonly audience?: string };
  /** Whether inference also takes this token, which another identity provider issued. */
  acceptsToken: (token: string) => boolean;
  /** The header in which an API key itself opens the service; none if empty. */
  keyHeader: string;
  /** True if inference takes requests of anyone, without a key or token. */
  isOpen: boolean;
  /** Headers without which a gateway lets no request through to inference. Names in lower case. */
  demandedHeaders: Readonly<Record<string, string>>;
  /** Whether anything says how long a token lives. */
  saysLife: boolean;
  projectIds: readonly string[];
  spaceIds: readonly string[];
  deploymentIds: readonly string[];
  /** Characters of a prompt of chat completions; without one: no limit. */
  longestPrompt: number | undefined;
  /** Known projects that no runtime is associated with. */
  projectIdsWithoutRuntime: readonly string[];
  models: readonly ModelSpecification[];
  /** Whose list of models chat completions have: that of OpenAI has no more than IDs. */
  gateway: 'openai' | 'vllm' | 'litellm';
  /** Models that are known, but neither listed nor able to chat. */
  modelIdsWithoutChat: readonly string[];
  /** Life of the tokens issued from now on, in seconds. */
  tokenLifeSeconds: number;
  /** How far the clock of both services is ahead of this machine, in seconds. */
  clockOffsetSeconds: number;
  /** The generated text for a prompt, either whole or cut into the pieces of a stream. */
  answer: (prompt: string) => string | readonly string[];
  /** What the model says next in a chat; undefined leaves it to `answer`. */
  step: (request: Record<string, unknown>) => ModelStep | undefined;
  /** Without one: `max_tokens` when the request's limit cut the text, else `eos_token`. */
  stopReason: StopReason | undefined;
  /** Pause between two events of a stream, in milliseconds. */
  tokenDelayMs: number;
  /** Whether answers of the generation operations carry the warning that they are legacy. */
  legacyWarning: boolean;
  /** Inference requests beyond this number in one second are answered 429. Without one: no limit. */
  requestsPerSecond: number | undefined;
  /** Whether answers name the limit of requests per second, as those of the live service do. */
  namesRequestLimit: boolean;
  /** Inference requests in flight beyond this number are answered 429. Without one: no limit. */
  concurrentRequests: number | undefined;
  /** Whether the tokens of the month are used up. */
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
