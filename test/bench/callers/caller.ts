/** A client that calls the service, such as the product or `fetch`. */
export interface Caller {
  /** Makes one call and returns the whole response. */
  call(): Promise<string>;
  /** Makes one call and streams the response. */
  stream?(onText: (text: string) => void): Promise<unknown>;
}

/** Creates a caller for the emulated service at this address. */
export type MakeCaller = (url: string) => Promise<Caller>;

/** The key has a realistic length, because the product searches each request for it. */
export const apiKey = 'emulator-key'.padEnd(44, '0123456789');
export const projectId = 'emulator-project';
export const modelId = 'ibm/granite-4-h-small';
export const version = '2025-02-11';
/** A 2 KB prompt, about the size of a typical selection. */
export const prompt = 'Say the same in fewer words, please. '.repeat(55);
export const messages = [{ role: 'user', content: prompt }];

export const paths = {
  call: `/ml/v1/text/chat?version=${version}`,
  stream: `/ml/v1/text/chat_stream?version=${version}`,
} as const;
export const body = bodyAsking(prompt);

export function chatRequest(kind: keyof typeof paths, token: string, question = prompt) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { path: paths[kind], headers, body: bodyAsking(question) } as const;
}

function bodyAsking(content: string): string {
  const messages = [{ role: 'user', content }];
  return JSON.stringify({ model_id: modelId, project_id: projectId, messages });
}

const form = { grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey: apiKey };
export const tokenRequest = {
  path: '/identity/token',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(form).toString(),
} as const;

/** Fetches a token for callers that can't get one themselves. */
export async function fetchToken(url: string): Promise<string> {
  const { path, headers, body } = tokenRequest;
  const response = await fetch(url + path, { method: 'POST', headers, body });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

/** The response fields that callers read. */
export interface ChatAnswer {
  readonly choices: readonly {
    readonly message?: { readonly content: string };
    readonly delta?: { readonly content?: string };
  }[];
}

export function textOf(answer: ChatAnswer): string {
  const [choice] = answer.choices;
  return choice?.message?.content ?? choice?.delta?.content ?? '';
}

/**
 * Creates a minimal event stream reader.
 * @returns a function to call with each part of the body
 */
export function eventReader(onText: (text: string) => void): (part: string) => void {
  let rest = '';
  return (part) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const text = textOf(JSON.parse(line.slice(6)));
      if (text !== '') onText(text);
    }
  };
}
