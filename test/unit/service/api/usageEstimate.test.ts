import assert from 'node:assert/strict';
import { usageOf, usageOfFailed } from '../../../../src/service/api/usageEstimate.ts';
import { type ErrorDetails, type ErrorKind, ServiceError } from '../../../../src/service/errors.ts';

describe('the token usage of a request', () => {
  const prompt = 'four'.repeat(10);
  const estimate = (outputTokens: number) => ({ inputTokens: 10, outputTokens, isEstimate: true });

  it('matches the counts that the service reports', () => {
    const usage = { inputTokens: 7, outputTokens: 3 };
    assert.deepEqual(usageOf(usage, prompt, 'text'), { ...usage, isEstimate: false });
  });

  it("is estimated if the service doesn't report counts", () => {
    assert.deepEqual(usageOf({ inputTokens: 0, outputTokens: 0 }, prompt, 'text'), estimate(1));
  });

  const failures: readonly (readonly [
    name: string,
    kind: ErrorKind,
    details: ErrorDetails,
    received: string,
    expected: object | undefined,
  ])[] = [
    [
      'an estimate if the request was canceled after it was sent',
      'cancelled',
      { attempts: 1 },
      '',
      estimate(0),
    ],
    ['undefined if the request was canceled before it was sent', 'cancelled', {}, '', undefined],
    ['an estimate if the connection broke', 'connection-lost', {}, 'text', estimate(1)],
    ['undefined if the request was rejected', 'bad-request', { attempts: 1 }, '', undefined],
  ];
  for (const [name, kind, details, received, expected] of failures) {
    it(`is ${name}`, () => {
      assert.deepEqual(usageOfFailed(new ServiceError(kind, details), prompt, received), expected);
    });
  }
});
