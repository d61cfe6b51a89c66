import { once } from 'node:events';
import { type Agent, request as startRequest } from 'node:http';
import { connect } from 'node:net';

export interface ProbeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * An agent that keeps connections open so that requests can share them. Without an agent, each
   * request opens its own connection and closes it at the end.
   */
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
  /** Called with the number of body bytes received so far. */
  readonly onBytes?: (count: number) => void;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** True if the whole response arrived before the connection was closed. */
  readonly isComplete: boolean;
}

/**
 * Sends one request. Doesn't retry, follow redirects, or time out.
 * @throws the request's error if the request is aborted or the connection breaks before the headers
 * arrive
 */
export async function probe(url: string, options: ProbeRequest = {}): Promise<ProbeAnswer> {
  const { method = 'GET', headers = {}, body, agent, signal, onBytes } = options;
  const outgoing = startRequest(url, {
    method,
    headers,
    agent: agent ?? false,
    ...(signal && { signal }),
  });
  outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  let count = 0;
  try {
    for await (const chunk of incoming) {
      chunks.push(chunk);
      count += chunk.length;
      onBytes?.(count);
    }
  } catch {
    // The connection broke while the body was arriving, so `isComplete` is false.
  }
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    text: Buffer.concat(chunks).toString('utf8'),
    isComplete: incoming.complete,
  };
}

/**
 * Sends `bytes` over a new connection. Returns all text received until the connection closed, and
 * the code of the connection's last error, if any.
 */
export async function probeRaw(
  url: string,
  bytes: string,
): Promise<{ readonly text: string; readonly error: string | undefined }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let error: string | undefined;
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', (problem: NodeJS.ErrnoException) => {
    error = problem.code;
  });
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return { text: Buffer.concat(chunks).toString('utf8'), error };
}
