import assert from 'node:assert/strict';
import { KIND_BY_OPENAI_CODE, openai } from '../../../src/service/api/openai.ts';
import { KIND_BY_INFERENCE_STATUS } from '../../../src/service/api/statusFailure.ts';
import { failureInEvent, inferenceFailure } from '../../../src/service/api/watsonxFailure.ts';
import { identityFailure } from '../../../src/service/auth/identityFailure.ts';
import {
  type ErrorKind,
  KIND_BY_CODE,
  KIND_BY_IDENTITY_CODE,
  KIND_BY_STATUS,
} from '../../../src/service/errors.ts';

const errors = (code: string, message = '', status = 400) =>
  JSON.stringify({ errors: [{ code, message }], trace: 'abc', status_code: status });
const html = '<html><body>503 Service Unavailable</body></html>';
const nginxTooLarge = '<head><title>400 Request Header Or Cookie Too Large</title></head>';
const notMember =
  'Failed to find the IBMid-1 member in project_id p {"id":"WSCPA0000E","code":404}';
const tooLong = (text: string) => `Invalid input argument for Model 'm': ${text}`;

/** Asserts that a test table has a row for each code or status that has an error kind. */
function assertRows(known: object, isTested: (one: string) => boolean): void {
  const untested = Object.keys(known).filter((one) => !isTested(one));
  assert.deepEqual(untested, [], 'add a row for each of these to the table above this test');
}

describe('error responses to inference requests', () => {
  // Responses from the service's documentation, and responses observed in practice.
  const table: readonly [number, string, string, ErrorKind][] = [
    [401, 'authentication_token_expired', 'due to an expired token', 'unauthorized'],
    [401, 'authentication_token_not_valid', 'due to invalid token', 'unauthorized'],
    [401, 'authentication_no_token', 'due to no Bearer token', 'unauthorized'],
    [403, 'no_associated_service_instance_error', 'not associated', 'project-without-runtime'],
    [403, 'token_quota_reached', 'Request of 1 token(s) was rejected', 'quota-used-up'],
    [429, 'token_quota_reached', 'Request of 1 token(s) was rejected', 'quota-used-up'],
    [403, 'authorization_rejected', 'User authorization failed', 'forbidden'],
    [403, 'user_authorization_failed', 'User authorization failed', 'forbidden'],
    [403, 'authorization_rejected', notMember, 'project-unknown'],
    [403, 'any', notMember, 'project-unknown'],
    [404, 'model_not_supported', "Model 'X' was not found.", 'model-unknown'],
    [400, 'model_not_supported', "Model 'X' was not found.", 'model-unknown'],
    [400, 'model_no_support_for_function', "'function_text_chat'", 'operation-unsupported'],
    [400, 'invalid_request_entity', 'Missing either space_id or project_id', 'project-missing'],
    [400, 'invalid_request_entity', "The Json field 'input' is required", 'bad-request'],
    [422, 'invalid_request_entity', 'Missing either space_id or project_id', 'project-missing'],
    [400, 'json_validation_error', "'input' cannot be missing or empty", 'bad-request'],
    [400, 'json_type_error', "'input' must be a string", 'bad-request'],
    [429, 'rate_limit_reached_requests', 'Rate limit of 2 requests per 1s', 'rate-limited'],
    [429, 'consumption_limit_reached', 'has reached its limit 10', 'capacity-full'],
    [400, 'invalid_instance_status_error', '', 'project-without-runtime'],
    [404, 'container_not_found', '', 'project-unknown'],
    ...[500, 501, 502, 503, 504, 520, 521, 524, 599].map(
      (status): [number, string, string, ErrorKind] => [status, 'any', '', 'server-failed'],
    ),
  ];
  for (const [status, code, message, kind] of table) {
    it(`are reported as ${kind}: ${status} ${code} "${message.slice(0, 40)}"`, () => {
      const failure = inferenceFailure({ status, text: errors(code, message, status) });
      assert.deepEqual([failure.kind, failure.details], [kind, { status, code, requestId: 'abc' }]);
    });
  }

  it('are tested with every known error code', () => {
    assertRows(KIND_BY_CODE, (known) => table.some(([, code]) => code === known));
  });

  const lengths: readonly [string, number, number][] = [
    ['the number of input tokens 4098 cannot exceed the total tokens limit 4096 for', 4_098, 4_096],
    [
      'maximum context length is 131072 tokens. However, your request has 600039 input tokens.',
      600_039,
      131_072,
    ],
  ];
  for (const [text, actual, limit] of lengths) {
    it(`are reported as prompt-too-long, with the length and the limit: 400 invalid_input_argument "${text.slice(0, 40)}…"`, () => {
      const body = errors('invalid_input_argument', tooLong(text));
      const { kind, details } = inferenceFailure({ status: 400, text: body });
      const expected = ['prompt-too-long', actual, limit];
      assert.deepEqual([kind, details.actual, details.limit], expected);
    });
  }

  for (const [message, names] of [
    ["Parameter 'top_p' isn't supported by this model", ['top_p']],
    ['max_tokens is too large: 8192', ['max_new_tokens']],
    ['top_p must be at most 1 (temperature=0.5)', ['top_p', 'temperature']],
    ['max_tokens and max_completion_tokens must be at least 1', ['max_new_tokens']],
    ["0 is less than the minimum of 1 - 'max_tokens'", ['max_new_tokens']],
    ['max_new_tokens should not be higher than 900', ['max_new_tokens']],
    ["Invalid value for 'max_tokens': 99999", ['max_new_tokens']],
    ['extra fields not permitted: max_tokens', undefined],
    ["'max_tokens' is not supported with gpt-4.1", undefined],
    ['Unrecognized request argument: max_tokens', undefined],
    ['Error code: 400. Unrecognized request argument: max_tokens (gpt-5)', undefined],
    ["max_new_tokens isn't supported by this model", undefined],
    ['something else', undefined],
  ] as const) {
    it(`are reported with any user-correctable parameters they mention: ${message}`, () => {
      const body = errors('invalid_input_argument', message);
      const error = { message, type: 'invalid_request_error', code: null };
      const found = [
        inferenceFailure({ status: 400, text: body }),
        openai('/v1').failure({ status: 400, text: JSON.stringify({ error }) }),
      ];
      for (const { kind, details } of found)
        assert.deepEqual([kind, details.names], ['bad-request', names]);
    });
  }

  const byStatus: readonly [number, string, ErrorKind][] = [
    [400, errors('invalid_input_argument', 'something else'), 'bad-request'],
    [400, '', 'bad-request'],
    [401, '', 'intercepted'],
    [401, html, 'intercepted'],
    [401, '{"error":"blocked by your company"}', 'intercepted'],
    [401, '{"code":401,"message":"x","description":"jwt expired"}', 'unauthorized'],
    [402, '', 'bad-request'],
    [403, html, 'intercepted'],
    [403, `<p>${notMember}</p>`, 'intercepted'],
    [404, '<p>no such project</p>', 'unexpected-answer'],
    [404, errors('any', 'project p was not found'), 'unexpected-answer'],
    [403, '{"error":{"code":"x","message":"y","request_id":"z"}}', 'forbidden'],
    [404, html, 'unexpected-answer'],
    [407, html, 'proxy'],
    [408, '', 'timeout'],
    [409, '', 'bad-request'],
    [429, html, 'rate-limited'],
    [431, '', 'headers-too-large'],
    [400, html, 'bad-request'],
    [400, nginxTooLarge, 'headers-too-large'],
    [413, html, 'bad-request'],
    [414, nginxTooLarge, 'bad-request'],
    [503, html, 'server-failed'],
    [500, '{"errors":[]}', 'server-failed'],
    [500, '{"errors":"x"}', 'server-failed'],
    [500, 'null', 'server-failed'],
    [400, errors('__proto__'), 'bad-request'],
    [400, errors('toString'), 'bad-request'],
  ];
  for (const [status, text, kind] of byStatus) {
    it(`are reported as ${kind}: ${status} with ${text.slice(0, 50) || 'no body'}`, () => {
      assert.equal(inferenceFailure({ status, text }).kind, kind);
    });
  }

  it('are tested with every status that has its own error kind', () => {
    assertRows({ ...KIND_BY_STATUS, ...KIND_BY_INFERENCE_STATUS }, (known) =>
      byStatus.some(([status]) => status === Number(known)),
    );
  });

  it('are reported without their messages, unsafe codes, or unsafe request IDs', () => {
    const text = errors('[x](command:y)', 'user 1, instance 2').replace('"abc"', '"a b"');
    assert.deepEqual(inferenceFailure({ status: 400, text }).details, { status: 400 });
  });
});

describe('error responses from OpenAI-compatible services', () => {
  /** A response for a code that is documented without an example. */
  const error = (fields: object) => JSON.stringify({ error: { message: 'text', ...fields } });
  // For a new code, use a complete response from the service's documentation. If there's none, use
  // one from a public issue, and cite the issue. With `error()`, cite the page that lists the code.
  const table: readonly [number, string, ErrorKind][] = [
    [404, error({ type: 'invalid_request_error', code: 'model_not_found' }), 'model-unknown'],
    // vLLM
    [404, error({ type: 'NotFoundError', param: 'model', code: 404 }), 'model-unknown'],
    [404, error({ type: 'Not Found', param: null, code: 404 }), 'unexpected-answer'],
    [401, JSON.stringify({ error: 'Unauthorized' }), 'unauthorized'],
    // Ollama
    [404, error({ type: 'not_found_error', param: null, code: null }), 'model-unknown'],
    [404, '404 page not found', 'unexpected-answer'],
    // Groq
    [400, error({ type: 'invalid_request_error', code: 'model_decommissioned' }), 'model-unknown'],
    [401, error({ type: 'invalid_request_error', code: 'invalid_api_key' }), 'unauthorized'],
    [401, error({ type: 'invalid_request_error', code: 'token_expired' }), 'unauthorized'],
    [429, error({ type: 'insufficient_quota', code: 'insufficient_quota' }), 'quota-used-up'],
    // LiteLLM
    [400, error({ type: 'budget_exceeded', param: null, code: '400' }), 'quota-used-up'],
    [413, error({ type: 'tokens', code: 'rate_limit_exceeded' }), 'bad-request'],
    [429, error({ type: 'tokens', code: 'rate_limit_exceeded' }), 'rate-limited'],
    // A proxy
    [401, '<h1>Unauthorized</h1>', 'intercepted'],
  ];
  for (const [status, text, kind] of table) {
    it(`are reported as ${kind}: ${status} with ${text}`, () => {
      assert.equal(openai('/v1').failure({ status, text }).kind, kind);
    });
  }

  it('are tested with every known error code', () => {
    assertRows(KIND_BY_OPENAI_CODE, (known) =>
      table.some(([, text]) => text.includes(`"${known}"`)),
    );
  });

  for (const [code, kind] of [
    [401, 'unauthorized'],
    [429, 'rate-limited'],
    ['429', 'rate-limited'],
    [null, 'server-failed'],
    [1_301, 'server-failed'],
  ] as const) {
    it(`are reported as ${kind}: an event with the error code ${JSON.stringify(code)}`, () => {
      const event = { error: { message: 'text', type: 'error', code } };
      assert.equal(openai('/v1').failureInEvent(event)?.kind, kind);
    });
  }

  const lengths: readonly [string, object, number?, number?][] = [
    [
      'maximum context length is 4097 tokens. However, your messages resulted in 5000 tokens.',
      { type: 'invalid_request_error', code: 'context_length_exceeded' },
      5_000,
      4_097,
    ],
    // vLLM
    [
      'maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion).',
      { type: 'BadRequestError', code: 400 },
      19_591,
      16_384,
    ],
    [
      'maximum context length is 131072 tokens. However, your request has 600039 input tokens.',
      { type: 'BadRequestError', code: 400 },
      600_039,
      131_072,
    ],
    [
      "You passed 98305 input tokens and requested 32768 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 98304 tokens.",
      { type: 'BadRequestError', param: 'input_tokens', code: 400 },
    ],
    // LiteLLM
    [
      "litellm.ContextWindowExceededError: OpenAIException - This model's maximum context length is 16384 tokens. However, your request has 19427 input tokens.",
      { type: null, param: null, code: '400' },
      19_427,
      16_384,
    ],
  ];
  for (const [message, fields, actual, limit] of lengths) {
    it(`are reported as prompt-too-long: 400 with "${message}"`, () => {
      const text = error({ message, ...fields });
      const { kind, details } = openai('/v1').failure({ status: 400, text });
      const expected = ['prompt-too-long', actual, limit];
      assert.deepEqual([kind, details.actual, details.limit], expected);
    });
  }

  it('are reported as bad-request if max_tokens alone is too large', () => {
    const message =
      "'max_tokens' is too large: 20000. This model's maximum context length is 16384 tokens and your request has 12 input tokens.";
    const text = error({ message, type: 'BadRequestError', code: 400 });
    assert.equal(openai('/v1').failure({ status: 400, text }).kind, 'bad-request');
  });
});

describe('a watsonx stream event', () => {
  it('is an error only if it contains a nonempty list of errors', () => {
    const event = JSON.parse(errors('rate_limit_reached_requests', '', 429));
    assert.equal(failureInEvent(event)?.kind, 'rate-limited');
    const { status_code: _, ...without } = event;
    assert.equal(failureInEvent({ ...without, errors: [{}] })?.kind, 'server-failed');
    for (const json of [null, [], 'x', 123, {}, { errors: [] }, { choices: [] }, undefined]) {
      assert.equal(failureInEvent(json), undefined);
    }
  });
});

describe('error responses from the identity service', () => {
  const rejection = (errorCode: string) =>
    JSON.stringify({ errorCode, errorMessage: 'text', context: { requestId: 'abc-1' } });
  const table: readonly [number, string, ErrorKind][] = [
    [400, rejection('BXNIM0415E'), 'key-rejected'],
    [401, rejection('BXNIM0415E'), 'key-rejected'],
    [403, rejection('BXNIM9999E'), 'key-rejected'],
    [400, rejection('BXNIM0106E'), 'token-request-rejected'],
    [429, '{"errorCode":"X","errorMessage":"Too many requests"}', 'rate-limited'],
    [500, rejection('X'), 'server-failed'],
    [503, html, 'server-failed'],
    [407, html, 'proxy'],
    [400, html, 'unexpected-answer'],
    [401, '', 'unexpected-answer'],
    [403, '{"error":"blocked by your company"}', 'unexpected-answer'],
    [404, rejection('BXNIM0415E'), 'unexpected-answer'],
  ];
  for (const [status, text, kind] of table) {
    it(`are reported as ${kind}: ${status} with ${text.slice(0, 50) || 'no body'}`, () => {
      assert.equal(identityFailure({ status, text }).kind, kind);
    });
  }

  it('are tested with every known error code', () => {
    assertRows(Object.fromEntries(KIND_BY_IDENTITY_CODE), (known) =>
      table.some(([, text]) => text.includes(known)),
    );
  });

  it('are tested with every status that has the same meaning for all services', () => {
    assertRows(KIND_BY_STATUS, (known) => table.some(([status]) => status === Number(known)));
  });
});
