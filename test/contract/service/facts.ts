import assert from 'node:assert/strict';
import type { ErrorDetails, ServiceError } from '../../../src/service/errors.ts';

/** The details that a failed request's error can have, and the format of each detail. */
const facts: Readonly<Partial<Record<keyof ErrorDetails, RegExp>>> = {
  status: /^[1-5]\d\d$/,
  code: /^[A-Za-z0-9._-]{1,64}$/,
  requestId: /^[A-Za-z0-9._-]{1,64}$/,
  host: /^[a-z0-9.:[\]-]{1,260}$/,
  redirectHost: /^[a-z0-9.:[\]-]{1,260}$/,
  proxy: /^[a-z0-9.:[\]-]{1,260}$/,
  attempts: /^[1-5]$/,
  retryAfterMs: /^\d+$/,
  limit: /^\d+$/,
  actual: /^\d+$/,
  phase: /^(connect|start|idle|total)$/,
};

/**
 * Asserts that an error has only the details in `facts`, and only in the formats listed there. The
 * error must not have other properties, such as a cause.
 */
export function assertOnlyFacts(error: ServiceError): void {
  const own = Object.getOwnPropertyNames(error).toSorted();
  assert.deepEqual(own, ['details', 'kind', 'message', 'name', 'stack']);
  for (const [name, value] of Object.entries(error.details)) {
    const looks = Object.hasOwn(facts, name) && facts[name as keyof ErrorDetails];
    assert.ok(looks instanceof RegExp && looks.test(`${value}`), `${name}: ${value}`);
  }
}
