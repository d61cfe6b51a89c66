import { recording } from './recordings.ts';
import type { EventFormat } from './settings.ts';

/** A complete response, whose parts are written one by one. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Iterable<Part>;
  /** Content-Length in bytes. If undefined, the body is sent with chunked encoding. */
  readonly length?: number;
}

/** Bytes that are written together, `delayMs` milliseconds after `hold` resolves. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly delayMs?: number;
  readonly hold?: Promise<unknown>;
}

export interface ServerEvent {
  readonly id: number;
  readonly event: string;
  readonly data: unknown;
}

export function bodyAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): Answer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { status, headers, parts: bytes.length === 0 ? [] : [{ bytes }], length: bytes.length };
}

export function jsonAnswer(
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const type = { 'content-type': 'application/json' };
  return bodyAnswer(status, { ...type, ...headers }, JSON.stringify(json));
}

/** @param delayMs pause before each event except the first, in milliseconds */
export function eventsAnswer(
  events: readonly ServerEvent[],
  format: EventFormat,
  delayMs = 0,
  headers: Readonly<Record<string, string>> = {
    'content-type': 'text/event-stream;charset=UTF-8',
    'cache-control': 'no-cache',
  },
): Answer {
  const parts = events.map((event, index) => ({
    bytes: Buffer.from(eventText(event, format)),
    delayMs: index === 0 ? 0 : delayMs,
  }));
  return { status: 200, headers, parts };
}

/** Returns a recorded response, byte for byte, including its placeholders. */
export function recordedAnswer(numberOrName: number | string, format: EventFormat): Answer {
  const { status, headers, json, text, sse } = recording(numberOrName).response;
  if (sse !== undefined) return { ...eventsAnswer(sse, format, 0, headers), status };
  return bodyAnswer(status, headers, text ?? JSON.stringify(json));
}

function eventText({ id, event, data }: ServerEvent, format: EventFormat): string {
  const colon = format.spaceAfterColon ? ': ' : ':';
  return [
    `id${colon}${id}`,
    `event${colon}${event}`,
    `data${colon}${JSON.stringify(data)}`,
    '',
    '',
  ].join(format.newline);
}
