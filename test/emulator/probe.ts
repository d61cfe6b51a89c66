import { once } from 'node:events';
import { type Agent, request as startRequest } from 'node:http';
import { connect } from 'node:net';

export interface ProbeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Shares connections; without one each request has its own, closed after it. */
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
  /** Told the number of bytes of the body received so far. */
  readonly onBytes?: (count: number) => void;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Whether the answer ended as HTTP wants it, not with the connection. */
  readonly isComplete: boolean;
}

/**
 * A client with no opinion: no retry, no redirect, no time limit.
 * @throws the connection's error when it breaks before the headers
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
    // A broken body: `isComplete` tells.
  }
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    text: Buffer.concat(chunks).toString('utf8'),
    isComplete: incoming.complete,
  };
}

/** Everything that comes back for these bytes, and how the connection ended. */
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
