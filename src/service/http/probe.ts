import { ServiceError } from '../errors.ts';
import type { ErrorAnswer } from '../failures.ts';
import type { Http } from './http.ts';
import type { HttpRequest } from './httpRequest.ts';

const DEADLINE_MS = 15_000;
const MAX_BYTES = 1_048_576;

/**
 * Asks a host for something that needs no credential; that it says no is an answer. Sends once: what
 * is found is said at once, and a second look is up to the user.
 * @returns undefined where the answer is another one than was asked for
 * @throws {ServiceError} where no answer came, or another one than from the service itself
 */
export async function probe<Found>(
  http: Http,
  asked: Pick<HttpRequest<Found>, 'url' | 'origin' | 'signal' | 'limiter' | 'read'>,
): Promise<Found | undefined> {
  try {
    return await http.send({
      ...asked,
      method: 'GET',
      accept: 'application/json',
      budget: { ...http.budget(DEADLINE_MS), retriesLeft: 0 },
      maxBytes: MAX_BYTES,
      failure: answered,
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || !isAnswer(error)) throw error;
    return undefined;
  }
}

function answered({ status }: ErrorAnswer): ServiceError {
  return new ServiceError(status === 407 ? 'proxy' : 'unexpected-answer', { status });
}

/**
 * A host that says no, or something that nobody asked for, is there. But not one that says yes with
 * a page: that is how a network answers which wants a login first, and it would get the key next.
 */
function isAnswer({ kind, details: { status = 0 } }: ServiceError): boolean {
  const isPage = status >= 200 && status < 300;
  return (kind === 'unexpected-answer' && !isPage) || kind === 'too-large';
}
