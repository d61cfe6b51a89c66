import type { MessageContext } from '../messages/fixLocation.ts';
import type { Credentials } from '../service/credentials.ts';
import type { SourceSelection } from './sourceSelection.ts';

/** What a message about these credentials has to know of them. */
export function contextOf(choice: SourceSelection): MessageContext {
  if (choice.kind !== 'ready') return {};
  return { source: choice.source, ...hostContext(choice.credentials) };
}

/** The same for the test of a set-up, which asks for all that it tests but the identity address. */
export function contextOfTest(credentials: Credentials): MessageContext {
  return { source: 'answers', isCheck: true, ...hostContext(credentials) };
}

/** Where one host is both, its name does not tell which of the two failed. */
function hostContext({ authUrl, serviceUrl }: Credentials): MessageContext {
  const [authHost, serviceHost] = [new URL(authUrl).host, new URL(serviceUrl).host];
  return authHost === serviceHost ? {} : { authHost };
}
