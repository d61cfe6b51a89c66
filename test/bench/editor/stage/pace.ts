import { setTimeout as pause } from 'node:timers/promises';
import type { Emulator } from '../../../emulator/emulator.ts';
import { clockMs } from './protocol.ts';

/** When the service did what, on the clock of `clockMs`. */
export interface Service {
  /** Milliseconds from the arrival of the request until this part of its answer left. */
  delayUntil(part: number): number;
  /** When this part of the answer left; parts of a stream are its events, the first one without text. */
  sentAt(part: number): number;
}

/**
 * Times the next answer of this operation, and gives it a pace.
 * @param everyMs from one part to the next, by the clock and not from the end of the last one
 * @param firstMs before the first part
 */
export function timeNextAnswer(
  emulator: Emulator,
  operation: 'chat' | 'chat_stream',
  { everyMs = 0, firstMs = 0 }: { readonly everyMs?: number; readonly firstMs?: number },
): Service {
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
