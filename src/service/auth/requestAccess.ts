import { type Credentials, headersOf } from '../credentials.ts';
import { isKind, ServiceError } from '../errors.ts';
import type { Access, PublicAccess } from '../http/httpTypes.ts';
import { authMethodOf } from './authMethods.ts';
import { secretsOf } from './keySecrets.ts';
import type { Token } from './token.ts';
import type { TokenService } from './tokenService.ts';

/** Returns the fields that every request to the service needs, with or without a token. */
export function publicAccess(credentials: Credentials): PublicAccess {
  return {
    origin: credentials.approved.service,
    secrets: secretsOf(credentials),
    fixedHeaders: headersOf(credentials),
  };
}

/**
 * Returns the fields that give a request access to the service. Adds `dropRejectedToken` to the
 * fields of `publicAccess`, and adds the token fields if the service needs a token or key.
 * @param waitedFor the token that the caller got before the first attempt; may be sent even if it
 * arrived late (see `TokenService.isLate`)
 */
export function accessOf(
  credentials: Credentials,
  tokenService: TokenService,
  waitedFor?: Token,
): Access {
  let latest = waitedFor;
  const tokenProvider = () => {
    const before = tokenService.state;
    const get = async (signal: AbortSignal) => {
      latest = await tokenService.get(signal, before, latest);
      return latest.value;
    };
    return { hasToken: () => tokenService.hasValidToken || tokenService.isLate(latest), get };
  };
  const { scheme, header: tokenHeader, needsNoToken, exchange } = authMethodOf(credentials.service);
  const dropRejectedToken = (error: unknown) => {
    if (!isRejection(error, exchange?.isOnDemand === true)) throw error;
    if (!exchange) {
      // The key itself is the token, or requests contain no token. Either way, there is no other
      // token to try.
      if (!isKind(error, 'unauthorized')) throw error;
      const rejection = new ServiceError('key-rejected', error.details);
      if (latest) tokenService.drop(latest, rejection);
      throw rejection;
    }
    if (!latest || !tokenService.canReplace(latest)) throw error;
    // Drop only the token that was sent, because another call may already have replaced it.
    tokenService.drop(latest);
  };
  const shared = { ...publicAccess(credentials), dropRejectedToken };
  return needsNoToken ? shared : { ...shared, scheme, tokenHeader, tokenProvider };
}

/**
 * True if the service may have rejected the token, in which case a new token may help. A 401 counts
 * even if it isn't in the service's error format, because a gateway may have checked the token.
 * @param isOnDemand true if the token came from a program on this machine. Such a token can be
 * stale, and some gateways reject a stale token with a 403.
 */
function isRejection(error: unknown, isOnDemand: boolean): boolean {
  if (isKind(error, 'unauthorized') || (isOnDemand && isKind(error, 'forbidden'))) return true;
  const { status } = isKind(error, 'intercepted') ? error.details : {};
  return status === 401 || (isOnDemand && status === 403);
}
