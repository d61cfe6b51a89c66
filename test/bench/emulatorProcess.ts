import { startEmulator } from '../emulator/emulator.ts';
import { apiKey } from './callers/caller.ts';
import { answerParent } from './child.ts';

/** The emulated service in a process of its own. */

/** As long as over a network, so that callers meet while a token is asked for. */
const TOKEN_MS = 100;

// A limit that is named would be kept by the product alone.
const emulator = await startEmulator({ namesRequestLimit: false, apiKeys: [apiKey] });

answerParent({
  url: () => emulator.url,
  /** What the model answers from now on: so many pieces of so many characters. */
  answer: ({ pieces, length }: { readonly pieces: number; readonly length: number }) => {
    const all = Array.from({ length: pieces }, () => 'w'.repeat(length - 1).concat(' '));
    emulator.settings.answer = () => all;
  },
  prepare: ({ clockOffsetSeconds = 0, tokenFailures = 0 }: Trouble) => {
    emulator.reset();
    emulator.settings.clockOffsetSeconds = clockOffsetSeconds;
    emulator.faults.always('/identity/token', { delayHeadersMs: TOKEN_MS });
    const failure = { status: 503, delayHeadersMs: TOKEN_MS };
    if (tokenFailures > 0) emulator.faults.next('/identity/token', failure, tokenFailures);
  },
  revokeTokens: () => emulator.revokeTokens(),
  tokenRequests: () => emulator.count('/identity/token'),
});

/** What goes wrong on the way to a token. */
export interface Trouble {
  readonly clockOffsetSeconds?: number;
  readonly tokenFailures?: number;
}
