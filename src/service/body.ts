import type { Readable } from 'node:stream';
import { ServiceError } from './errors.ts';

/** Reading bodies within bounds. axios leaves both bounds to its caller (its own threat model). */

/**
 * The bytes of a body, as long as they keep coming and do not become too many. The body is
 * destroyed when the reader is done with it, whatever the reason.
 * @param idleMs the most milliseconds between two pieces; `timeout` bounds the headers only
 * @throws {ServiceError} `too-large`, `timeout` with phase `idle`
 */
export async function* boundedBytes(
  body: Readable,
  maxBytes: number,
  idleMs: number,
): AsyncGenerator<Uint8Array> {
  const idle = setTimeout(() => {
    body.destroy(new ServiceError('timeout', { phase: 'idle' }));
  }, idleMs);
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      idle.refresh();
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ServiceError('too-large', { limit: maxBytes });
      yield chunk;
    }
  } finally {
    clearTimeout(idle);
    body.destroy();
  }
}

/** A whole body as text. @throws whatever reading it throws */
export async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}
