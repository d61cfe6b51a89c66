import assert from 'node:assert/strict';
import { readServices } from '../../../../src/service/addedServices.ts';
import type { TokenResponse } from '../../../../src/service/auth/token.ts';
import { TokenServices } from '../../../../src/service/auth/tokenServices.ts';
import type { Credentials } from '../../../../src/service/credentials.ts';
import type { ServiceError } from '../../../../src/service/errors.ts';
import { credentials, kindOf, never, tokenAnswer } from '../fixtures.ts';
import { down, rejected } from '../tokens.ts';

const acme = {
  ...{ word: 'acme', api: 'openai', defaultModel: 'm' },
  authentication: { kind: 'clientCredentials', tokenUrl: 'https://a.example/token' },
};
const [oauth = assert.fail()] = readServices([acme]).own;

describe('the token services of a window', () => {
  /**
   * Creates token services. If `failure` is set, each token request fails with it. Otherwise, each
   * request returns a token that contains the request's number.
   */
  function start() {
    const requests: Credentials[] = [];
    const world: { failure?: ServiceError; held?: Promise<void> } = {};
    const services = new TokenServices({
      fetchToken: async (wanted): Promise<TokenResponse> => {
        requests.push(wanted);
        const value = `token-number-${requests.length}`;
        await world.held;
        if (world.failure) throw world.failure;
        return { ...tokenAnswer, value };
      },
    });
    const test = (wanted: Credentials, check = async () => {}) =>
      services.test(wanted, check, never);
    return { services, requests, world, test };
  }

  const fails = async () => {
    throw down;
  };

  it('are shared by credentials that differ only in the project', () => {
    const { services } = start();
    const service = services.for(credentials);
    const equal = { ...credentials, approved: { ...credentials.approved }, projectId: 'other' };
    assert.equal(services.for(equal), service);
  });

  const others: Readonly<Record<string, Partial<Credentials>>> = {
    key: { apiKey: 'another-key' },
    account: { account: 'somebody' },
    service: { service: { ...credentials.service, word: 'other' } },
    'authentication method': {
      service: { ...credentials.service, authentication: { kind: 'cloudPak' } },
    },
    'header secret': { headerSecrets: { Team: 'a-secret' } },
    program: { program: '/usr/bin/other' },
    'identity address': { authUrl: 'https://identity.example/path' },
    'identity origin': { approved: { ...credentials.approved, auth: 'https://b.example' } },
    'service origin': { approved: { ...credentials.approved, service: 'https://b.example' } },
  };
  for (const [what, change] of Object.entries(others)) {
    it(`aren't shared between credentials that differ in their ${what}`, () => {
      const { services } = start();
      const service = services.for(credentials);
      assert.notEqual(services.for({ ...credentials, ...change }), service);
    });
  }

  it('reuse the token from a connection test', async () => {
    const { services, requests, test } = start();
    await test(credentials);
    assert.equal((await services.for(credentials).get(never)).value, 'token-number-1');
    assert.equal(requests.length, 1);
  });

  it("H17: don't resend a key that failed a test unless the test is repeated", async () => {
    const { services, requests, world, test } = start();
    world.failure = rejected;
    assert.equal(await kindOf(test(credentials)), 'key-rejected');
    assert.equal(await kindOf(services.for(credentials).get(never)), 'key-rejected');
    assert.deepEqual([requests.length, services.isRejected(credentials.apiKey)], [1, true]);
    assert.equal(await kindOf(test(credentials)), 'key-rejected');
    assert.equal(requests.length, 2);
  });

  it('are kept while in use, even if a test of their credentials fails', async () => {
    const { services, test } = start();
    const service = services.for(credentials);
    await service.get(never);
    assert.equal(await kindOf(test(credentials, fails)), 'server-failed');
    assert.equal(services.for(credentials), service);
    assert.equal(service.hasValidToken, true);
  });

  it('test credentials with a new token, even if the existing one is still valid', async () => {
    const { services, requests, world, test } = start();
    await services.for(credentials).get(never);
    world.failure = rejected;
    assert.equal(await kindOf(test(credentials)), 'key-rejected');
    assert.equal(requests.length, 2);
    assert.equal(services.isRejected(credentials.apiKey), true);
  });

  it('resend a rejected key if the user tests the credentials', async () => {
    const { services, requests, world, test } = start();
    world.failure = rejected;
    assert.equal(await kindOf(services.for(credentials).get(never)), 'key-rejected');
    assert.equal(await kindOf(services.for(credentials).get(never)), 'key-rejected');
    assert.equal(requests.length, 1);
    delete world.failure;
    await test(credentials);
    assert.deepEqual([requests.length, services.isRejected(credentials.apiKey)], [2, false]);
  });

  it('resend a rejected key if the user saves it again', async () => {
    const { services, requests, world } = start();
    const service = services.for(credentials);
    world.failure = rejected;
    assert.equal(await kindOf(service.get(never)), 'key-rejected');
    delete world.failure;
    services.forgetRejection('another-key');
    assert.equal(await kindOf(service.get(never)), 'key-rejected');
    services.forgetRejection(credentials.apiKey);
    assert.deepEqual(
      [service.state.kind, services.isRejected(credentials.apiKey)],
      ['none', false],
    );
    await service.get(never);
    assert.equal(requests.length, 2);
  });

  it("don't treat a key as rejected if it works with another account", async () => {
    const { services, world, test } = start();
    const withClient = (account: string) => ({ ...credentials, service: oauth, account });
    world.failure = rejected;
    assert.equal(await kindOf(test(withClient('wrong-client'))), 'key-rejected');
    delete world.failure;
    await test(withClient('right-client'));
    assert.equal(services.isRejected(credentials.apiKey), false);
    world.failure = rejected;
    assert.equal(await kindOf(test(withClient('right-client'))), 'key-rejected');
    assert.equal(services.isRejected(credentials.apiKey), true);
  });

  it('remember each secret only once, even if the user signs out twice', async () => {
    const { services } = start();
    for (const _ of ['first', 'second']) {
      await services.for(credentials).get(never);
      services.forget();
    }
    const remembered = [credentials.apiKey, 'token-number-1', 'token-number-2'];
    assert.deepEqual(services.secrets.toSorted(), remembered.toSorted());
    assert.deepEqual(services.provenSecrets.toSorted(), remembered.toSorted());
  });

  it("discard a running test's token at sign-out, even if another test failed", async () => {
    const { services, test } = start();
    const held = Promise.withResolvers<void>();
    const alive: boolean[] = [];
    const slow = services.test(
      credentials,
      async (service) => {
        await held.promise;
        alive.push(service.hasValidToken);
      },
      never,
    );
    assert.equal(await kindOf(test(credentials, fails)), 'server-failed');
    services.forget();
    held.resolve();
    await slow;
    assert.deepEqual(alive, [false]);
  });

  it('discard the response to a request that was pending at sign-out', async () => {
    const { services, world } = start();
    const held = Promise.withResolvers<void>();
    world.held = held.promise;
    const waiting = kindOf(services.for(credentials).get(never));
    services.forget();
    held.resolve();
    assert.equal(await waiting, 'cancelled');
    assert.equal(services.for(credentials).hasValidToken, false);
  });

  it("remember each account's Basic header value, even if accounts share a secret", async () => {
    const { services } = start();
    const accounts = ['first-client', 'other-client'];
    for (const account of accounts) {
      await services.for({ ...credentials, service: oauth, account }).get(never);
    }
    services.forget();
    const basic = accounts.map((account) => btoa(`${account}:${credentials.apiKey}`));
    for (const secret of [...basic, 'token-number-1', 'token-number-2']) {
      assert.ok(services.secrets.includes(secret), secret);
      assert.ok(services.provenSecrets.includes(secret), secret);
    }
    services.dispose();
    assert.deepEqual(services.secrets, []);
  });
});
