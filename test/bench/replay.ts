import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * What a service has answered, given again from memory. To make an answer takes the emulator about
 * as long as to ask for it takes a caller, so that callers are told apart better without it.
 */

export interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Every byte of the answer, from its status line. */
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

/** Gives to each request the answer of its path, whatever else it says. @returns the address */
export async function replay(answers: ReadonlyMap<string, Buffer>): Promise<string> {
  const server = createServer((socket) => {
    let received = '';
    // Callers end by being killed.
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

/** @returns what of the next request is there */
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
