import type { Credentials } from '../../src/service/credentials.ts';
import { type ErrorKind, ServiceError } from '../../src/service/errors.ts';
import type { ServiceRuntime } from '../../src/service/serviceRuntime.ts';
import { modelId } from '../contract/service/world.ts';
import type { Emulator } from '../emulator/emulator.ts';
import type { ReceivedRequest } from '../emulator/requests.ts';
import { answerFor } from '../emulator/text.ts';
import { mishapOf } from './mishaps.ts';

/** Number of generations that start together: as many as fit in the queue that the commands use. */
export const BATCH = 50;
const MOST_IN_FLIGHT = 8;

/**
 * The outcome of a generation: the expected text, any other text, a failure of a known kind, or any
 * other error.
 */
export type Ending = 'answer' | 'text of another call' | 'unclassified' | ErrorKind;

/**
 * For each generation, counts the requests that the service receives and those that it answers with
 * a 200. Byte arrays save memory.
 */
export class ServerCount {
  readonly sent: Uint8Array;
  readonly answered: Uint8Array;
  tokenRequests = 0;

  constructor(jobs: number) {
    this.sent = new Uint8Array(jobs);
    this.answered = new Uint8Array(jobs);
  }

  readonly onEnd = (request: ReceivedRequest, status: number): void => {
    if (request.path.startsWith('/identity/')) {
      this.tokenRequests += 1;
      return;
    }
    const job = Number(/Job (\d+):/.exec(request.text)?.[1]);
    this.sent[job] = (this.sent[job] ?? 0) + 1;
    if (status === 200) this.answered[job] = (this.answered[job] ?? 0) + 1;
  };
}

/**
 * Runs one batch, with a concurrency limit of 1 to 8 that depends on the batch's position.
 * @param midway called when half of the generations have ended
 * @returns the outcome of each generation, in order
 */
export async function runBatch(
  runtime: ServiceRuntime,
  credentials: Credentials,
  {
    first,
    signedOut,
    midway,
  }: { readonly first: number; readonly signedOut: AbortSignal; readonly midway: () => void },
): Promise<Ending[]> {
  // The limit changes in steps of 3 so that any eight consecutive batches use every limit from 1 to
  // 8.
  const limit = 1 + ((3 * (first / BATCH)) % MOST_IN_FLIGHT);
  const limits = { limit, queue: BATCH, minIntervalMs: 0 };
  let ended = 0;
  const run = async (job: number): Promise<Ending> => {
    const operation = job % 4 < 2 ? 'chat' : 'generation';
    const client = runtime.client(credentials, { modelId, operation, limits });
    const prompt = promptOf(job);
    let streamed = '';
    const onText = (text: string) => {
      streamed += text;
    };
    // Combines this call's signal with a sign-out signal, as a command does.
    const signal = AbortSignal.any([new AbortController().signal, signedOut]);
    const options = isStreamed(job) ? { signal, onText } : { signal };
    try {
      const { text } = await client.generateText(prompt, {}, options);
      const isOwn = text === answerFor(prompt) && (!isStreamed(job) || streamed === text);
      return isOwn ? 'answer' : 'text of another call';
    } catch (error) {
      return error instanceof ServiceError ? error.kind : 'unclassified';
    } finally {
      ended += 1;
      if (ended === BATCH / 2) midway();
    }
  };
  return Promise.all(Array.from({ length: BATCH }, (_, index) => run(first + index)));
}

export function scriptMishaps(emulator: Emulator, first: number): void {
  for (let job = first; job < first + BATCH; job += 1) {
    const mishap = mishapOf(job);
    if (!mishap) continue;
    const isOfJob = ({ text }: ReceivedRequest) => text.includes(`Job ${job}:`);
    emulator.faults.next(isOfJob, mishap.fault(isStreamed(job)), mishap.times);
  }
}

/**
 * True if the fault in the generation allows this outcome. If no mishap occurs, the generation must
 * succeed.
 */
export function isExpected(job: number, ending: Ending): boolean {
  const kinds: readonly Ending[] = mishapOf(job)?.kinds ?? [];
  return kinds.length === 0 ? ending === 'answer' : kinds.includes(ending);
}

function promptOf(job: number): string {
  return `Job ${job}: write a haiku about soaking`;
}

function isStreamed(job: number): boolean {
  return job % 3 === 0;
}
