import { createParser } from 'eventsource-parser';
import { ServiceError } from './errors.ts';

/** One server-sent event; `event` is empty where the service named none. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Characters one event may have. The longest real one is a few hundred. */
export const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Reads server-sent events from bytes that are cut anywhere: inside a character, between CR and
 * LF, inside a field name. Line ends may be LF, CRLF or CR, with or without a space after `data:`.
 * Yields together what came together: each turn of the caller's loop has its price.
 * @throws {ServiceError} `too-large` for an event past the limit; whatever the bytes fail with
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ServerEvent[]> {
  let ready: ServerEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ event, data }) => {
      ready.push({ event: event ?? '', data });
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') {
        throw new ServiceError('too-large', { limit: MAX_EVENT_LENGTH });
      }
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (ready.length === 0) continue;
    const events = ready;
    ready = [];
    yield events;
  }
  // One more line end: it closes an event whose blank line is missing, and frees a CR that the
  // parser holds back in case an LF follows. Half an event stays unsaid, as the standard wants.
  parser.feed(`${decoder.decode()}\n`);
  yield ready;
}
