import { text as textOf } from 'node:stream/consumers';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ServiceError } from '../errors.ts';

/** Characters one event may have. The longest real one is a few hundred. */
export const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Characters the parser is fed at a time: for each line that ends in CR it looks for an LF up to
 * the end of what it was fed.
 */
const MOST_FED = 4_096;

/** The bytes of one answer, within bounds of size and time, which nothing below it has. */
export class Body {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #maxBytes: number;
  readonly #idleMs: number;
  readonly #hangUp: () => void;
  #bytes = 0;
  #isOver: boolean;
  #end: NodeJS.Timeout | undefined;

  /**
   * @param stream null where the answer has no body
   * @param maxBytes the most there may be, as they are after decompression
   * @param idleMs the most milliseconds between two pieces
   * @param hangUp ends the connection; to cancel the stream would wait for its next piece
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
   * The pieces as they come. Who stops early leaves the rest to `readRest`.
   * @throws {ServiceError} `too-large`, `timeout` with phase `idle`; whatever the connection fails with
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let piece = await this.#next(); piece; piece = await this.#next()) yield piece;
  }

  /** All of it. @throws whatever reading it throws */
  text(): Promise<string> {
    return textOf(this);
  }

  /** Closes the connection if the answer has not come to its end in so many milliseconds. */
  endWithin(ms: number): void {
    if (!this.#isOver) this.#end ??= setTimeout(() => this.close(), ms);
  }

  /**
   * Reads what is left, for so many milliseconds at the most: a connection is kept for the next
   * request only if its answer was read to the end. Never throws.
   */
  async readRest(ms: number): Promise<void> {
    this.endWithin(ms);
    try {
      while (await this.#next());
    } catch {
      // Whatever it fails with, the connection is closed and the answer was read.
    }
  }

  /** Closes the connection, unless the answer was read to its end. */
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
 * Reads server-sent events from bytes that are cut anywhere: inside a character, between CR and
 * LF, inside a field name. Line ends may be LF, CRLF or CR, with or without a space after `data:`.
 * Who stops early leaves the rest of the body unread.
 * @throws {ServiceError} `too-large` for an event past the limit; whatever the body fails with
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
  // One more line end: it closes an event whose blank line is missing, and frees a CR that the
  // parser holds back in case an LF follows. Half an event stays unsaid, as the standard wants.
  yield* read(`${decoder.decode()}\n`);
}
