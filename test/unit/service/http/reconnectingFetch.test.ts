import assert from 'node:assert/strict';
import { reconnectingFetch } from '../../../../src/service/http/reconnectingFetch.ts';

/**
 * `fetch` can pick a keep-alive connection that closes before the first byte is sent. These tests
 * simulate this failure, which is retried once, and similar failures, which must not be retried.
 */
describe('reconnectingFetch', () => {
  const { fetch } = globalThis;
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  const asked = async (failures: readonly NodeJS.ErrnoException[], pulls = false) => {
    const left = [...failures];
    let times = 0;
    globalThis.fetch = async (_, init) => {
      times += 1;
      const cause = left.shift();
      if (!cause) return new Response('done');
      if (pulls && init?.body instanceof ReadableStream) await init.body.getReader().read();
      throw new TypeError('fetch failed', { cause });
    };
    const init = { method: 'POST', body: 'text' };
    const outcome = await reconnectingFetch('http://127.0.0.1:9/', init).then(
      (response) => response.text(),
      () => 'failed',
    );
    return [outcome, times];
  };
  const failure = (code: string, syscall?: string) =>
    Object.assign(new Error(code), { code, ...(syscall && { syscall }) });

  for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']) {
    it(`retries once if a reused connection fails with ${code} before sending data`, async () => {
      assert.deepEqual(await asked([failure(code)]), ['done', 2]);
      assert.deepEqual(await asked([failure(code), failure(code)]), ['failed', 2]);
    });
  }

  it("doesn't retry if no connection was established, or if any data was sent", async () => {
    assert.deepEqual(await asked([failure('ECONNREFUSED', 'connect')]), ['failed', 1]);
    assert.deepEqual(await asked([failure('ECONNRESET', 'connect')]), ['failed', 1]);
    assert.deepEqual(await asked([failure('ECONNRESET')], true), ['failed', 1]);
  });
});
