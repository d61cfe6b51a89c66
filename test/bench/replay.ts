import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Replays recorded responses from memory. The emulator takes about as long to create a response as
 * a caller takes to request it, so the emulator's work would hide differences between callers.
 */

export interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request, and returns every byte of the response, starting with the status line. */
export async function record(
  url: string,
  { path, headers, body }: RecordedRequest,
): Promise<Buffer> {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ ...headers, host, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
  let answer = Buffer.alloc(0);
  while (!isWhole(answer)) {
    const [bytes] = await once(socket, 'data');
    answer = Buffer.concat([answer, bytes]);
  }
  socket.destroy();
  return answer;
}

function isWhole(answer: Buffer): boolean {
  const head = answer.toString('latin1', 0, answer.indexOf('\r\n\r\n') + 4);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) return head !== '' && answer.subarray(-7).equals(LAST_CHUNK);
  return answer.length === head.length + Number(length);
}

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** Starts a server that responds to each path with its recording. @returns the server's address */
export async function replay(answers: ReadonlyMap<string, Buffer>): Promise<string> {
  const server = createServer((socket) => {
    let received = '';
    // The callers' processes are killed at the end, which can reset their connections.
    socket
      .setNoDelay()
      .setEncoding('latin1')
      .on('error', () => socket.destroy());
    socket.on('data', (part: string) => {
      received = answerAll(socket, received + part, answers);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Responds to each complete request in the received text.
 * @returns the rest of the text, which is the start of an incomplete request or is empty
 */
function answerAll(socket: Socket, received: string, answers: ReadonlyMap<string, Buffer>): string {
  let rest = received;
  for (;;) {
    const head = rest.slice(0, rest.indexOf('\r\n\r\n') + 4);
    const end = head.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (head === '' || rest.length < end) return rest;
    const path = head.split(' ', 2)[1]?.split('?', 1)[0] ?? '';
    socket.write(answers.get(path) ?? 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    rest = rest.slice(end);
  }
}
