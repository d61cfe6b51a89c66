import type { Operation } from '../apiCapabilities.ts';
import type { Credentials } from '../credentials.ts';
import type { ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpTypes.ts';
import type { ModelInfo } from './liteLlmModelInfo.ts';
import type { ModelPage } from './modelTypes.ts';

/** A wire format for inference requests. Each format is implemented in its own file. */
export interface Api {
  /** Returns the URL for a call, including the query string. */
  readonly url: (call: GenerationCall, target: ModelTarget) => string;
  /**
   * Returns the body fields that identify the model and, in some APIs, the project or space to
   * bill.
   */
  readonly modelFields: (modelId: string, target: ModelTarget) => RequestBody;
  /** Extra body fields for a streamed call. */
  readonly streaming: RequestBody;
  /** The names of chat parameters in this API, keyed by their names in the settings. */
  readonly chatParameters: ReadonlyMap<string, string>;
  /** Converts messages and tools from the chat completions format to body fields. */
  readonly conversation: (parts: ChatParts, target: ModelTarget) => RequestBody;
  readonly failure: (answer: ErrorResponse, target?: Pick<ModelTarget, 'resource'>) => ServiceError;
  /** Returns the failure, if any, that a stream event or a response with status 200 reports. */
  readonly failureInEvent: (json: unknown) => ServiceError | undefined;
  /**
   * Returns a request that checks access as far as the API allows, without generating text.
   * @param modelId empty to check access before the user has picked a model
   */
  readonly accessCheck: (modelId: string, target: ModelTarget) => AccessCheck;
  readonly models: ModelCalls;
}

export type GenerationCall = Operation | `${Operation}Stream`;

/**
 * The service and address that a request is sent to, and the project, space, or deployment that it
 * uses.
 */
export type ModelTarget = Pick<Credentials, 'service' | 'serviceUrl' | 'projectId' | 'resource'>;

export interface ChatParts {
  readonly messages: readonly (RequestBody & { readonly role: string })[];
  /** Undefined if there are no tools. */
  readonly tools?: readonly RequestBody[];
  /** `required` if the model must call a tool. */
  readonly toolChoice?: 'auto' | 'required';
}

export interface AccessCheck {
  readonly url: string;
  /** Undefined for a GET request. */
  readonly body?: RequestBody;
  /** Validates the response. @throws {ServiceError} `unexpected-answer` */
  readonly read: (json: unknown) => unknown;
  /** True if the error proves that the credentials grant access. */
  readonly isExpectedError?: (error: unknown) => boolean;
}

/** Builds the URLs of model information requests, and reads the responses. */
export interface ModelCalls {
  /** True if requests for model lists need a token or key. */
  readonly needsToken: boolean;
  /** True if the error means that the service has no model list. */
  readonly isMissing?: (error: unknown) => boolean;
  /** @param start the cursor of the page; undefined for the first page */
  readonly listUrl: (
    from: Pick<ModelTarget, 'service' | 'serviceUrl'>,
    operation: Operation,
    start?: string,
  ) => string;
  /**
   * Returns the URL of the list in which to look up a model. The list is filtered by ID if the API
   * allows it.
   */
  readonly entryUrl: (from: Pick<ModelTarget, 'service' | 'serviceUrl'>, modelId: string) => string;
  /**
   * Reads one page of models.
   * @param date the `Date` header of the response
   * @param most the maximum number of entries to read
   * @throws {ServiceError} `unexpected-answer`
   */
  readonly read: (json: unknown, date: string | undefined, most?: number) => ModelPage;
  /** The tasks that a model is assumed to support if its capabilities are unknown. */
  readonly assumedTasks: readonly string[];
  /**
   * The request for information that the model list doesn't contain. Sent only if
   * `ModelPage.mayHaveInfo` is true.
   */
  readonly info?: {
    readonly url: (from: Pick<ModelTarget, 'service' | 'serviceUrl'>) => string;
    /** @throws {ServiceError} `unexpected-answer` */
    readonly read: (json: unknown) => ReadonlyMap<string, ModelInfo>;
  };
}

export type RequestBody = Readonly<Record<string, unknown>>;
