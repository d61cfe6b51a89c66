import { apiKey, modelId, projectId, textOf, version } from '../../callers/caller.ts';
import type { Module, Sdk } from '../../callers/officialSdk.ts';
import { generating } from '../stage/peer.ts';

const { WatsonXAI, IamAuthenticator }: Module = require('../../peers/built/officialSdk.cjs');
let sdk: Sdk | undefined;

/** Uses the service's official SDK, which gets its own token. */
export const activate = generating('bench.onSdk', async ({ authUrl, url }, prompt, onText) => {
  sdk ??= WatsonXAI.newInstance({
    version,
    serviceUrl: url,
    authenticator: new IamAuthenticator({ apikey: apiKey, url: authUrl }),
  });
  const messages = [{ role: 'user', content: prompt }];
  const request = { modelId, projectId, messages, returnObject: true };
  for await (const { data } of await sdk.textChatStream(request)) await onText(textOf(data));
});
