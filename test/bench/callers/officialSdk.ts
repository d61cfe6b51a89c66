import { createRequire } from 'node:module';
import { bundlePath } from '../peers.ts';
import {
  apiKey,
  type ChatAnswer,
  type MakeCaller,
  messages,
  modelId,
  projectId,
  textOf,
  version,
} from './caller.ts';

export interface Sdk {
  textChat(request: object): Promise<{ readonly result: ChatAnswer }>;
  textChatStream(request: object): Promise<AsyncIterable<{ readonly data: ChatAnswer }>>;
}

export interface Module {
  readonly WatsonXAI: { newInstance(options: object): Sdk };
  readonly IamAuthenticator: new (options: { apikey: string; url: string }) => object;
}

/** Uses the service's official SDK, which gets its own token. */
export const makeCaller: MakeCaller = async (url) => {
  const { WatsonXAI, IamAuthenticator }: Module = createRequire(import.meta.url)(
    bundlePath('officialSdk'),
  );
  const authenticator = new IamAuthenticator({ apikey: apiKey, url });
  const sdk = WatsonXAI.newInstance({ version, serviceUrl: url, authenticator });
  const request = { modelId, projectId, messages };
  return {
    call: async () => textOf((await sdk.textChat(request)).result),
    stream: async (onText) => {
      for await (const { data } of await sdk.textChatStream({ ...request, returnObject: true })) {
        const text = textOf(data);
        if (text !== '') onText(text);
      }
    },
  };
};
