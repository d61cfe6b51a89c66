import { reconnectingFetch } from '../../../src/service/http/reconnectingFetch.ts';

/** A `fetch` that counts the responses from each path, and the bytes that the client has read. */
export class WatchedFetch {
  readonly #heads: string[] = [];
  readonly #ended: string[] = [];
  readonly #bytes = new Map<string, number>();
  readonly #onHead: (path: string) => void;

  /** @param onHead called when the headers of a response have arrived */
  constructor(onHead: (path: string) => void = () => {}) {
    this.#onHead = onHead;
  }

  readonly fetch: typeof reconnectingFetch = async (url, init) => {
    const answer = await reconnectingFetch(url, init);
    const { pathname } = new URL(String(url));
    this.#heads.push(pathname);
    this.#onHead(pathname);
    if (!answer.body) return answer;
    const end = () => void this.#ended.push(pathname);
    const count = new TransformStream<Uint8Array, Uint8Array>({
      flush: end,
      cancel: end,
      transform: (piece, controller) => {
        this.#bytes.set(pathname, this.bytes(pathname) + piece.byteLength);
        controller.enqueue(piece);
      },
    });
    return new Response(answer.body.pipeThrough(count), answer);
  };

  /** Number of responses from a path, each counted when its headers arrive. */
  heads(path: string): number {
    return this.#heads.filter((one) => one === path).length;
  }

  /** Number of response bodies from a path that the client has read completely or abandoned. */
  ended(path: string): number {
    return this.#ended.filter((one) => one === path).length;
  }

  /** Number of bytes read from the response bodies of a path. */
  bytes(path: string): number {
    return this.#bytes.get(path) ?? 0;
  }
}
