import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Body } from './body.ts';
import { ServiceError } from './errors.ts';

/** Characters one event may have. The longest real one is a few hundred. */
export const MAX_EVENT_LENGTH = 1_048_576;

/**
 * Reads server-sent events from bytes that are cut anywhere: inside a character, between CR and
 * LF, inside a field name. Line ends may be LF, CRLF or CR, with or without a space after `data:`.
 * @param onEvent called for each as it comes; what it throws ends the body
 * @throws {ServiceError} `too-large` for an event past the limit; whatever the body fails with
 */
export async function readEvents(
  body: Body,
  onEvent: (event: EventSourceMessage) => void,
): Promise<void> {
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') {
        throw new ServiceError('too-large', { limit: MAX_EVENT_LENGTH });
      }
    },
  });
  const decoder = new TextDecoder();
  await body((bytes) => parser.feed(decoder.decode(bytes, { stream: true })));
  // One more line end: it closes an event whose blank line is missing, and frees a CR that the
  // parser holds back in case an LF follows. Half an event stays unsaid, as the standard wants.
  parser.feed(`${decoder.decode()}\n`);
}
