import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BEGIN = '-----BEGIN CERTIFICATE-----';

/**
 * A server with a self-signed certificate. Clients trust the server only if they're given the
 * certificate.
 */
export interface TlsServer {
  readonly url: string;
  readonly port: number;
  /** Key and certificate in one PEM string. */
  readonly certificate: string;
  /** Paths of the requests received after a completed TLS handshake. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/**
 * @param name the host name or IP address in the certificate
 * @param hasExpired true for a certificate that expired yesterday
 * @param given key and certificate to use instead of new ones
 * @returns undefined on a machine without openssl
 */
export async function startTlsServer(
  name = '127.0.0.1',
  hasExpired = false,
  given?: string,
): Promise<TlsServer | undefined> {
  const valid = given ?? (await selfSigned(name));
  if (valid === undefined) return undefined;
  const certificate = hasExpired ? await expired(valid) : valid;
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
    certificate,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a new key and certificate in one PEM string, or undefined if openssl is missing. */
export async function selfSigned(name: string): Promise<string | undefined> {
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

/**
 * Re-signs a certificate so that it has already expired. `openssl req` can't create an expired
 * certificate.
 */
async function expired(certificate: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hosted-model-'));
  try {
    const path = join(folder, 'both.pem');
    await writeFile(path, certificate, { mode: 0o600 });
    const { stdout } = await promisify(execFile)('openssl', [
      ...['x509', '-in', path, '-signkey', path, '-days', '-1'],
    ]);
    return `${certificate.slice(0, certificate.indexOf(BEGIN))}${stdout}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function nameKind(name: string): string {
  return /^[\d.]+$/.test(name) ? 'IP' : 'DNS';
}
