import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import which from 'which';
import { findAptGet } from '../vscode/aptGet.ts';

/** Runs nginx as a company gateway: https://nginx.org/en/docs/http/ngx_http_proxy_module.html */

/** The path to nginx, or the reason that it isn't available. */
export type FoundNginx = { readonly program: string } | { readonly missing: string };

/** Debian installs nginx in a folder that isn't in every user's `PATH`. */
const PATH = [process.env['PATH'], '/usr/sbin', '/usr/local/sbin'].join(':');

/** Finds nginx, or installs it on Debian if no password is needed. */
export async function ensureNginx(): Promise<FoundNginx> {
  const find = () => which('nginx', { path: PATH }).catch(() => undefined);
  const found = await find();
  if (found) return { program: found };
  const aptGet = await findAptGet();
  if (!aptGet) return { missing: 'nginx is missing, and can only be installed on Debian as root.' };
  console.log('Installing nginx (once)…');
  await aptGet('update');
  await aptGet('install', '-y', '--no-install-recommends', 'nginx');
  const installed = await find();
  return installed ? { program: installed } : { missing: 'Debian installed nginx elsewhere.' };
}

export interface GatewayOptions {
  /** The address of the service behind the gateway. */
  readonly upstream: string;
  /** The key that the gateway requires in the `api-key` header. */
  readonly key: string;
  /** The team that the gateway requires in the `X-Team` header. */
  readonly team: string;
  /** The bearer token that the service requires. The gateway adds the token to each request. */
  readonly upstreamToken: string;
  /** Maximum size of a header in bytes. All headers together can be four times as large. */
  readonly headerBytes: number;
}

export interface Gateway {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts nginx with its own configuration in a temporary folder, as a child of this process. */
export async function startGateway(program: string, options: GatewayOptions): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'hosted-model-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(options, port));
  const child = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'close');
  const close = async () => {
    kill();
    await ended;
    process.removeListener('exit', kill);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await listening(child);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, close };
}

/**
 * Returns the nginx configuration. nginx runs as a single foreground process, rejects requests with
 * its own error pages, and doesn't buffer requests or responses.
 */
function configuration(
  { upstream, key, team, upstreamToken, headerBytes }: GatewayOptions,
  port: number,
): string {
  return `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
  client_body_temp_path client_body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  client_header_buffer_size ${headerBytes};
  large_client_header_buffers 4 ${headerBytes};
  server {
    listen 127.0.0.1:${port};
    if ($http_api_key != "${key}") {
      return 401;
    }
    if ($http_x_team != "${team}") {
      return 403;
    }
    location / {
      proxy_pass ${upstream};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Authorization "Bearer ${upstreamToken}";
      proxy_set_header X-Sent-Authorization $http_authorization;
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
`;
}

/**
 * Resolves when nginx accepts connections. nginx logs its version after it has opened its ports.
 */
async function listening({ stderr }: ChildProcess): Promise<void> {
  if (!stderr) throw new Error('nginx has no error log');
  const lines: string[] = [];
  const log = createInterface({ input: stderr });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  log.on('line', (line) => {
    lines.push(line);
    if (/ nginx\/\d/.test(line)) resolve();
  });
  log.once('close', () => reject(new Error(`nginx ended:\n${lines.join('\n')}`)));
  await promise;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
