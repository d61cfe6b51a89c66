import { startEmulator } from '../emulator/emulator.ts';
import { apiKey, body, fetchToken, paths } from './callers/caller.ts';
import { answerParent } from './child.ts';

/** The emulated service in a process of its own. */

/** As long as over a network, so that callers meet while a token is asked for. */
const TOKEN_MS = 100;

// A limit that is named would be kept by the product alone.
const emulator = await startEmulator({ namesRequestLimit: false, apiKeys: [apiKey] });

answerParent({
  url: () => emulator.url,
  /** What the model answers from now on. */
  answer: async ({ pieces, length, eventsTogether, isRepeated }: AnswerShape) => {
    const all = Array.from({ length: pieces }, () => 'w'.repeat(length - 1).concat(' '));
    emulator.settings.answer = () => all;
    if (isRepeated) {
      const json: unknown = JSON.parse(await ownAnswer(paths.call));
      emulator.faults.always('/ml/v1/text/chat', { json });
    }
    if (eventsTogether === undefined) return;
    const text = await ownAnswer(paths.stream);
    const events = text.split('\n\n').map((event) => `${event}\n\n`);
    const groups = Math.ceil(events.length / eventsTogether);
    const chunks = Array.from({ length: groups }, (_, index) => ({
      bytes: events.slice(index * eventsTogether, (index + 1) * eventsTogether).join(''),
    }));
    const headers = { 'content-type': 'text/event-stream;charset=UTF-8' };
    emulator.faults.always('/ml/v1/text/chat_stream', { headers, chunks });
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
  /** Characters of a piece. */
  readonly length: number;
  /**
   * Events of a stream that leave together, as where the service is quicker than the way. Without
   * it each leaves on its own.
   */
  readonly eventsTogether?: number;
  /** One answer for all calls: to make each anew takes the emulator longer than a call takes a client. */
  readonly isRepeated?: boolean;
}

async function ownAnswer(path: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${await fetchToken(emulator.url)}`,
    'content-type': 'application/json',
  };
  return (await fetch(emulator.url + path, { method: 'POST', headers, body })).text();
}

/** What goes wrong on the way to a token. */
export interface Trouble {
  readonly clockOffsetSeconds?: number;
  readonly tokenFailures?: number;
}
