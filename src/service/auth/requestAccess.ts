import { type Credentials, headersOf } from '../credentials.ts';
import type { Access, PublicAccess } from '../http/httpTypes.ts';
import { authMethodOf, secretsOf } from './authMethods.ts';
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
 * Returns the fields that give a request access to the service: those of `publicAccess`, and the
 * token fields if the service needs a token.
 * @param waitedFor the token that the caller got before the first attempt; may be sent even if it
 * arrived late (see `TokenService.isLate`)
 * @param onToken called with each token that an attempt gets; only the last token that an attempt
 * gets is sent
 */
export function accessOf(
  credentials: Credentials,
  tokenService: TokenService,
  waitedFor?: Token,
  onToken: (token: Token) => void = () => {},
): Access {
  let latest = waitedFor;
  const tokenProvider = () => {
    const before = tokenService.state;
    const get = async (signal: AbortSignal) => {
      latest = await tokenService.get(signal, before, latest);
      onToken(latest);
      return latest.value;
    };
    return { hasToken: () => tokenService.hasValidToken || tokenService.isLate(latest), get };
  };
  const { scheme, header: tokenHeader, needsNoToken } = authMethodOf(credentials.service);
  const shared = publicAccess(credentials);
  return needsNoToken ? shared : { ...shared, scheme, tokenHeader, tokenProvider };
}
