import type { Credentials } from '../credentials.ts';
import { ServiceError } from '../errors.ts';
import type { ErrorAnswer } from '../failures.ts';
import type { Http } from '../http/http.ts';
import type { HttpRequest } from '../http/httpRequest.ts';
import type { RequestGate } from '../http/limiter.ts';
import { type Model, readModels } from '../models/modelList.ts';
import { idFilter } from '../models/models.ts';
import type { Vendor } from '../vendors.ts';
import { parseJson } from '../wire.ts';

/** Whether the two hosts answer, and what the public list says about a model. No credential. */

/** Where a service is. */
export interface ServiceAddress {
  readonly vendor: Vendor;
  readonly serviceUrl: string;
  /** The one origin that may be asked. */
  readonly origin: string;
}

export function addressOf({ vendor, serviceUrl, approved }: Credentials): ServiceAddress {
  return { vendor, serviceUrl, origin: approved.service };
}

const DEADLINE_MS = 15_000;
const MAX_BYTES = 1_048_576;

/**
 * Asks the identity service for anything at all; that it says no is an answer.
 * @throws {ServiceError} where no answer came, or another one than from the service itself
 */
export async function probeIdentity(
  http: Http,
  { vendor, authUrl, approved }: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const url = authUrl + vendor.tokenPath;
  await probe(http, { url, origin: approved.auth, signal, read: async () => undefined });
}

/**
 * Asks the inference service for its public entry of a model, which is there also for one that is
 * withdrawn. Whatever comes of it, a connection is open afterwards that the next request can use.
 * @param limiter counts the request, where it is none that somebody waits to see
 * @returns undefined if the answer says nothing about the model
 * @throws {ServiceError} where no answer came, or another one than from the service itself
 */
export function probeService(
  http: Http,
  { vendor, serviceUrl, origin }: ServiceAddress,
  modelId: string,
  signal: AbortSignal,
  limiter?: RequestGate,
): Promise<Model | undefined> {
  const filters = idFilter(modelId);
  const query = new URLSearchParams({
    version: vendor.apiVersion,
    limit: '1',
    ...(filters && { filters }),
  });
  return probe(http, {
    url: `${serviceUrl}${vendor.paths.models}?${query}`,
    origin,
    signal,
    ...(limiter && { limiter }),
    read: async ({ body, header }) => {
      const { models } = readModels(parseJson(await body.text()), header('date'));
      return models.find(({ id }) => id === modelId);
    },
  });
}

/** Sends once: what is found is said at once, and a second look is up to the user. */
async function probe<Found>(
  http: Http,
  asked: Pick<HttpRequest<Found>, 'url' | 'origin' | 'signal' | 'limiter' | 'read'>,
): Promise<Found | undefined> {
  const budget = { ...http.budget(DEADLINE_MS), retriesLeft: 0 };
  const request: HttpRequest<Found> = {
    ...asked,
    method: 'GET',
    accept: 'application/json',
    budget,
    maxBytes: MAX_BYTES,
    failure: answered,
  };
  try {
    return await http.send(request);
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
