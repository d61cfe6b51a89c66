import {
  type ChatAnswer,
  chatRequest,
  eventReader,
  fetchToken,
  type MakeCaller,
  paths,
  textOf,
} from './caller.ts';

/** Uses Node's `fetch` and a single token, which is fetched in advance. */
export const makeCaller: MakeCaller = async (url) => {
  const { headers, body } = chatRequest('call', await fetchToken(url));
  const send = (path: string) => fetch(url + path, { method: 'POST', headers, body });
  return {
    call: async () => textOf((await (await send(paths.call)).json()) as ChatAnswer),
    stream: async (onText) => {
      const response = await send(paths.stream);
      const read = eventReader(onText);
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) read(decoder.decode(chunk, { stream: true }));
    },
  };
};
