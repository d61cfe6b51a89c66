import { text as textOf } from 'node:stream/consumers';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ServiceError } from '../errors.ts';

/** The most characters of an event. The longest real one has a few hundred. */
export const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Characters that the parser gets at a time. For each line that ends in CR it looks for an LF up to
 * the end of its input, so that a long input takes quadratic time.
 */
const MOST_FED = 4_096;

/** The body of one response, with limits of size and time. `fetch` has none. */
export class Body {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #maxBytes: number;
  readonly #idleMs: number;
  readonly #hangUp: () => void;
  #bytes = 0;
  #isOver: boolean;
  #end: NodeJS.Timeout | undefined;

  /**
   * @param stream null if the response has no body
   * @param maxBytes the most bytes, after decompression
   * @param idleMs the most milliseconds between two chunks
   * @param hangUp closes the connection. Canceling the stream would wait for its next chunk.
   */
  constructor(
    stream: ReadableStream<Uint8Array> | null,
    maxBytes: number,
    idleMs: number,
    hangUp: () => void,
  ) {
    this.#reader = stream?.getReader();
    this.#maxBytes = maxBytes;
    this.#idleMs = idleMs;
    this.#hangUp = hangUp;
    this.#isOver = stream === null;
  }

  /**
   * Yields the chunks. A caller that stops early leaves the rest to `readRest`.
   * @throws {ServiceError} `too-large`, `timeout` with phase `idle`; any error of the connection
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) yield chunk;
  }

  /** Reads all chunks as text. @throws as the iterator does */
  text(): Promise<string> {
    return textOf(this);
  }

  /** Closes the connection if the response hasn't ended within this time. */
  endWithin(ms: number): void {
    if (!this.#isOver) this.#end ??= setTimeout(() => this.close(), ms);
  }

  /**
   * Reads the rest of the response, for at most this time. Only a response that was read to its end
   * leaves its connection to the next request. Never throws.
   */
  async readRest(ms: number): Promise<void> {
    this.endWithin(ms);
    try {
      while (await this.#next());
    } catch {
      // The caller already has its result, and the connection is closed.
    }
  }

  /** Closes the connection, unless the response was read to its end. */
  close(): void {
    if (this.#isOver) return;
    this.#over();
    this.#hangUp();
  }

  #over(): void {
    this.#isOver = true;
    clearTimeout(this.#end);
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver || !this.#reader) return undefined;
    const late = Promise.withResolvers<never>();
    const isLate = () => late.reject(new ServiceError('timeout', { phase: 'idle' }));
    const timer = setTimeout(isLate, this.#idleMs);
    try {
      const { value, done } = await Promise.race([this.#reader.read(), late.promise]);
      if (done) this.#over();
      this.#bytes += value?.byteLength ?? 0;
      if (this.#bytes <= this.#maxBytes) return value;
      throw new ServiceError('too-large', { limit: this.#maxBytes });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Reads server-sent events. Chunks can end anywhere: inside a character, between CR and LF, inside a
 * field name. Lines can end in LF, CRLF, or CR, with or without a space after `data:`.
 * A caller that stops early leaves the rest of the body unread.
 * @throws {ServiceError} `too-large` for an event beyond the limit; any error of the body
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  let events: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: (event) => events.push(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') {
        throw new ServiceError('too-large', { limit: MAX_EVENT_LENGTH });
      }
    },
  });
  const decoder = new TextDecoder();
  const read = (text: string) => {
    events = [];
    for (let at = 0; at < text.length; at += MOST_FED) parser.feed(text.slice(at, at + MOST_FED));
    return events;
  };
  for await (const bytes of body) yield* read(decoder.decode(bytes, { stream: true }));
  // One more line end completes an event whose empty line is missing, and a line whose CR the parser
  // holds back in case an LF follows. The standard discards an incomplete event.
  yield* read(`${decoder.decode()}\n`);
}
