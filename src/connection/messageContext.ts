import type { MessageContext } from '../messages/failureContext.ts';
import { withoutUnset } from '../service/api/parameters.ts';
import type { Connection, PublicCredentials } from '../service/connection.ts';
import type { Credentials } from '../service/credentials.ts';

/** Creates the context for failure messages, based on connections and credentials. Pure. */

/** Returns the context for messages about a connection. Empty if there is no connection. */
export function contextOf(connection: Connection | undefined): MessageContext {
  if (!connection) return {};
  const setsParameters = Object.keys(withoutUnset(connection.parameters)).length > 0;
  return { source: connection.source, setsParameters, ...serviceContext(connection) };
}

/**
 * Returns the context for messages about the connection test during setup. The test uses values
 * that haven't been saved yet.
 */
export function contextOfTest(credentials: Credentials): MessageContext {
  return { source: 'answers', isCheck: true, ...serviceContext(credentials) };
}

/**
 * Returns the context for messages about a service. Includes `authHost` only if it differs from the
 * service host. If the hosts are the same, a failed request's host doesn't show whether the service
 * or its identity service failed.
 */
function serviceContext(connection: PublicCredentials): MessageContext {
  const { authUrl, serviceUrl, service, resource } = connection;
  const [authHost, serviceHost] = [new URL(authUrl).host, new URL(serviceUrl).host];
  return { service, resource, ...(authHost !== serviceHost && { authHost }) };
}
