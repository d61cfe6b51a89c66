import { setTimeout as pause } from 'node:timers/promises';
import type { Emulator } from '../../../emulator/emulator.ts';
import { clockMs } from './protocol.ts';

/**
 * The times at which the emulated service sent the parts of one response. The parts of a stream are
 * its events. The first event has no text.
 */
export interface PartTimes {
  /**
   * Returns the time from the request's arrival until this part of the response was sent, in
   * milliseconds.
   */
  delayUntil(part: number): number;
  /** Returns the time when this part of the response was sent, as returned by `clockMs`. */
  sentAt(part: number): number;
}

/**
 * Delays the next response of this operation, and records when each of its parts is sent.
 * @param everyMs milliseconds from the start of one part to the start of the next
 * @param firstMs milliseconds before the first part
 */
export function timeNextAnswer(
  emulator: Emulator,
  operation: 'chat' | 'chat_stream',
  { everyMs = 0, firstMs = 0 }: { readonly everyMs?: number; readonly firstMs?: number },
): PartTimes {
  const sent: number[] = [];
  let askedAt = Number.NaN;
  emulator.faults.next(
    ({ path, atMs }) => {
      if (path !== `/ml/v1/text/${operation}`) return false;
      askedAt = atMs + clockMs() - performance.now();
      return true;
    },
    {
      beforePart: async (part) => {
        const dueAt = (sent[0] ?? clockMs() + firstMs) + part * everyMs;
        const early = dueAt - clockMs();
        if (early > 0) await pause(early);
        sent[part] = clockMs();
      },
    },
  );
  const sentAt = (part: number) => sent[part] ?? Number.NaN;
  return { sentAt, delayUntil: (part) => sentAt(part) - askedAt };
}
