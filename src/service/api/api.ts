import type { Credentials } from '../credentials.ts';
import type { ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpRequest.ts';
import type { Operation } from '../services.ts';
import type { ModelPage } from './modelList.ts';
import type { RequestBody } from './requestBody.ts';

/** A wire format for inference requests. Each API has its own file. */
export interface Api {
  /** The URL of a call, including its query. */
  readonly url: (call: GenerationCall, target: ModelTarget) => string;
  /** The fields that name the model, and the project or space that pays for the call. */
  readonly modelFields: (modelId: string, target: ModelTarget) => RequestBody;
  /** Additional fields of a call with a streamed response. */
  readonly streaming: RequestBody;
  /** Names of chat parameters in this API, keyed by their names in the settings. */
  readonly chatParameters: ReadonlyMap<string, string>;
  /** Combines messages and tools, both in the format of chat completions, into one body. */
  readonly conversation: (parts: ChatParts, target: ModelTarget) => RequestBody;
  /** Converts an error response to a failure. */
  readonly failure: (answer: ErrorResponse, target?: Pick<ModelTarget, 'resource'>) => ServiceError;
  /** Returns the failure that a stream event reports, or undefined if it reports none. */
  readonly failureInEvent: (json: unknown) => ServiceError | undefined;
  /** A request that checks token, project, and model as far as possible without generating text. */
  readonly accessCheck: (modelId: string, target: ModelTarget) => AccessCheck;
  readonly models: ModelCalls;
}

export type GenerationCall = Operation | `${Operation}Stream`;

/** The service, address, and project, space, or deployment of a request. */
export type ModelTarget = Pick<Credentials, 'service' | 'serviceUrl' | 'projectId' | 'resource'>;

export interface ChatParts {
  readonly messages: readonly (RequestBody & { readonly role: string })[];
  /** Undefined if there are none. */
  readonly tools?: readonly RequestBody[];
  /** `required` if the model must call a tool. */
  readonly toolChoice?: 'auto' | 'required';
}

export interface AccessCheck {
  readonly url: string;
  /** Undefined for a GET. */
  readonly body?: RequestBody;
  /** @throws {ServiceError} `unexpected-answer` */
  readonly read: (json: unknown) => unknown;
  /** True if this failure proves as much as a successful response. */
  readonly isExpectedError?: (error: unknown) => boolean;
}

/** Requests for the models of a service. */
export interface ModelCalls {
  /** True if these requests need a token. */
  readonly needsToken: boolean;
  /** @param start the marker of the page; undefined for the first page */
  readonly listUrl: (
    from: Pick<ModelTarget, 'service' | 'serviceUrl'>,
    operation: Operation,
    start?: string,
  ) => string;
  /** The URL of the shortest response that contains the entry of this model. */
  readonly entryUrl: (from: Pick<ModelTarget, 'service' | 'serviceUrl'>, modelId: string) => string;
  /**
   * @param date the `Date` header of the response
   * @param most the maximum number of entries to read
   * @throws {ServiceError} `unexpected-answer`
   */
  readonly read: (json: unknown, date: string | undefined, most?: number) => ModelPage;
}
