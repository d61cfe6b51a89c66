import { startEmulator } from '../emulator/emulator.ts';
import { apiKey, chatRequest, fetchToken, tokenRequest } from './callers/caller.ts';
import { answerParent } from './child.ts';
import { record, replay } from './replay.ts';

/** Runs the emulated service in its own process. */

/**
 * Milliseconds before each token response. The delay lets several calls start while the token
 * request is pending, as on a real network.
 */
const TOKEN_MS = 100;

// The emulator doesn't report a request limit, because only the product would respect it.
const emulator = await startEmulator({ namesRequestLimit: false, apiKeys: [apiKey] });

answerParent({
  url: () => emulator.url,
  /** Sets the model's response. */
  answer: ({ pieces, length }: AnswerShape) => {
    const all = Array.from({ length: pieces }, () => 'w'.repeat(length - 1).concat(' '));
    emulator.settings.answer = () => all;
  },
  /** Starts a server that replays the current responses, and returns its address. */
  replay: async () => {
    const token = await fetchToken(emulator.url);
    const requests = [tokenRequest, chatRequest('call', token), chatRequest('stream', token)];
    const answers = new Map<string, Buffer>();
    for (const request of requests) {
      const [path = ''] = request.path.split('?', 1);
      answers.set(path, await record(emulator.url, request));
    }
    return replay(answers);
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

export interface AnswerShape {
  readonly pieces: number;
  /** Number of characters in each chunk. */
  readonly length: number;
}

/** Token problems that the emulator simulates. */
export interface Trouble {
  readonly clockOffsetSeconds?: number;
  readonly tokenFailures?: number;
}
