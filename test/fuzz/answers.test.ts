import assert from 'node:assert/strict';
import fc from 'fast-check';
import { messageFor } from '../../src/messages/messages.ts';
import { readChat, readGeneration } from '../../src/service/api/responseReader.ts';
import { readTokenCount } from '../../src/service/api/watsonx.ts';
import { inferenceFailure } from '../../src/service/api/watsonxFailure.ts';
import { readModels } from '../../src/service/api/watsonxModelList.ts';
import { identityFailure } from '../../src/service/auth/identityFailure.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { parseJson } from '../../src/service/schemaHelpers.ts';
import { nasty, repeat, seed } from './fuzz.ts';

const FOREIGN = 'f0reign words';
const anything = fc.oneof(nasty, fc.jsonValue(), fc.constant(FOREIGN));

/** Generates objects with these keys. Each key can be missing or have any value. */
const shaped = (...keys: string[]) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, anything])), { requiredKeys: [] });

const errorBodies = fc.oneof(
  fc.record({
    errors: fc.array(shaped('code', 'message', 'more_info'), { maxLength: 3 }),
    trace: anything,
    status_code: anything,
  }),
  fc.record({
    errorCode: anything,
    errorMessage: anything,
    context: fc.oneof(anything, shaped('requestId')),
  }),
  fc.record({ error: shaped('code', 'message', 'request_id') }),
  shaped('code', 'message'),
  anything,
);
const answers = fc.oneof(
  fc.record({
    choices: fc.array(
      fc.record({
        message: fc.oneof(anything, shaped('content')),
        finish_reason: anything,
      }),
      { maxLength: 2 },
    ),
    usage: fc.oneof(anything, shaped('completion_tokens', 'prompt_tokens')),
    system: fc.oneof(
      anything,
      fc.record({ warnings: fc.oneof(anything, fc.array(shaped('id'), { maxLength: 2 })) }),
    ),
  }),
  fc.record({
    results: fc.array(
      shaped('generated_text', 'stop_reason', 'generated_token_count', 'input_token_count'),
      { maxLength: 2 },
    ),
    system: anything,
  }),
  fc.record({
    resources: fc.array(shaped('model_id', 'label', 'provider', 'functions', 'lifecycle'), {
      maxLength: 2,
    }),
    next: anything,
  }),
  fc.record({ result: fc.oneof(anything, shaped('token_count')) }),
  anything,
);

describe('service responses', () => {
  it(`F01 F06 F07: never leak their error text into failures or messages (seed ${seed})`, async () => {
    await repeat(
      'error responses',
      [fc.integer({ min: 300, max: 599 }), errorBodies],
      (status, body) => {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        for (const failure of [identityFailure, inferenceFailure]) {
          const error = failure({ status, text });
          for (const word of [error.details.code, error.details.requestId]) {
            if (word !== undefined) assert.match(word, /^[A-Za-z0-9._-]{1,64}$/);
          }
          const reported = `${JSON.stringify(error)} ${error.message} ${messageFor(error)?.text}`;
          assert.ok(!reported.includes(FOREIGN), reported);
        }
      },
    );
  });

  it(`yield values of the expected types, or are rejected as unexpected (seed ${seed})`, async () => {
    await repeat('text responses', [answers], (answer) => {
      const json = parseJson(JSON.stringify(answer));
      for (const read of [readChat, readGeneration]) {
        const piece = unlessUnexpected(() => read(json));
        if (!piece) continue;
        assert.equal(typeof piece.text, 'string');
        for (const count of [piece.inputTokens, piece.outputTokens]) {
          assert.ok(count === undefined || (Number.isInteger(count) && count >= 0));
        }
        for (const id of piece.warnings) assert.match(id, /^\w{1,64}$/);
      }
      const tokens = unlessUnexpected(() => readTokenCount(json));
      assert.ok(tokens === undefined || (Number.isInteger(tokens) && tokens >= 0));
      for (const { id } of unlessUnexpected(() => readModels(json, undefined))?.models ?? []) {
        // Some services append a version to the ID.
        assert.match(id, /^[\w./:-]{1,128}(@[\w-]{1,32})?$/);
        assert.doesNotMatch(id, /:\/\//);
      }
    });
  });
});

function unlessUnexpected<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'unexpected-answer', String(error));
    return undefined;
  }
}
