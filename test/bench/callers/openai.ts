import { createRequire } from 'node:module';
import { bundlePath } from '../peers.ts';
import {
  type ChatAnswer,
  fetchToken,
  type MakeCaller,
  messages,
  modelId,
  paths,
  projectId,
  textOf,
} from './caller.ts';

interface OpenAI {
  post<Value>(path: string, options: { body: object; stream?: boolean }): Promise<Value>;
}

interface Module {
  readonly OpenAI: new (options: { apiKey: string; baseURL: string }) => OpenAI;
}

/**
 * Uses `post`, which the `openai` package provides for endpoints that don't have their own method.
 */
export const makeCaller: MakeCaller = async (url) => {
  const { OpenAI }: Module = createRequire(import.meta.url)(bundlePath('openai'));
  const client = new OpenAI({ apiKey: await fetchToken(url), baseURL: url });
  const body = { model_id: modelId, project_id: projectId, messages };
  return {
    call: async () => textOf(await client.post<ChatAnswer>(paths.call, { body })),
    stream: async (onText) => {
      const options = { body, stream: true };
      for await (const event of await client.post<AsyncIterable<ChatAnswer>>(
        paths.stream,
        options,
      )) {
        const text = textOf(event);
        if (text !== '') onText(text);
      }
    },
  };
};
