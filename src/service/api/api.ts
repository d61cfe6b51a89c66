import type { Credentials } from '../credentials.ts';
import type { ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpRequest.ts';
import type { Operation } from '../services.ts';
import type { ModelPage } from './modelList.ts';
import type { RequestBody } from './requestBody.ts';

/** What a way to ask for text says of itself; there is a file for each. */
export interface Api {
  /** The address of a call, with its query. */
  readonly url: (call: GenerationCall, target: ModelTarget) => string;
  /** The fields that name the model, and what the call is billed to. */
  readonly modelFields: (modelId: string, target: ModelTarget) => RequestBody;
  /** Further fields of a call whose answer is to come in pieces. */
  readonly streaming: RequestBody;
  /** Its names of the parameters of a chat, by those of the settings. */
  readonly chatParameters: ReadonlyMap<string, string>;
  /** Messages and tools, each of them as chat completions have them, as it wants them together. */
  readonly conversation: (parts: ChatParts, target: ModelTarget) => RequestBody;
  /** What an error answer means. */
  readonly failure: (answer: ErrorResponse, target?: Pick<ModelTarget, 'resource'>) => ServiceError;
  /** The failure that an event inside a stream reports; undefined if it reports none. */
  readonly failureInEvent: (json: unknown) => ServiceError | undefined;
  /** What proves token, project and model without generating anything. */
  readonly accessCheck: (modelId: string, target: ModelTarget) => AccessCheck;
  readonly models: ModelCalls;
}

export type GenerationCall = Operation | `${Operation}Stream`;

/** Where a request leads, and what it names. */
export type ModelTarget = Pick<Credentials, 'service' | 'serviceUrl' | 'projectId' | 'resource'>;

export interface ChatParts {
  readonly messages: readonly (RequestBody & { readonly role: string })[];
  /** Undefined where there are none. */
  readonly tools?: readonly RequestBody[];
  /** Whether the model must call one, or may. */
  readonly toolChoice?: 'auto' | 'required';
}

export interface AccessCheck {
  readonly url: string;
  /** Undefined for a GET. */
  readonly body?: RequestBody;
  /** @throws {ServiceError} `unexpected-answer` */
  readonly read: (json: unknown) => unknown;
  /** Whether this refusal proves as much as an answer. */
  readonly isExpectedError?: (error: unknown) => boolean;
}

/** What the service says about its models. */
export interface ModelCalls {
  /** Whether it says nothing without a token. */
  readonly needsToken: boolean;
  /** @param start the marker of a further page; undefined for the first */
  readonly listUrl: (
    from: Pick<ModelTarget, 'service' | 'serviceUrl'>,
    operation: Operation,
    start?: string,
  ) => string;
  /** The shortest answer that has the entry of this model. */
  readonly entryUrl: (from: Pick<ModelTarget, 'service' | 'serviceUrl'>, modelId: string) => string;
  /**
   * @param date the `Date` header of the answer
   * @param most how many of its entries are looked at
   * @throws {ServiceError} `unexpected-answer`
   */
  readonly read: (json: unknown, date: string | undefined, most?: number) => ModelPage;
}
