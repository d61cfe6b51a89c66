import * as v from 'valibot';
import {
  type ErrorKind,
  type FoundDetails,
  INFERENCE_KINDS,
  INPUT_ARGUMENT,
  REQUEST_ENTITY,
  ServiceError,
  safeWord,
} from '../errors.ts';
import type { ErrorResponse } from '../http/httpRequest.ts';
import { parseJson, shape } from '../responseSchemas.ts';

/**
 * What an error answer means, by status and code together: a status alone misleads, since a
 * refused key is answered with 400, a used-up quota with 403 or 429, and a wrong project with 403
 * or 404. Each line here has an answer of the service behind it, documented or recorded.
 */

/** A project that does not exist, or has another owner, is a 403 with a 404 inside. */
const PROJECT_OF_OTHERS = /WSCPA0000E|member in project/;

const inferenceError = shape({
  errors: v.pipe(
    v.array(shape({ code: v.optional(v.unknown()), message: v.optional(v.string(), '') })),
    v.minLength(1),
  ),
  trace: v.optional(v.string()),
  status_code: v.optional(v.number()),
});

/** The gateway of the service has shapes of its own, as for a token that has ended. */
const gatewayError = v.union([
  shape({ code: v.number(), message: v.string() }),
  shape({ error: shape({ code: v.string(), message: v.string(), request_id: v.string() }) }),
]);

/** The failure that an inference answer reports. */
export function inferenceFailure({ status, text }: ErrorResponse): ServiceError {
  const json = parseJson(text);
  const body = v.safeParse(inferenceError, json);
  if (!body.success) {
    const isOwn = v.is(gatewayError, json);
    return isOwn ? new ServiceError(kindOfStatus(status), { status }) : foreignFailure(status);
  }
  const { errors, trace } = body.output;
  const [{ code, message } = { code: undefined, message: '' }] = errors;
  const details = { status, code: safeWord(code), requestId: safeWord(trace) };
  if (status === 403 && PROJECT_OF_OTHERS.test(message)) {
    return new ServiceError('project-unknown', details);
  }
  if (code === INPUT_ARGUMENT) return inputFailure(message, details);
  if (code === REQUEST_ENTITY && /\b(space|project)_id\b/.test(message)) {
    return new ServiceError('project-missing', details);
  }
  const known = typeof code === 'string' && Object.hasOwn(INFERENCE_KINDS, code);
  const kind = known ? INFERENCE_KINDS[code] : undefined;
  return new ServiceError(kind ?? kindOfStatus(status), details);
}

/**
 * The failure that an event inside a stream reports, or undefined if it reports none: a stream
 * that began with status 200 can still hold an error, whatever its event is called.
 */
export function failureInEvent(json: unknown): ServiceError | undefined {
  // To find out why an event is no error takes as long as to read it.
  if (typeof json !== 'object' || json === null || !('errors' in json)) return undefined;
  const body = v.safeParse(inferenceError, json);
  if (!body.success) return undefined;
  return inferenceFailure({ status: body.output.status_code ?? 500, text: JSON.stringify(json) });
}

/**
 * "…input tokens 4098 cannot exceed the total tokens limit 4096…", or the same the other way round.
 * Bounded, so that it is linear.
 */
function inputFailure(message: string, details: FoundDetails): ServiceError {
  const counts =
    /input tokens (?<actual>\d+) cannot exceed .{0,200}? limit (?<limit>\d+)/.exec(message) ??
    /context length is (?<limit>\d+) tokens.{0,200}? (?<actual>\d+) input tokens/.exec(message);
  if (!counts?.groups) return new ServiceError('bad-request', details);
  return new ServiceError('prompt-too-long', {
    ...details,
    limit: Number(counts.groups['limit']),
    actual: Number(counts.groups['actual']),
  });
}

/** An answer of an inference service that is not in its own shape. */
export function foreignFailure(status: number): ServiceError {
  const isRefusal = status === 401 || status === 403;
  return new ServiceError(isRefusal ? 'intercepted' : kindOfStatus(status), { status });
}

/** What a status alone tells of an inference service. */
export function kindOfStatus(status: number): ErrorKind {
  if (status < 400) return 'unexpected-answer';
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'unexpected-answer';
  if (status === 407) return 'proxy';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'server-failed' : 'bad-request';
}
