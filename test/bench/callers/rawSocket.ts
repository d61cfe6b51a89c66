import { once } from 'node:events';
import { connect } from 'node:net';
import { body, eventReader, fetchToken, type MakeCaller, paths, textOf } from './caller.ts';

/** Uses only a socket and string functions. No real HTTP client can be as fast. */
export const makeCaller: MakeCaller = async (url) => {
  const { hostname, port } = new URL(url);
  const token = await fetchToken(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true).setEncoding('utf8');
  await once(socket, 'connect');
  let onPart = (_part: string) => {};
  socket.on('data', (part: string) => onPart(part));

  const send = (path: string) => {
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
  return {
    call: () => {
      const { promise, resolve } = Promise.withResolvers<string>();
      let received = '';
      onPart = (part) => {
        received += part;
        const start = received.indexOf('\r\n\r\n') + 4;
        if (start < 4) return;
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
        if (received.length >= start + length) resolve(textOf(JSON.parse(received.slice(start))));
      };
      send(paths.call);
      return promise;
    },
    stream: (onText) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const read = eventReader(onText);
      let end = '';
      // The emulator sends each event as one HTTP chunk, so lines with chunk sizes appear only
      // between events.
      onPart = (part) => {
        read(part);
        end = (end + part).slice(-7);
        if (end === '\r\n0\r\n\r\n') resolve();
      };
      send(paths.stream);
      return promise;
    },
  };
};
