import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { readServices } from '../../../src/service/addedServices.ts';
import { FakeTime } from '../../unit/service/fixtures.ts';
import { type IdentityProvider, startIdentityProvider } from './identityProvider.ts';
import { endWorlds, failureOf, startWorld, type World } from './world.ts';

/** Tests OAuth 2.0 client credentials with a third-party identity provider. */

const AUDIENCE = 'https://llm.acme.example/v1';
const TOKEN_LIFE_SECONDS = 600;
const chatPath = '/v1/chat/completions';
// The ID and the secrets contain characters that must be encoded. OAuth 2.0 allows only ASCII
// characters in IDs and secrets: https://www.rfc-editor.org/rfc/rfc6749#appendix-A
const client = { id: 'team one:client+%3A&=', secret: 'a secret: with +/%20 & "quotes"' };
const otherSecret = 'wrong secret: with +/%2B & "quotes"';
const clientAuthentications = ['client_secret_basic', 'client_secret_post'] as const;

interface StartOptions {
  readonly clientAuthentication?: (typeof clientAuthentications)[number];
  readonly scope?: string;
  readonly secret?: string;
}

describe('a client of a real identity provider', () => {
  const providers: IdentityProvider[] = [];
  let time: FakeTime;
  beforeEach(() => {
    // The fake time also applies to the provider and the service, because they run in this process.
    time = new FakeTime();
  });
  afterEach(async () => {
    time.end();
    await endWorlds();
    await Promise.all(providers.splice(0).map((provider) => provider.close()));
  });

  async function start({
    clientAuthentication = 'client_secret_basic',
    scope = 'models read',
    secret = client.secret,
  }: StartOptions = {}): Promise<{ readonly world: World; readonly provider: IdentityProvider }> {
    const provider = await startIdentityProvider({
      client: { ...client, authentication: clientAuthentication, scope: 'models read write' },
      audience: AUDIENCE,
      scope: 'models read write admin',
      tokenLifeSeconds: TOKEN_LIFE_SECONDS,
    });
    providers.push(provider);
    const entry = {
      ...{ word: 'acme', api: 'openai', prefix: '/v1', defaultModel: 'ibm/granite-4-h-small' },
      authentication: {
        ...{ kind: 'clientCredentials', tokenUrl: provider.tokenUrl },
        ...{ clientAuthentication, scope },
      },
    };
    const { own, issues } = readServices([entry]);
    assert.deepEqual(issues, []);
    const [service] = own;
    assert.ok(service);
    const acceptsToken = (token: string) => {
      const claims = provider.claimsOf(token);
      return (
        claims?.iss === provider.url && claims.aud === AUDIENCE && time.now() < claims.exp * 1_000
      );
    };
    const world = await startWorld({
      clock: time,
      emulator: { acceptsToken },
      credentials: (url) => ({
        ...{ service, account: client.id, apiKey: secret, projectId: '' },
        authUrl: service.authUrl,
        approved: { auth: provider.url, service: url },
      }),
    });
    return { world, provider };
  }

  /** Returns the bearer tokens that the service received, in order. */
  const tokensSent = ({ emulator }: World) =>
    emulator.requests.map(({ headers }) => headers.authorization?.replace(/^Bearer /, '') ?? '');

  for (const clientAuthentication of clientAuthentications) {
    it(`generates text with ${clientAuthentication} and credentials that must be encoded`, async () => {
      const { world, provider } = await start({ clientAuthentication });
      assert.match((await world.generate()).text, /Hello/);
      assert.deepEqual(provider.requests, ['POST /token']);
      assert.equal(world.emulator.count(chatPath), 1);
      const [token = ''] = tokensSent(world);
      const { client_id, scope } = provider.claimsOf(token) ?? {};
      assert.deepEqual({ client_id, scope }, { client_id: client.id, scope: 'models read' });
    });

    it(`reports a wrong secret as a rejected key, without revealing the secret (${clientAuthentication})`, async () => {
      const { world, provider } = await start({ clientAuthentication, secret: otherSecret });
      const error = await failureOf(world.generate());
      const { status, code } = error.details;
      assert.deepEqual([error.kind, status, code], ['key-rejected', 401, 'invalid_client']);
      const texts = JSON.stringify(error) + inspect(error, { depth: 12, showHidden: true });
      for (const secret of [client.id, client.secret, otherSecret]) {
        for (const form of formsOf(secret)) assert.ok(!texts.includes(form), form);
      }
      const basic = [client.id, otherSecret].map(formEncoded).join(':');
      assert.ok(!texts.includes(Buffer.from(basic).toString('base64')));
      assert.deepEqual(provider.requests, ['POST /token']);
      assert.equal(world.emulator.requests.length, 0);
    });
  }

  it("reports a rejected token request if the scope isn't allowed", async () => {
    const { world } = await start({ scope: 'models admin' });
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual([kind, details.code], ['token-request-rejected', 'invalid_scope']);
    assert.equal(world.emulator.requests.length, 0);
  });

  it('replaces a token before it expires, so the service never rejects a token', async () => {
    const { world, provider } = await start();
    await world.generate();
    await time.pass(400_000);
    await world.generate();
    assert.equal(provider.requests.length, 1);
    // After this pause, the token is valid for only half a minute, so the next generation waits for
    // a new token.
    await time.pass(170_000);
    await world.generate();
    assert.equal(provider.requests.length, 2);
    // After this pause, the first token has expired, so the service accepts only the second token.
    await time.pass(400_000);
    await world.generate();
    const [first, second, third, fourth, ...more] = tokensSent(world);
    assert.ok(first !== third);
    assert.deepEqual([second, fourth, more], [first, third, []]);
  });
});

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    formEncoded(secret),
    Buffer.from(secret).toString('base64'),
  ];
}
