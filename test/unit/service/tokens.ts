import type { TokenResponse, TokenState } from '../../../src/service/auth/token.ts';
import { TokenService } from '../../../src/service/auth/tokenService.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { type FakeTime, never, settled, tokenAnswer } from './fixtures.ts';

export const MINUTE = 60_000;
export const rejected = new ServiceError('key-rejected', { status: 400 });
export const down = new ServiceError('server-failed', { status: 503 });

/** Creates a token service whose token requests the test answers. */
export function underTest(time: FakeTime, random = () => 0.5) {
  const flights: (PromiseWithResolvers<TokenResponse> & { signal: AbortSignal })[] = [];
  const states: TokenState['kind'][] = [];
  const service = new TokenService({
    fetchToken: (signal) => {
      const flight = { ...Promise.withResolvers<TokenResponse>(), signal };
      flights.push(flight);
      signal.addEventListener('abort', () => flight.reject(new ServiceError('cancelled')));
      return flight.promise;
    },
    clock: time,
    random,
  });
  service.onDidChange(({ kind }) => states.push(kind));
  /** Answers the latest token request. */
  const answer = async (outcome: Partial<TokenResponse> | ServiceError = {}) => {
    const flight = flights.at(-1);
    if (outcome instanceof ServiceError) flight?.reject(outcome);
    else flight?.resolve({ ...tokenAnswer, value: `token-${flights.length}`, ...outcome });
    await settled();
  };
  const value = async () => (await service.get(never)).value;
  const start = async (outcome: Partial<TokenResponse> = {}) => {
    const first = value();
    await answer(outcome);
    return first;
  };
  return { service, flights, states, answer, value, start };
}
