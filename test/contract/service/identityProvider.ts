import { generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface RegisteredClient {
  readonly id: string;
  readonly secret: string;
  readonly authentication: 'client_secret_basic' | 'client_secret_post';
  /** The scope values that the client may request, separated by spaces. */
  readonly scope: string;
}

export interface IdentityProviderOptions {
  readonly client: RegisteredClient;
  /** The URL of the service that the tokens are for. */
  readonly audience: string;
  /** The scope values that the service supports, separated by spaces. */
  readonly scope: string;
  readonly tokenLifeSeconds: number;
}

/** The claims of an access token: https://www.rfc-editor.org/rfc/rfc9068#section-2.2 */
export interface Claims {
  readonly iss: string;
  readonly aud: string;
  readonly client_id: string;
  readonly scope?: string;
  /** Seconds since 1970. */
  readonly exp: number;
}

/** A real identity provider: https://github.com/panva/node-oidc-provider */
export interface IdentityProvider {
  readonly url: string;
  readonly tokenUrl: string;
  /** Method and path of each request. */
  readonly requests: readonly string[];
  /** Returns the claims of an access token, or undefined if this provider didn't sign the token. */
  claimsOf(token: string): Claims | undefined;
  close(): Promise<void>;
}

export async function startIdentityProvider(
  options: IdentityProviderOptions,
): Promise<IdentityProvider> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = createServer();
  // Keeps idle connections open so that a test never uses a connection that is being closed.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests: string[] = [];
  server.on('request', (request) => requests.push(`${request.method} ${request.url}`));
  const signingKey = privateKey.export({ format: 'jwk' });
  server.on('request', new Provider(url, configurationOf(options, signingKey)).callback());
  return {
    url,
    tokenUrl: `${url}/token`,
    requests,
    claimsOf(token) {
      const [header, payload = '', signature = ''] = token.split('.');
      const isSigned = verify(
        'sha256',
        Buffer.from(`${header}.${payload}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
      return isSigned ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Returns the provider's configuration. The configuration replaces all defaults that aren't meant
 * for production, because these defaults cause warnings.
 */
function configurationOf(
  { client, audience, scope, tokenLifeSeconds }: IdentityProviderOptions,
  signingKey: object,
) {
  const resourceServer = {
    audience,
    scope,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
  return {
    // Nothing has to be stored, because the tokens are signed, and the client is part of this
    // configuration.
    adapter: () => ({ find: async () => undefined }),
    jwks: { keys: [signingKey] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    scopes: scope.split(' '),
    ttl: { ClientCredentials: tokenLifeSeconds },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        token_endpoint_auth_method: client.authentication,
        scope: client.scope,
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => resourceServer,
      },
    },
  };
}
