import assert from 'node:assert/strict';
import { inferenceFailure } from '../../../../src/service/api/watsonxFailure.ts';
import { ServiceError } from '../../../../src/service/errors.ts';
import { toFailure } from '../../../../src/service/http/requestFailure.ts';
import { clientOn, failureOf, fakeNetwork } from '../fixtures.ts';

const request = { url: 'https://service.example/path', failure: inferenceFailure };

describe('a request that fails with 429 because a quota is used up', () => {
  it("isn't retried", async () => {
    const json = { errors: [{ code: 'token_quota_reached', message: '' }] };
    const network = fakeNetwork(() => ({ status: 429, json }));
    const { client } = clientOn({ fetch: network.fetch, waitMs: () => 1 });
    const { kind, details } = await failureOf(client.generateText('Hi', {}));
    assert.deepEqual([kind, details.attempts, network.sent.length], ['quota-used-up', 1, 1]);
  });
});

describe('a failed request', () => {
  it('is reported with the original error if that error is a ServiceError', () => {
    const error = new ServiceError('rate-limited', { status: 429 });
    assert.deepEqual(toFailure(error, request, 0), { error, isTransient: false });
  });

  it('is reported as connection-lost if the error is unknown', () => {
    const { error, isTransient } = toFailure(new RangeError('x'), request, 0);
    assert.deepEqual([error.kind, error.cause, isTransient], ['connection-lost', undefined, false]);
  });
});
