import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ServiceError } from '../errors.ts';

/** Characters one event may have. The longest real one is a few hundred. */
export const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Characters the parser is fed at a time: for each line that ends in CR it looks for an LF up to
 * the end of what it was fed.
 */
const MOST_FED = 4_096;

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
