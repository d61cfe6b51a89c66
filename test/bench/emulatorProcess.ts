import { setTimeout as pause } from 'node:timers/promises';
import { startEmulator } from '../emulator/emulator.ts';
import { answerParent } from './child.ts';

/** The emulated service in a process of its own. */

// A limit that is named would be kept by the product alone.
const emulator = await startEmulator({ namesRequestLimit: false });

answerParent({
  url: () => emulator.url,
  /** What the model answers from now on: so many pieces of so many characters. */
  answer: ({ pieces, length }: { readonly pieces: number; readonly length: number }) => {
    const all = Array.from({ length: pieces }, () => 'w'.repeat(length - 1).concat(' '));
    emulator.settings.answer = () => all;
  },
  /** A token takes as long as over a network, so that callers meet while one is asked for. */
  prepare: ({ clockOffsetSeconds = 0, tokenFailures = 0 }: Trouble) => {
    emulator.reset();
    emulator.settings.clockOffsetSeconds = clockOffsetSeconds;
    const hold = () => pause(100);
    emulator.faults.always('/identity/token', { beforePart: hold });
    emulator.faults.next('/identity/token', { status: 503 }, tokenFailures);
  },
  revokeTokens: () => emulator.revokeTokens(),
  tokenRequests: () => emulator.count('/identity/token'),
});

/** What goes wrong on the way to a token. */
export interface Trouble {
  readonly clockOffsetSeconds?: number;
  readonly tokenFailures?: number;
}
