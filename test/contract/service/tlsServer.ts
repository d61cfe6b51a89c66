import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

/** A server whose certificate nobody vouches for. */
export interface TlsServer {
  readonly url: string;
  readonly port: number;
  /** Requests that got through its TLS. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/**
 * @param name the host of the certificate
 * @returns undefined on a machine without openssl
 */
export async function startTlsServer(name = '127.0.0.1'): Promise<TlsServer | undefined> {
  const certificate = await selfSigned(name);
  if (certificate === undefined) return undefined;
  const requests: string[] = [];
  const server = createServer({ key: certificate, cert: certificate }, (request, response) => {
    requests.push(request.url ?? '');
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Key and certificate in one text. */
async function selfSigned(name: string): Promise<string | undefined> {
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout - -out -';
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${nameKind(name)}:${name}`];
  try {
    const { stdout } = await promisify(execFile)('openssl', [...words.split(' '), ...subject]);
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function nameKind(name: string): string {
  return /^[\d.]+$/.test(name) ? 'IP' : 'DNS';
}
