import assert from 'node:assert/strict';
import {
  type ApprovedTarget,
  createApprovedFetch,
} from '../../../../src/service/http/approvedFetch.ts';
import { kindOf } from '../fixtures.ts';

const url = 'https://service.example/path';
const secret = 'secret-of-the-test';
const target: ApprovedTarget = { origin: 'https://service.example', secrets: [secret] };

describe('the fetch function used for all requests', () => {
  function start(response: () => Response = () => new Response('done')) {
    const sent: (RequestInit | undefined)[] = [];
    const fetch = createApprovedFetch({
      fetch: async (_url, init) => {
        sent.push(init);
        return response();
      },
      startMs: 60_000,
      idleMs: 30_000,
      provenSecrets: () => ['secret-of-another-connection'],
    });
    return { fetch, sent };
  }

  for (const [what, address, init] of [
    ['to an unapproved origin', 'https://evil.example/path', {}],
    ['with a secret in its URL', `${url}?x=${secret}`, {}],
    ['with a secret in its body', url, { body: `x=${secret}` }],
    ['with a secret in its form data', url, { body: new URLSearchParams({ x: secret }) }],
    ['with the secret of a different connection', url, { body: 'secret-of-another-connection' }],
  ] as const) {
    it(`doesn't send a request ${what}`, async () => {
      const { fetch, sent } = start();
      const kind = await kindOf(fetch(address, { method: 'POST', ...init, target }));
      const isSecret = what.includes('secret');
      assert.equal(kind, isSecret ? 'setting-holds-secret' : 'host-not-approved');
      assert.equal(sent.length, 0);
    });
  }

  it('can send a secret in a token request', async () => {
    const { fetch, sent } = start();
    const body = `client_secret=${secret}`;
    const init = { method: 'POST', body, target: { ...target, sendsSecret: true } };
    assert.equal(await (await fetch(url, init)).text(), 'done');
    assert.deepEqual(
      [sent[0]?.body, Object.keys(sent[0] ?? {})],
      [body, ['method', 'body', 'signal']],
    );
  });

  it('returns a redirect instead of following it', async () => {
    const headers = { location: 'https://evil.example/' };
    const { fetch, sent } = start(() => new Response(null, { status: 307, headers }));
    const { status, headers: received } = await fetch(url, { target });
    assert.deepEqual([status, received.get('location')], [307, headers.location]);
    assert.equal(sent.length, 1);
  });

  it('drops the body of an error response over 64 KiB', async () => {
    for (const [length, expected] of [
      [65_536, 65_536],
      [65_537, 0],
    ] as const) {
      const { fetch } = start(() => new Response('x'.repeat(length), { status: 503 }));
      const response = await fetch(url, { target });
      assert.deepEqual([response.status, (await response.text()).length], [503, expected]);
    }
  });
});
