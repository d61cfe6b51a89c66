import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { installPeers } from '../bench/peers.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { oauthPath } from '../emulator/otherAuthMethods.ts';
import { defaultAccount, defaultApiKey, defaultProjectId } from '../emulator/settings.ts';

/**
 * Tests the emulated services with third-party clients, to show that the emulator isn't tailored to
 * our own client.
 */

const load = createRequire(resolve('test/bench/peers/package.json'));
const modelId = 'ibm/granite-4-h-small';
const messages = [{ role: 'user', content: 'Write a haiku' }];
const oauth = { scope: 'models', audience: 'https://gw.example' };

describe('third-party clients', () => {
  let emulator: Emulator;
  before(async () => {
    await installPeers();
    emulator = await startEmulator({ oauth });
  });
  after(() => emulator.close());

  function sdk(isPlatform = false) {
    const { WatsonXAI } = load('@ibm-cloud/watsonx-ai');
    const { IamAuthenticator, CloudPakForDataAuthenticator } = load('ibm-cloud-sdk-core');
    const { url } = emulator;
    const platform = { url: `${url}/icp4d-api`, username: defaultAccount, apikey: defaultApiKey };
    const authenticator = isPlatform
      ? new CloudPakForDataAuthenticator(platform)
      : new IamAuthenticator({ apikey: defaultApiKey, url });
    return WatsonXAI.newInstance({ version: '2025-02-11', serviceUrl: url, authenticator });
  }

  for (const isPlatform of [false, true]) {
    const by = isPlatform ? 'a Cloud Pak for Data user name and API key' : 'an API key';
    for (const [name, place] of [
      ['project', { modelId, projectId: defaultProjectId }],
      ['space', { modelId, spaceId: 'emulator-space' }],
    ] as const) {
      it(`generate text in a ${name} using IBM's SDK and ${by}`, async () => {
        const { result } = await sdk(isPlatform).textChat({ ...place, messages });
        assert.match(result.choices[0].message.content, /Hello/);
      });
    }

    it(`use IBM's SDK and ${by} to generate text from a deployment`, async () => {
      const asked = { idOrName: 'emulator/deployment', messages };
      const { result } = await sdk(isPlatform).deploymentsTextChat(asked);
      assert.match(result.choices[0].message.content, /Hello/);
    });
  }

  for (const authentication of ['ClientSecretBasic', 'ClientSecretPost'] as const) {
    it(`can use OpenAI's SDK with a token from an OAuth library (${authentication})`, async () => {
      const library = load('oauth4webapi');
      const client = { client_id: defaultAccount };
      const server = { issuer: emulator.url, token_endpoint: `${emulator.url}${oauthPath}` };
      const given = library[authentication](defaultApiKey);
      const insecure = { [library.allowInsecureRequests]: true };
      const answer = await library.clientCredentialsGrantRequest(
        ...[server, client, given, new URLSearchParams(oauth), insecure],
      );
      const token = await library.processClientCredentialsResponse(server, client, answer);
      assert.equal(token.expires_in, 3_600);

      const { OpenAI } = load('openai');
      const openai = new OpenAI({ apiKey: token.access_token, baseURL: `${emulator.url}/v1` });
      const whole = await openai.chat.completions.create({ model: modelId, messages });
      assert.match(whole.choices[0].message.content, /Hello/);
      const stream = await openai.chat.completions.create({
        ...{ model: modelId, messages, stream: true, stream_options: { include_usage: true } },
      });
      let text = '';
      let tokens = 0;
      for await (const { choices, usage } of stream) {
        text += choices[0]?.delta?.content ?? '';
        tokens = usage?.completion_tokens ?? tokens;
      }
      assert.equal(text, whole.choices[0].message.content);
      assert.ok(tokens > 0);
      const { data } = await openai.models.list();
      assert.ok(data.some(({ id }: { readonly id: string }) => id === modelId));
      await assert.rejects(openai.chat.completions.create({ model: 'none', messages }), {
        status: 404,
        code: 'model_not_found',
      });
    });
  }
});
