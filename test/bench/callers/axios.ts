import { createRequire } from 'node:module';
import { bundlePath } from '../peers.ts';
import { body, eventReader, fetchToken, type MakeCaller, paths, textOf } from './caller.ts';

interface Instance {
  readonly interceptors: {
    readonly request: { use(change: (config: { headers: Headers }) => Promise<unknown>): void };
  };
  post(path: string, body: string, options?: object): Promise<{ readonly data: never }>;
}

interface Axios {
  readonly axios: { create(options: object): Instance };
  readonly axiosRetry: (instance: Instance, options: object) => void;
}

/**
 * Uses axios and axios-retry as shown in their documentation, with an interceptor that adds the
 * token.
 */
export const makeCaller: MakeCaller = async (url) => {
  const { axios, axiosRetry }: Axios = createRequire(import.meta.url)(bundlePath('axios'));
  const instance = axios.create({
    baseURL: url,
    headers: { 'Content-Type': 'application/json' },
  });
  axiosRetry(instance, { retries: 3 });
  let token: Promise<string> | undefined;
  instance.interceptors.request.use(async (config) => {
    token ??= fetchToken(url);
    config.headers.set('Authorization', `Bearer ${await token}`);
    return config;
  });
  return {
    call: async () => textOf((await instance.post(paths.call, body)).data),
    stream: async (onText) => {
      const { data } = await instance.post(paths.stream, body, { responseType: 'stream' });
      const read = eventReader(onText);
      const decoder = new TextDecoder();
      for await (const chunk of data as AsyncIterable<Uint8Array>) {
        read(decoder.decode(chunk, { stream: true }));
      }
    },
  };
};
