import type { Readable } from 'node:stream';
import { ServiceError } from './errors.ts';

/** Reading bodies within bounds of size and time, which nothing below it has. */

/**
 * A body that is read once: hands over its bytes piece by piece as they come, and ends with it.
 * What `take` throws ends it, too. Events in place of an async iterator: one of a response costs as
 * much as parsing a whole answer does (measured, `npm run bench cpuOfACall`).
 */
export type Body = (take: (bytes: Uint8Array) => void) => Promise<void>;

/**
 * A body as long as its bytes keep coming and do not become too many. It is destroyed when the
 * reader is done with it, whatever the reason.
 * @param idleMs the most milliseconds between two pieces; `timeout` bounds the headers only
 * @throws {ServiceError} `too-large`, `timeout` with phase `idle`, `connection-lost`
 */
export function boundedBody(body: Readable, maxBytes: number, idleMs: number): Body {
  return (take) =>
    new Promise((resolve, reject) => {
      let bytes = 0;
      let isOver = false;
      const end = (settle: () => void) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(idle);
        settle();
        body.destroy();
      };
      const fail = (error: unknown) => end(() => reject(error));
      const onClose = () => {
        if (!isOver) fail(body.errored ?? new ServiceError('connection-lost'));
      };
      const idle = setTimeout(() => fail(new ServiceError('timeout', { phase: 'idle' })), idleMs);
      // Takes together what came together, of which `data` would tell piece by piece.
      body.on('readable', () => {
        idle.refresh();
        for (;;) {
          const chunk: Uint8Array | null = isOver ? null : body.read();
          if (chunk === null) return;
          bytes += chunk.byteLength;
          if (bytes > maxBytes) return fail(new ServiceError('too-large', { limit: maxBytes }));
          try {
            take(chunk);
          } catch (error) {
            return fail(error);
          }
        }
      });
      body.on('end', () => end(resolve));
      body.on('error', fail);
      body.on('close', onClose);
      // One that ended before anybody listened says nothing any more.
      if (body.destroyed) onClose();
    });
}

/** A whole body as text. @throws whatever reading it throws */
export async function readText(body: Body): Promise<string> {
  const chunks: Uint8Array[] = [];
  await body((bytes) => chunks.push(bytes));
  return new TextDecoder().decode(Buffer.concat(chunks));
}
