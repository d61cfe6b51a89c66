import { text as textOf } from 'node:stream/consumers';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ServiceError } from '../errors.ts';

/**
 * Maximum length of an event, in characters. Events in real streams rarely have more than a few
 * hundred characters.
 */
export const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Maximum length of the input for one call to the parser, in characters. For each line that ends in
 * CR, the parser searches the rest of its input for an LF, so parsing a long input would take
 * quadratic time.
 */
const MAX_PARSER_INPUT = 4_096;

export interface BodyLimits {
  /** Maximum size after decompression, in bytes. */
  readonly maxBytes: number;
  /**
   * Returns the time left until the response must start, in milliseconds. Before the response
   * starts, the headers and each chunk extend this time to at least `idleMs`.
   */
  readonly startLeftMs: () => number;
  /** Maximum time between two chunks after the start, in milliseconds. */
  readonly idleMs: number;
}

/** Reads the body of a response, with the size and time limits that `fetch` lacks. */
export class Body {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #limits: BodyLimits;
  readonly #closeConnection: () => void;
  readonly #onStart: () => void;
  #bytes = 0;
  #hasStarted = false;
  #isOver: boolean;
  #end: NodeJS.Timeout | undefined;

  /**
   * @param stream null if the response has no body
   * @param closeConnection closes the network connection immediately, whereas canceling the stream
   * would wait for the next chunk
   * @param onStart called when the response starts (see `markStarted`)
   */
  constructor(
    stream: ReadableStream<Uint8Array> | null,
    limits: BodyLimits,
    closeConnection: () => void,
    onStart: () => void = () => {},
  ) {
    this.#reader = stream?.getReader();
    this.#limits = limits;
    this.#closeConnection = closeConnection;
    this.#onStart = onStart;
    this.#isOver = stream === null;
  }

  /**
   * Yields the chunks. Call `markStarted` once the response starts. If you stop early, call
   * `readRest` or `close`.
   * @throws {ServiceError} `too-large`, or `timeout` with phase `start` or `idle`; network errors are
   * rethrown unchanged
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) yield chunk;
  }

  /**
   * Reads all chunks as text. The response starts with the first chunk.
   * @throws the same errors as the iterator
   */
  text(): Promise<string> {
    return textOf(this.#wholeChunks());
  }

  async *#wholeChunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this) {
      this.markStarted();
      yield chunk;
    }
  }

  /**
   * Marks the response as started. A stream starts with its first content. Keep-alives and empty
   * events don't count, because some services send them before the model is loaded.
   */
  markStarted(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#onStart();
  }

  /** Closes the network connection if the response hasn't ended after this many milliseconds. */
  endWithin(ms: number): void {
    if (!this.#isOver) this.#end ??= setTimeout(() => this.close(), ms);
  }

  /**
   * Reads the rest of the response for at most this many milliseconds so that the network
   * connection can be reused. Never throws.
   */
  async readRest(ms: number): Promise<void> {
    this.endWithin(ms);
    try {
      while (await this.#next());
    } catch {
      // Ignore the error. The caller already has the result or an earlier error, and the network
      // connection is closed.
    }
  }

  /** Closes the network connection unless the response was read to the end. */
  close(): void {
    if (this.#isOver) return;
    this.#markEnded();
    this.#closeConnection();
  }

  #markEnded(): void {
    this.#isOver = true;
    clearTimeout(this.#end);
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver || !this.#reader) return undefined;
    const late = Promise.withResolvers<never>();
    const { maxBytes, startLeftMs, idleMs } = this.#limits;
    const phase = this.#hasStarted ? 'idle' : 'start';
    const onLate = () => late.reject(new ServiceError('timeout', { phase }));
    const timer = setTimeout(onLate, phase === 'idle' ? idleMs : Math.max(startLeftMs(), idleMs));
    try {
      const { value, done } = await Promise.race([this.#reader.read(), late.promise]);
      if (done) this.#markEnded();
      this.#bytes += value?.byteLength ?? 0;
      if (this.#bytes <= maxBytes) return value;
      throw new ServiceError('too-large', { limit: maxBytes });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Reads server-sent events. A chunk can end anywhere: inside a character, between CR and LF, or
 * inside a field name. Lines can end in LF, CRLF, or CR, and the space after `data:` is optional.
 * If the caller stops early, the rest of the body stays unread.
 * @throws {ServiceError} `too-large` if an event exceeds the limit; any error from reading the body
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
  let lastCharacter = '';
  const read = (text: string) => {
    events = [];
    lastCharacter = text.at(-1) ?? lastCharacter;
    for (let at = 0; at < text.length; at += MAX_PARSER_INPUT)
      parser.feed(text.slice(at, at + MAX_PARSER_INPUT));
    return events;
  };
  for await (const bytes of body) yield* read(decoder.decode(bytes, { stream: true }));
  yield* read(decoder.decode());
  // The parser follows the standard and discards the last event if no empty line follows it. An
  // extra LF makes the parser yield this event if its last line is complete. If the body ends in
  // CR, a second LF is needed, because the parser treats the first LF as part of the line ending.
  yield* read(lastCharacter === '\r' ? '\n\n' : '\n');
}
