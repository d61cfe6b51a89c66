import * as v from 'valibot';
import {
  type FoundDetails,
  INPUT_ARGUMENT,
  KIND_BY_CODE,
  plainWord,
  REQUEST_ENTITY,
  ServiceError,
} from '../errors.ts';
import type { ErrorResponse } from '../http/httpTypes.ts';
import { parseJson, shape } from '../schemaHelpers.ts';
import { failureOfKind, foreignFailure, kindOfStatus } from './statusFailure.ts';

/**
 * Converts error responses to failures, based on the status, the code, and in some cases the
 * message. The status alone is ambiguous: a 403 can mean an exhausted quota, the wrong project, or
 * a lack of access. The rules for the service's own formats are based on documented or recorded
 * responses.
 */

/**
 * Matches the message that a 403 contains if the project doesn't exist or the user isn't a member
 * of it.
 */
const NOT_A_MEMBER = /WSCPA0000E|member in project/;

const inferenceError = shape({
  errors: v.pipe(
    v.array(shape({ code: v.optional(v.unknown()), message: v.optional(v.string(), '') })),
    v.minLength(1),
  ),
  trace: v.optional(v.string()),
  status_code: v.optional(v.number()),
});

/** The formats in which the service's own gateway reports errors, such as an expired token. */
const gatewayError = v.union([
  shape({ code: v.number(), message: v.string() }),
  shape({ error: shape({ code: v.string(), message: v.string(), request_id: v.string() }) }),
]);

export function inferenceFailure({ status, text }: ErrorResponse): ServiceError {
  const json = parseJson(text);
  const body = v.safeParse(inferenceError, json);
  if (!body.success) {
    const isOwn = v.is(gatewayError, json);
    return isOwn
      ? new ServiceError(kindOfStatus(status), { status })
      : foreignFailure({ status, text });
  }
  const { errors, trace } = body.output;
  const [{ code, message } = { code: undefined, message: '' }] = errors;
  const details = { status, code: plainWord(code), requestId: plainWord(trace) };
  if (status === 403 && NOT_A_MEMBER.test(message)) {
    return new ServiceError('project-unknown', details);
  }
  if (code === INPUT_ARGUMENT) return inputFailure(message, details);
  if (code === REQUEST_ENTITY && /\b(space|project)_id\b/.test(message)) {
    return new ServiceError('project-missing', details);
  }
  const known = typeof code === 'string' && Object.hasOwn(KIND_BY_CODE, code);
  const kind = known ? KIND_BY_CODE[code] : undefined;
  return failureOfKind(kind ?? kindOfStatus(status), message, details);
}

/**
 * Returns the failure, if any, that a stream event or a response with status 200 reports. The name
 * of the event doesn't matter, because an event with any name can report an error.
 */
export function failureInEvent(json: unknown): ServiceError | undefined {
  // Skip events that can't be errors, because validating every event would slow down the stream.
  if (typeof json !== 'object' || json === null || !('errors' in json)) return undefined;
  const body = v.safeParse(inferenceError, json);
  if (!body.success) return undefined;
  return inferenceFailure({ status: body.output.status_code ?? 500, text: JSON.stringify(json) });
}

/**
 * Returns `prompt-too-long`, with the token counts, for messages such as "…input tokens 4098 cannot
 * exceed the total tokens limit 4096…". Returns `bad-request` for any other message. The second
 * pattern matches messages in which the limit comes first. The wildcards in both patterns are
 * bounded, so matching takes linear time.
 */
function inputFailure(message: string, details: FoundDetails): ServiceError {
  const counts =
    /input tokens (?<actual>\d+) cannot exceed .{0,200}? limit (?<limit>\d+)/.exec(message) ??
    /context length is (?<limit>\d+) tokens.{0,200}? (?<actual>\d+) input tokens/.exec(message);
  if (!counts?.groups) return failureOfKind('bad-request', message, details);
  return new ServiceError('prompt-too-long', {
    ...details,
    limit: Number(counts.groups['limit']),
    actual: Number(counts.groups['actual']),
  });
}
