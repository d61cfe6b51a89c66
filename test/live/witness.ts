import { createParser } from 'eventsource-parser';
import { reconnectingFetch } from '../../src/service/http/reconnectingFetch.ts';
import { isRecord } from '../emulator/service.ts';

/**
 * A request and its response. Both may contain secrets, so print only the result of a comparison.
 */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON of the body or of each event in a stream. Empty if there's no JSON. */
  readonly documents: readonly unknown[];
  /** The distinct names of the events. Empty if the response isn't a stream. */
  readonly events: readonly string[];
}

/** The maximum number of tokens that a service may generate in one run, including retries. */
export const MOST_TOKENS = 200;

/**
 * Sends a client's requests, records each response, and enforces the token limit. Rejects a
 * generation request if it has no token limit, or if its limit could make the run exceed
 * `MOST_TOKENS`.
 */
export class Witness {
  readonly #bases: readonly string[];
  readonly #noted: Promise<Exchange>[] = [];
  #allowed = 0;
  #spoilsNext = false;

  /**
   * @param addresses the services' base addresses. Recorded paths are relative to these addresses.
   */
  constructor(addresses: readonly string[]) {
    this.#bases = addresses.map((address) => new URL(address).pathname);
  }

  /** In the next request that has a token, replaces the token with an invalid one. */
  corruptNextToken(): void {
    this.#spoilsNext = true;
  }

  /** Upper bound on the number of tokens that the service has generated so far. */
  get allowed(): number {
    return this.#allowed;
  }

  /** Returns the exchanges since the last call to this method. */
  take(): Promise<Exchange[]> {
    return Promise.all(this.#noted.splice(0));
  }

  readonly fetch: typeof globalThis.fetch = async (address, init = {}) => {
    const url = new URL(String(address));
    const before = this.#allowed;
    this.#allow(url, init.body);
    const response = await reconnectingFetch(url, { ...init, headers: this.#headersOf(init) });
    // A request with an error response generates no tokens, so its limit isn't added.
    if (!response.ok) this.#allowed = before;
    const path = this.#withoutBase(url);
    this.#noted.push(note(init.method ?? 'GET', path, response.clone()));
    return response;
  };

  /**
   * Removes a company gateway's base path. The path is confidential, and no recording contains it.
   */
  #withoutBase({ pathname }: URL): string {
    const base = this.#bases.find((one) => one !== '/' && pathname.startsWith(`${one}/`)) ?? '';
    return pathname.slice(base.length);
  }

  #allow({ pathname }: URL, body: RequestInit['body']): void {
    if (!/\/text\/(chat|generation)(_stream)?$/.test(pathname)) return;
    const tokens = this.#allowed + limitIn(body);
    // This comparison also rejects a limit that isn't a number.
    if (!(tokens <= MOST_TOKENS)) throw new Error(`more than ${MOST_TOKENS} tokens in one run`);
    this.#allowed = tokens;
  }

  #headersOf({ headers: given }: RequestInit): Headers {
    const headers = new Headers(given);
    if (!this.#spoilsNext || !headers.has('authorization')) return headers;
    this.#spoilsNext = false;
    // The replacement contains no part of the token, because some services quote a rejected token
    // in the response.
    headers.set(
      'authorization',
      'Bearer eyJhbGciOiJSUzI1NiJ9.eyJpYXQiOjEsImV4cCI6Mn0.bm90LXNpZ25lZA',
    );
    return headers;
  }
}

function limitIn(body: RequestInit['body']): number {
  const parsedBody: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  if (!isRecord(parsedBody)) return Number.NaN;
  const { max_completion_tokens: ofChat, parameters } = parsedBody;
  return Number(isRecord(parameters) ? parameters['max_new_tokens'] : ofChat);
}

async function note(method: string, path: string, response: Response): Promise<Exchange> {
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  // The text can't be read if the client has aborted the request.
  const text = await response.text().catch(() => '');
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
  const events = isStream ? eventsIn(text) : [];
  const documents = (isStream ? events.map(({ data }) => data) : [text]).flatMap(jsonIn);
  const names = events.map(({ event }) => event ?? 'message');
  return { method, path, status, headers, documents, events: [...new Set(names)] };
}

function eventsIn(text: string) {
  const events: { readonly event?: string | undefined; readonly data: string }[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(text);
  return events;
}

function jsonIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
