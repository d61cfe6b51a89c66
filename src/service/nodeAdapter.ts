import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import {
  AxiosError,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
  type RawAxiosResponseHeaders,
} from 'axios';

/**
 * Sends one request of axios by Node's own modules, which VS Code patches for proxies and
 * certificates. In place of axios's own adapter for them: of its rules for redirects, proxies,
 * forms, compression and progress none applies here, and they take a fifth of the processor time of
 * a call (measured, `npm run bench cpuOfACall`). No redirect is followed, since a redirected POST
 * would carry the key to the other host, and no proxy is asked besides that of VS Code.
 *
 * Of the configuration it reads method, url, headers, data (a text), signal, both agents, and
 * `transport` in place of Node's module.
 * @returns the head of a success, and its body as it comes
 * @throws {AxiosError} with the request, and with the response where its status is no success;
 * what Node throws of a header that cannot be sent
 */
export function nodeAdapter(
  config: InternalAxiosRequestConfig,
): Promise<AxiosResponse<IncomingMessage>> {
  const { url = '', method = 'get', headers, data, signal } = config;
  const isHttps = url.startsWith('https:');
  // Looked up with each request: VS Code may patch it at any time.
  const { request: start }: Pick<typeof http, 'request'> =
    config.transport ?? (isHttps ? https : http);
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method: method.toUpperCase(),
      headers: headers.toJSON() as Record<string, string>,
      agent: isHttps ? config.httpsAgent : config.httpAgent,
    });
    const fail = (error: Error, response?: AxiosResponse) =>
      reject(AxiosError.from(error, undefined, config, request, response));
    let current: ClientRequest | IncomingMessage = request;
    const cancel = () => {
      const error = new Error('cancelled');
      current.destroy(error);
      // Node keeps the error of a request to itself until its agent has a socket, if it ever has.
      fail(error);
    };
    request.on('error', fail);
    // All that is said where the service wants to speak another protocol.
    request.on('close', () => {
      if (current === request) fail(new Error('closed'));
    });
    request.on('response', (message: IncomingMessage) => {
      current = message;
      const { statusCode: status = 0 } = message;
      const headers = message.headers as RawAxiosResponseHeaders;
      const response = { data: message, status, statusText: '', headers, config };
      if (status >= 200 && status < 300) resolve(response);
      else fail(new Error('no success'), response);
    });
    // Of this one request alone, so that nothing needs to be taken off it again.
    signal?.addEventListener?.('abort', cancel);
    if (signal?.aborted) cancel();
    request.end(data);
  });
}
