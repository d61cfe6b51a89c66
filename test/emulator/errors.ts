import { type Answer, jsonAnswer } from './answer.ts';
import type { Service } from './service.ts';

/** The address of the service's documentation, which each inference error links to. */
const documentation = 'https://cloud.ibm.com/apidocs/watsonx-ai';

/** An error from an inference operation. */
export interface InferenceError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the body of an inference error. An error inside a stream has the same body. */
export function errorBody(error: InferenceError, path: string, service: Service): unknown {
  const { status, code, message } = error;
  const more_info = `${documentation}#${anchorOf(path)}`;
  return {
    errors: [{ code, message, more_info }],
    trace: service.identifier(),
    status_code: status,
  };
}

export function errorAnswer(error: InferenceError, path: string, service: Service): Answer {
  return jsonAnswer(error.status, errorBody(error, path, service), error.headers);
}

export const noToken: InferenceError = {
  status: 401,
  code: 'authentication_no_token',
  message: 'Failed to authenticate the request due to no Bearer token in the request header',
};

export const tokenExpired: InferenceError = {
  status: 401,
  code: 'authentication_token_expired',
  message: 'Failed to authenticate the request due to an expired token',
};

export const tokenNotValid: InferenceError = {
  status: 401,
  code: 'authentication_token_not_valid',
  message:
    'Failed to authenticate the request due to invalid token: Failed to parse and verify token',
};

export const noProject: InferenceError = {
  status: 400,
  code: 'invalid_request_entity',
  message: 'Missing either space_id or project_id or wml_instance_crn',
};

export const quotaReached: InferenceError = {
  status: 403,
  code: 'token_quota_reached',
  message: 'Request of 1 token(s) from quota was rejected',
};

/**
 * The live service responds with a 403 that wraps a 404 from its project service. The value of
 * the outer `code` is inferred, not recorded.
 */
export function projectUnknown(projectId: string): InferenceError {
  const inner = {
    id: 'WSCPA0000E',
    code: 404,
    error: 'Not Found',
    reason: `Failed to retrieve project: ${projectId}. not_found.`,
    message: 'Resource requested by the client was not found.',
  };
  return {
    status: 403,
    code: 'authorization_rejected',
    message: `Failed to find the IBMid-EMULATED member in project_id ${projectId} ${JSON.stringify(inner)}`,
  };
}

export function projectWithoutRuntime(projectId: string): InferenceError {
  return {
    status: 403,
    code: 'no_associated_service_instance_error',
    message: `project_id ${projectId} is not associated with a WML instance`,
  };
}

export function modelUnknown(modelId: string): InferenceError {
  return {
    status: 404,
    code: 'model_not_supported',
    message: `Model '${modelId}' was not found. This model may be unsupported, deprecated, or removed.`,
  };
}

export function modelCannotChat(modelId: string): InferenceError {
  return {
    status: 400,
    code: 'model_no_support_for_function',
    message: `Model '${modelId}' does not support function 'function_text_chat'`,
  };
}

export function promptTooLong(modelId: string, tokens: number, limit: number): InferenceError {
  return {
    status: 400,
    code: 'invalid_input_argument',
    message: `Invalid input argument for Model '${modelId}': the number of input tokens ${tokens} cannot exceed the total tokens limit ${limit} for this model`,
  };
}

/** The chat operation forwards the error from its inference engine as JSON inside the message. */
export function chatTooLong(modelId: string, tokens: number, limit: number): InferenceError {
  const error = {
    message: `This model's maximum context length is ${limit} tokens. However, your request has ${tokens} input tokens.`,
    type: 'BadRequestError',
    param: null,
    code: 400,
  };
  return {
    status: 400,
    code: 'invalid_input_argument',
    message: `Invalid input argument for Model '${modelId}': ${JSON.stringify({ error })}`,
  };
}

export function rateLimitReached(perSecond: number): InferenceError {
  return {
    status: 429,
    code: 'rate_limit_reached_requests',
    message: `Rate limit of ${perSecond} requests per 1s was reached for instance id <ID> (user <USER>, plan <PLAN>)`,
    headers: { 'x-requests-limit-rate': `${perSecond}`, 'x-requests-limit-remaining': '0' },
  };
}

export function tooManyAtOnce(modelId: string, limit: number): InferenceError {
  return {
    status: 429,
    code: 'consumption_limit_reached',
    message: `The usage limit for the current plan has been reached: the total number of free concurrent requests for model ${modelId} has reached its limit ${limit}. Please try again later`,
  };
}

export function bodyInvalid(problem: string): InferenceError {
  return {
    status: 400,
    code: 'json_validation_error',
    message: `Json document validation error: ${problem}`,
  };
}

function anchorOf(path: string): string {
  return path.replace(/^\/ml\/v1\//u, '').replaceAll(/[/_]/gu, '-');
}
